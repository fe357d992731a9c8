package platform_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/platform"
)

// An answer whose head does not end is given up, however much of it comes within the time of a call.
func TestEndlessHeaders(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, head := range map[string]struct{ begin, again string }{
		"many lines":                {"HTTP/1.1 200 OK\r\n", "X-Line: " + long + "\r\n"},
		"one line":                  {"HTTP/1.1 200 OK\r\nX-Line: ", long},
		"an endless reason":         {"HTTP/1.1 200 ", long},
		"answers before the answer": {"", "HTTP/1.1 103 Early Hints\r\nX-Line: " + long + "\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				pour(conn, head.begin, head.again)
			})
			var taken atomic.Int64
			transport := platform.NewTransport()
			dial := transport.DialContext
			transport.DialContext = func(ctx context.Context, network, to string) (net.Conn, error) {
				conn, err := dial(ctx, network, to)
				return countedConn{conn, &taken}, err
			}
			_, err := clientOf(t, platform.Config{BaseURL: address, Transport: transport}).Chats(t.Context())
			if kind(err) != "unreachable" {
				t.Errorf("got %v", err)
			}
			if n := taken.Load(); n > 300<<10 {
				t.Errorf("%d bytes of headers were read", n)
			}
		})
	}
}

// pour sends the head of an answer until nobody takes it, 64 MB at most.
func pour(conn net.Conn, begin, again string) {
	_, err := io.WriteString(conn, begin)
	for sent := 0; err == nil && sent < 64<<20; sent += len(again) {
		_, err = io.WriteString(conn, again)
	}
}

// countedConn counts the bytes that are read from it.
type countedConn struct {
	net.Conn
	read *atomic.Int64
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}
