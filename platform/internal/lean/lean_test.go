package lean_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/platform/internal/lean"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client makes requests by a pool.
type client struct {
	pool lean.Pool
	base *http.Transport
}

func newClient(tb testing.TB, dial func(ctx context.Context, network, address string) (net.Conn, error)) *client {
	tb.Helper()
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	c := &client{base: &http.Transport{DialContext: dial, Protocols: protocols, MaxIdleConnsPerHost: 8, MaxResponseHeaderBytes: 64 << 10}}
	tb.Cleanup(func() {
		c.pool.CloseIdle()
		c.base.CloseIdleConnections()
	})
	return c
}

// RoundTrip makes a request.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.pool.RoundTrip(r, c.base)
}

// outcome is what comes of a request, as far as callers see it.
type outcome struct {
	Status, ContentLength int64
	Header                http.Header
	Body                  string
	Uncompressed, Failed  bool

	err error
}

// fetch makes a request by a transport and reads its answer.
func fetch(by http.RoundTripper, r *http.Request) outcome {
	resp, err := by.RoundTrip(r)
	if err != nil {
		return outcome{Failed: true, err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return outcome{
		Status: int64(resp.StatusCode), ContentLength: resp.ContentLength, Header: resp.Header, Body: string(body), Uncompressed: resp.Uncompressed, Failed: err != nil, err: err,
	}
}

// request makes a request with a time to live.
func request(tb testing.TB, method, url, body string) *http.Request {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 20*time.Second)
	tb.Cleanup(cancel)
	var from io.Reader
	if body != "" {
		from = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, url, from)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// once returns a dialer of connections on which a server reads one request, says these bytes, and closes. What it read goes to heard.
func once(says []byte, heard chan<- string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer func() { _ = far.Close() }()
			in := bufio.NewReader(far)
			var raw bytes.Buffer
			r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(in, &raw)))
			if err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			if heard != nil {
				heard <- raw.String()
			}
			_, _ = far.Write(says)
		}()
		return near, nil
	}
}

// answers are answers of servers, odd ones among them.
func answers() []string {
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, _ = zip.Write([]byte(`{"code":200,"data":[]}`))
	_ = zip.Close()
	return []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\n\r\nuntil the end",
		"HTTP/1.0 200 OK\r\n\r\nuntil the end",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Late: 1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", zipped.Len(), zipped.String()),
		"HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 7) + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 301 Moved\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 70<<10) + "\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 99 Odd\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 2000 Odd\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "\r\n\r\n", "", "H", "HTTP/1.1 200",
		"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
	}
}

// The same bytes are the same answer as with net/http, or an error as there.
func FuzzAnswers(f *testing.F) {
	for _, says := range answers() {
		f.Add([]byte(says), true)
		f.Add([]byte(says), false)
	}
	f.Fuzz(func(t *testing.T, says []byte, asks bool) {
		method, body := http.MethodPost, "a=1"
		if asks {
			method, body = http.MethodGet, ""
		}
		c := newClient(t, once(says, nil))
		got := fetch(c, request(t, method, "http://host.example/a", body))
		want := fetch(c.base, request(t, method, "http://host.example/a", body))
		if want.Status == http.StatusSwitchingProtocols { // its body is the connection; here it is none
			want.Body, got.Body = "", ""
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(outcome{})); diff != "" {
			t.Errorf("%q: - as net/http, + lean\n%s", says, diff)
		}
	})
}

