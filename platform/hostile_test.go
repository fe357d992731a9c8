package platform_test

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
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

// Bodies that are made to do harm are read up to a bound, and what they are called does not matter.
func TestHostileBodies(t *testing.T) {
	effort.Long(t)
	const good = `{"code":200,"data":[]}`
	bomb := zipped(`{"code":200,"data":[],"filler":"`, 64<<20)
	for name, test := range map[string]struct {
		header map[string]string
		body   string
		want   string // kinds of errors
		cut    string // the same for the chat list
	}{
		"a compressed bomb":          {map[string]string{"Content-Encoding": "gzip"}, bomb, "unreadable", "unreadable"},
		"a compressed list of chats": {map[string]string{"Content-Encoding": "gzip"}, zipped(`{"code":200,"data":[`, 64<<20), "unreadable", "unreadable"},
		"a bomb in a bomb":           {map[string]string{"Content-Encoding": "gzip, gzip"}, bomb, "unreadable", "unreadable"},
		"no gzip":                    {map[string]string{"Content-Encoding": "gzip"}, good, "unreadable", "unreadable"},
		"an unknown encoding":        {map[string]string{"Content-Encoding": "br"}, "\x8b\x00", "unreadable", "unreadable"},
		"a length beyond all":        {map[string]string{"Content-Length": "9223372036854775807"}, good, "unreadable", ""},
		"brackets without end":       {nil, `{"code":200,"data":` + strings.Repeat("[", 1<<20), "unreadable", "unreadable"},
		"braces without end":         {nil, strings.Repeat(`{"data":`, 1<<18), "unreadable", "unreadable"},
		"called a page":              {map[string]string{"Content-Type": "text/html"}, good, "", ""},
		"called a picture":           {map[string]string{"Content-Type": "image/png"}, good, "", ""},
		"called nothing":             {map[string]string{"Content-Type": ""}, good, "", ""},
		"a page that is called JSON": {map[string]string{"Content-Type": "application/json"}, "<html>Sign in</html>", "unreadable", "unreadable"},
		"another charset":            {map[string]string{"Content-Type": "application/json; charset=utf-16"}, "\xff\xfe{\x00", "unreadable", "unreadable"},
		"a cookie":                   {map[string]string{"Set-Cookie": "a=b"}, good, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			cookies := 0
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				cookies += len(r.Cookies())
				for key, value := range test.header {
					w.Header().Set(key, value)
				}
				_, _ = io.WriteString(w, test.body)
			})
			client := clientOf(t, platform.Config{BaseURL: address, MaxBody: 1 << 20, MaxList: 2 << 20})
			for range 2 {
				_, err := client.Feed(t.Context(), platform.PageParams{})
				if kind(err) != test.want {
					t.Errorf("got %v", err)
				}
				rows, _, err := readRows(t, client)
				if kind(err) != test.cut || len(rows) > 0 {
					t.Errorf("%d chats, %v", len(rows), err)
				}
			}
			if cookies > 0 {
				t.Error("a cookie was kept")
			}
		})
	}
}

// zipped returns a compressed text that goes on with so many spaces.
func zipped(begin string, spaces int) string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, begin)
	blank := strings.Repeat(" ", 1<<20)
	for range spaces >> 20 {
		_, _ = io.WriteString(w, blank)
	}
	_ = w.Close()
	return b.String()
}
