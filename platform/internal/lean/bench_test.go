package lean_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkExchange is a small form and its answer, by lean and by net/http. The server is one goroutine a connection that reads and writes once a request.
func BenchmarkExchange(b *testing.B) {
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				request, answer := make([]byte, 8<<10), []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\nContent-Length: 45\r\n\r\n"+
					`{"code":200,"message":"","data":{"id":50100}}`)
				for {
					if _, err := conn.Read(request); err != nil {
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	c := newClient(b, nil)
	for name, by := range map[string]http.RoundTripper{"lean": c, "net-http": c.base} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.Addr().String()+"/mobile_api/send_message", strings.NewReader("session_id=none&to=31&message=hello"))
				if err != nil {
					b.Fatal(err)
				}
				resp, err := by.RoundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				_ = resp.Body.Close()
				cancel()
			}
		})
	}
}