// A request has the same bytes as with net/http.
func TestRequestsAreThoseOfNetHTTP(t *testing.T) {
	heard := make(chan string, 2)
	c := newClient(t, once([]byte("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), heard))
	for name, change := range map[string]func(r *http.Request){
		"plain": func(*http.Request) {},
		"form": func(r *http.Request) {
			r.Header["Content-Type"] = []string{"application/x-www-form-urlencoded"}
			r.Header["User-Agent"] = []string{"nectar"}
		},
		"no agent":     func(r *http.Request) { r.Header["User-Agent"] = []string{""} },
		"more headers": func(r *http.Request) { r.Header.Set("Authorization", "none"); r.Header.Set("Accept", "text/html") },
		"a host":       func(r *http.Request) { r.Host = "other.example:81" },
		"an odd one":   func(r *http.Request) { r.Header.Set("X-Odd", "1") },
		"a range":      func(r *http.Request) { r.Header.Set("Range", "bytes=0-1") },
		"closing":      func(r *http.Request) { r.Close = true },
		"unknown length": func(r *http.Request) {
			if r.Body != nil {
				r.ContentLength = -1
			}
		},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			for _, body := range []string{"", "to=31&text=hello", strings.Repeat("x", 100<<10)} {
				var said []string
				for _, by := range []http.RoundTripper{c, c.base} {
					r := request(t, method, "http://host.example/a%20b/c?d=e%26f", body)
					change(r)
					if o := fetch(by, r); o.Status != http.StatusOK {
						t.Fatalf("%s, %s: %+v", name, method, o)
					}
					said = append(said, <-heard)
				}
				if diff := cmp.Diff(said[1], said[0]); diff != "" {
					t.Errorf("%s, %s of %d bytes: - as net/http, + lean\n%s", name, method, len(body), diff)
				}
			}
		}
	}
}

// serve returns a server whose connections are counted.
func serve(t *testing.T, secure bool, handler http.HandlerFunc) (server *httptest.Server, opened *atomic.Int32) {
	t.Helper()
	opened = new(atomic.Int32)
	server = httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	if secure {
		server.Listener = corkedListener{server.Listener}
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server, opened
}

// trust lets a client believe a server.
func (c *client) trust(server *httptest.Server) {
	if server.TLS != nil {
		c.base.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
		c.base.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	}
}

// A connection serves many requests, one at a time, and one that a server has closed is not written to.
func TestKeptConnections(t *testing.T) {
	for _, secure := range []bool{false, true} {
		server, opened := serve(t, secure, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(w, r.Body)
			_, _ = io.WriteString(w, strings.Repeat("x", 10<<10))
		})
		c := newClient(t, nil)
		c.trust(server)
		ask := func() {
			t.Helper()
			if got := fetch(c, request(t, http.MethodPost, server.URL, "abc")); got.Body != "abc"+strings.Repeat("x", 10<<10) {
				t.Fatalf("got %+v", got)
			}
		}
		for range 20 {
			ask()
		}
		if n := opened.Load(); n != 1 {
			t.Errorf("secure %v: %d connections for 20 requests", secure, n)
		}
		server.CloseClientConnections()
		ask()
		if n := opened.Load(); n != 2 {
			t.Errorf("secure %v: %d connections after the server closed the first", secure, n)
		}
		r := request(t, http.MethodPost, server.URL, "abc")
		resp, err := c.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // unread: nobody knows how much is still to come
		ask()
		if n := opened.Load(); n != 3 {
			t.Errorf("secure %v: %d connections after a body that was given up", secure, n)
		}
		c.pool.CloseIdle()
		ask()
		if n := opened.Load(); n != 4 {
			t.Errorf("secure %v: %d connections after the idle ones were closed", secure, n)
		}
	}
}

// stage is a server that goes by what the test says, over a real connection.
type stage struct {
	t     *testing.T
	conns chan *net.TCPConn
	url   string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, conns: make(chan *net.TCPConn, 8), url: "http://" + l.Addr().String() + "/a"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			tcp, _ := c.(*net.TCPConn)
			s.conns <- tcp
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return s
}

// hears reads a request.
func (s *stage) hears(c *net.TCPConn) {
	s.t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		s.t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
}

const fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// result is what became of a request, and what its trace said.
type result struct {
	outcome

	wrote, conns int32
}

// goes makes a request while the test goes on.
func goes(c *client, r *http.Request) <-chan result {
	done := make(chan result, 1)
	var got result
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		WroteHeaders: func() { got.wrote++ },
		GotConn:      func(httptrace.GotConnInfo) { got.conns++ },
	}))
	go func() {
		resp, err := c.RoundTrip(r)
		if got.err = err; err == nil {
			var body []byte
			body, got.err = io.ReadAll(resp.Body)
			got.Body = string(body)
			_ = resp.Body.Close()
		}
		done <- got
	}()
	return done
}

// A kept connection that ends without an answer to a request: one that only asks goes again, of any other nobody knows.
func TestEndsWithoutAnAnswer(t *testing.T) {
	for method, want := range map[string]result{http.MethodGet: {wrote: 2, conns: 2}, http.MethodPost: {wrote: 1, conns: 1, outcome: outcome{err: io.EOF}}} {
		s, c := newStage(t), newClient(t, nil)
		first := goes(c, request(t, http.MethodPost, s.url, "a"))
		conn := <-s.conns
		s.hears(conn)
		_, _ = io.WriteString(conn, fine)
		if got := <-first; got.err != nil || got.Body != "{}" {
			t.Fatal(got)
		}
		body := "b"
		if method == http.MethodGet {
			body = ""
		}
		second := goes(c, request(t, method, s.url, body))
		s.hears(conn)
		_ = conn.Close()
		if method == http.MethodGet {
			another := <-s.conns
			s.hears(another)
			_, _ = io.WriteString(another, fine)
			_ = another.Close()
		}
		got := <-second
		if got.wrote != want.wrote || got.conns != want.conns || !errors.Is(got.err, want.err) {
			t.Errorf("%s: %+v", method, got)
		}
	}
}

// Bytes that nobody has asked for make a kept connection useless, and are nobody's answer.
func TestUnaskedAnswers(t *testing.T) {
	for name, late := range map[string]string{"with the answer": "", "later": fine} {
		s, c := newStage(t), newClient(t, nil)
		first := goes(c, request(t, http.MethodPost, s.url, "a"))
		conn := <-s.conns
		s.hears(conn)
		says := fine
		if late == "" {
			says += "HTTP/1.1 500 Not yours\r\nContent-Length: 2\r\n\r\n[]"
		}
		_, _ = io.WriteString(conn, says)
		if got := <-first; got.err != nil || got.Body != "{}" {
			t.Fatal(name, got)
		}
		_, _ = io.WriteString(conn, late)
		second := goes(c, request(t, http.MethodPost, s.url, "b"))
		another := <-s.conns
		s.hears(another)
		_, _ = io.WriteString(another, fine)
		if got := <-second; got.err != nil || got.Body != "{}" || got.wrote != 1 {
			t.Errorf("%s: %+v", name, got)
		}
		_, _ = conn.Close(), another.Close()
	}
}

// corked is a connection that lets go at once what it holds. Nobody writes to it meanwhile.
type corked struct {
	net.Conn

	held []byte // nil: it holds nothing back
}

func (c *corked) Write(b []byte) (int, error) {
	if c.held == nil {
		return c.Conn.Write(b)
	}
	c.held = append(c.held, b...)
	return len(b), nil
}

// corkedListener accepts such connections.
type corkedListener struct{ net.Listener }

func (l corkedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &corked{Conn: c}, err
}

// The same behind TLS, which reads ahead: what nobody has asked for may be in no socket any more.
func TestUnaskedAnswersBehindTLS(t *testing.T) {
	const surplus = "HTTP/1.1 500 Not yours\r\nContent-Length: 2\r\n\r\n[]"
	long := "HTTP/1.1 200 OK\r\nContent-Length: 12000\r\n\r\n" + strings.Repeat("x", 12000)
	for name, says := range map[string][]string{
		"one record": {fine + surplus}, "two records": {fine, surplus}, "one record, long": {long + surplus}, "two records, long": {long, surplus}, "a part of one": {fine + "HTT"},
	} {
		var first atomic.Bool
		server, opened := serve(t, true, func(w http.ResponseWriter, r *http.Request) {
			if !first.CompareAndSwap(false, true) {
				_, _ = io.WriteString(w, "yours")
				return
			}
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			secured, _ := conn.(*tls.Conn)
			cork, _ := secured.NetConn().(*corked)
			cork.held = []byte{}
			for _, part := range says {
				_, _ = io.WriteString(conn, part)
			}
			_, _ = cork.Conn.Write(cork.held)
			t.Cleanup(func() { _ = conn.Close() })
		})
		c := newClient(t, nil)
		c.trust(server)
		if got := fetch(c, request(t, http.MethodPost, server.URL, "a")); got.Status != http.StatusOK || got.Failed {
			t.Fatalf("%s: %+v, %v", name, got, got.err)
		}
		if got := fetch(c, request(t, http.MethodPost, server.URL, "b")); got.Body != "yours" || opened.Load() != 2 {
			t.Errorf("%s: %+v by %d connections, %v", name, got, opened.Load(), got.err)
		}
	}
}

// unlooked is a connection that says nothing of its socket.
type unlooked struct{ net.Conn }

// A connection of which nobody can tell whether it is still open is not used again; nor does anything leave whose context has ended.
func TestWhatCannotBeLookedAt(t *testing.T) {
	server, opened := serve(t, false, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	c := newClient(t, func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return unlooked{conn}, err
	})
	for range 2 {
		if got := fetch(c, request(t, http.MethodPost, server.URL, "a")); got.Body != "{}" {
			t.Fatal(got.err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := <-goes(c, request(t, http.MethodPost, server.URL, "a").WithContext(ctx)); !errors.Is(got.err, context.Canceled) || got.conns != 0 {
		t.Errorf("%+v", got)
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("%d connections", n)
	}
}

// What goes by a proxy is left to net/http, which knows how.
func TestProxies(t *testing.T) {
	proxy, opened := serve(t, false, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RequestURI) })
	c := newClient(t, nil)
	c.base.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	if got := fetch(c, request(t, http.MethodPost, "http://host.example/a", "b")); got.Body != "http://host.example/a" || opened.Load() != 1 {
		t.Errorf("%+v, %v", got, got.err)
	}
}

// A request ends with its context, whatever the server does: before, within and behind the head of its answer.
func TestEndsWithItsContext(t *testing.T) {
	for _, says := range []string{"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"} {
		for _, deadline := range []bool{false, true} {
			s, c := newStage(t), newClient(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			want := context.Canceled
			if deadline {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
				want = context.DeadlineExceeded
			}
			ends := goes(c, request(t, http.MethodPost, s.url, "a").WithContext(ctx))
			conn := <-s.conns
			s.hears(conn)
			_, _ = io.WriteString(conn, says)
			if !deadline {
				cancel()
			}
			if got := <-ends; !errors.Is(got.err, want) || got.wrote != 1 {
				t.Errorf("%q, deadline %v: %+v, %v", says, deadline, got, got.err)
			}
			cancel()
			_ = conn.Close()
		}
	}
}

// failing is a connection that takes nothing.
type failing struct{ net.Conn }

func (failing) Write([]byte) (int, error) { return 0, errTakesNothing }

var errTakesNothing = errors.New("it takes nothing")

// Of a request of which the socket took nothing, nothing has left: on a kept connection it goes by another one, on a new one it fails.
func TestNothingLeft(t *testing.T) {
	s := newStage(t)
	made := 0
	c := newClient(t, func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if made++; made > 1 && err == nil {
			return failing{conn}, nil
		}
		return conn, err
	})
	first := goes(c, request(t, http.MethodPost, s.url, "a"))
	conn := <-s.conns
	s.hears(conn)
	_, _ = io.WriteString(conn, fine)
	if got := <-first; got.err != nil {
		t.Fatal(got.err)
	}
	_ = conn.Close()
	got := <-goes(c, request(t, http.MethodPost, s.url, "b"))
	if !errors.Is(got.err, errTakesNothing) || got.wrote != 0 || made != 2 {
		t.Errorf("%+v by %d connections", got, made)
	}
	_ = (<-s.conns).Close()
}

// A dialer need not know contexts: the request ends all the same, and the connection that comes later serves the next one.
func TestSlowDialer(t *testing.T) {
	server, opened := serve(t, false, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	asked, come, kept := make(chan struct{}), make(chan struct{}), make(chan struct{})
	c := newClient(t, func(_ context.Context, network, address string) (net.Conn, error) {
		close(asked)
		<-come
		defer close(kept)
		return new(net.Dialer).DialContext(t.Context(), network, address) //nolint:contextcheck // that is what this dialer does
	})
	ctx, cancel := context.WithCancel(t.Context())
	ends := goes(c, request(t, http.MethodPost, server.URL, "a").WithContext(ctx))
	<-asked
	cancel()
	if got := <-ends; !errors.Is(got.err, context.Canceled) || got.wrote != 0 {
		t.Errorf("%+v", got)
	}
	close(come)
	<-kept
	c.base.DialContext = nil
	if got := fetch(c, request(t, http.MethodPost, server.URL, "a")); got.Body != "{}" || opened.Load() == 0 {
		t.Errorf("%+v by %d connections", got, opened.Load())
	}
}

// What a compressed answer holds is read as if it had not been compressed, and its connection is used again.
func TestCompressed(t *testing.T) {
	server, opened := serve(t, false, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		_, _ = io.WriteString(zip, strings.Repeat("words ", 5000))
		_ = zip.Close()
	})
	c := newClient(t, nil)
	for range 3 {
		got := fetch(c, request(t, http.MethodGet, server.URL, ""))
		if got.Body != strings.Repeat("words ", 5000) || !got.Uncompressed || got.ContentLength != -1 || got.Header.Get("Content-Encoding") != "" {
			t.Fatalf("%+v", got)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// An answer that hands its connection over has no body, and the connection is gone.
func TestSwitchedProtocols(t *testing.T) {
	s, c := newStage(t), newClient(t, nil)
	done := goes(c, request(t, http.MethodPost, s.url, "a"))
	conn := <-s.conns
	s.hears(conn)
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
	if got := <-done; got.err != nil || got.Body != "" {
		t.Errorf("%+v", got)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open")
	}
	_ = conn.Close()
}

// A connection that nobody uses for long is closed.
func TestIdleConnectionsClose(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			close(gone)
		}
	}
	server.Start()
	defer server.Close()
	c := newClient(t, nil)
	c.base.IdleConnTimeout = 20 * time.Millisecond
	if got := fetch(c, request(t, http.MethodGet, server.URL, "")); got.Body != "{}" {
		t.Fatalf("%+v", got)
	}
	<-gone
}

// Many at once keep no more connections than they may, and mix nothing up.
func TestManyAtOnce(t *testing.T) {
	server, _ := serve(t, false, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	c := newClient(t, nil)
	failed := make(chan string)
	for i := range 64 {
		go func() {
			problem := ""
			for n := range 50 {
				body := fmt.Sprintf("request %d of %d", n, i)
				r := request(t, http.MethodPost, server.URL, body)
				if n%7 == 3 {
					ctx, cancel := context.WithCancel(r.Context())
					time.AfterFunc(time.Duration(n)*time.Microsecond, cancel)
					r = r.WithContext(ctx)
				}
				if got := fetch(c, r); !got.Failed && got.Body != body || got.Failed && n%7 != 3 {
					problem = fmt.Sprintf("%q: %+v", body, got)
				}
			}
			failed <- problem
		}()
	}
	for range 64 {
		if problem := <-failed; problem != "" {
			t.Error(problem)
		}
	}
}
