package platform_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

// serve returns the address of a server that ends with the test.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// hangUp cuts the connection of a request.
func hangUp(t *testing.T, w http.ResponseWriter) {
	t.Helper()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_ = conn.Close()
}

func TestInDoubtAgainstARealServer(t *testing.T) {
	const sent = `{"code":200,"message":"Message sent","data":{"id":501}}`
	readAll := func(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		kind    string
		inDoubt bool
	}{
		{"answered", func(w http.ResponseWriter, r *http.Request) {
			readAll(r)
			_, _ = io.WriteString(w, sent)
		}, "", false},
		{"cut before it is read", func(w http.ResponseWriter, _ *http.Request) { hangUp(t, w) }, "unreachable", true},
		{"cut after it is handled", func(w http.ResponseWriter, r *http.Request) {
			readAll(r)
			hangUp(t, w)
		}, "unreachable", true},
		{"answer cut in the body", func(w http.ResponseWriter, r *http.Request) {
			readAll(r)
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, sent[:20])
			_ = http.NewResponseController(w).Flush()
			hangUp(t, w)
		}, "unreadable", true},
		{"half an answer", func(w http.ResponseWriter, r *http.Request) {
			readAll(r)
			_, _ = io.WriteString(w, sent[:20])
		}, "unreadable", true},
		{"refused", func(w http.ResponseWriter, r *http.Request) {
			readAll(r)
			_, _ = io.WriteString(w, `{"code":400,"data":[]}`)
		}, "refused", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := clientOf(t, platform.Config{BaseURL: serve(t, test.handler)})
			_, err := client.SendMessage(t.Context(), platform.SendMessageParams{To: 90, Text: "hello"})
			if got := kind(err); got != test.kind {
				t.Errorf("kind %q, want %q: %v", got, test.kind, err)
			}
			if got := platform.InDoubt(err); got != test.inDoubt {
				t.Errorf("Unsure is %v, want %v: %v", got, test.inDoubt, err)
			}
		})
	}
}

func TestSentIsFalseWhenNothingLeft(t *testing.T) {
	closed, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + closed.Addr().String()
	_ = closed.Close()
	dialing := make(chan context.CancelFunc, 1) // cancels the call that dials
	slowDial := platform.NewTransport()
	slowDial.DialContext = func(context.Context, string, string) (net.Conn, error) {
		cancel := <-dialing
		cancel()
		return nil, errors.New("too late")
	}
	for _, test := range []struct {
		name      string
		transport http.RoundTripper
		address   string
		before    func(cancel context.CancelFunc)
		cause     error
	}{
		{"nobody listens", nil, address, nil, nil},
		{"cancelled before", nil, address, func(cancel context.CancelFunc) { cancel() }, context.Canceled},
		{"cancelled while dialing", slowDial, address, func(cancel context.CancelFunc) { dialing <- cancel }, nil},
		{"no TLS where TLS is asked for", nil, strings.Replace(serve(t, nil), "http:", "https:", 1), nil, nil},
		{"a transport that fails to dial", transportFunc(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("no route")}
		}), address, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := clientOf(t, platform.Config{BaseURL: test.address, Transport: test.transport})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.before != nil {
				test.before(cancel)
			}
			_, err := client.LikePost(ctx, 410)
			unreachable, ok := errors.AsType[*platform.Unreachable](err)
			if !ok {
				t.Fatal(err)
			}
			if unreachable.Sent || platform.InDoubt(err) {
				t.Errorf("Sent is true: %v", err)
			}
			if test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("the cause is lost: %v", err)
			}
		})
	}
}

func TestSentIsTrueForATransportThatDoesNotTell(t *testing.T) {
	client := clientOf(t, platform.Config{Transport: transportFunc(func(*http.Request) (*http.Response, error) {
		return nil, io.ErrUnexpectedEOF
	})})
	if _, err := client.LikePost(t.Context(), 410); !platform.InDoubt(err) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestDeadlineOfACall(t *testing.T) {
	arrived := make(chan struct{}, 1)
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	client := clientOf(t, platform.Config{BaseURL: address, Timeout: 50 * time.Millisecond})
	if client.Timeout() != 50*time.Millisecond {
		t.Error("Timeout is", client.Timeout())
	}
	_, err := client.LikePost(t.Context(), 410)
	<-arrived
	if !errors.Is(err, context.DeadlineExceeded) || !platform.InDoubt(err) {
		t.Errorf("got %v", err)
	}
}

func TestBodyCap(t *testing.T) {
	const limit = 1000
	const frame = `{"code":200,"data":[],"filler":""}`
	for _, test := range []struct {
		name    string
		size    int
		flushed bool // the length is not announced
		want    string
	}{
		{"as large as permitted", limit, false, ""},
		{"as large as permitted, unannounced", limit, true, ""},
		{"larger", limit + 1, false, "unreadable"},
		{"larger, unannounced", limit + 1, true, "unreadable"},
		{"endless", 100 * limit, true, "unreadable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				body := strings.Replace(frame, `""`, `"`+strings.Repeat("x", test.size-len(frame))+`"`, 1)
				_, _ = io.WriteString(w, body[:10])
				if test.flushed {
					_ = http.NewResponseController(w).Flush()
				}
				_, _ = io.WriteString(w, body[10:])
			})
			client := clientOf(t, platform.Config{BaseURL: address, MaxBody: limit})
			if _, err := client.Feed(t.Context(), platform.PageParams{}); kind(err) != test.want {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestConnectionsAreReused(t *testing.T) {
	var opened atomic.Int32
	bodies := []string{`{"code":200,"data":[]}`, `{"code":401,"data":[]}`, "<html>no</html>", `{"code":200,"da`, ""}
	var n atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body := bodies[int(n.Add(1))%len(bodies)]
		if len(body)%2 == 0 {
			_ = http.NewResponseController(w).Flush() // some answers come in chunks
		}
		_, _ = io.WriteString(w, body)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := clientOf(t, platform.Config{BaseURL: server.URL})
	for range 50 {
		_, _ = client.Chats(t.Context())
		_, _ = client.LikePost(t.Context(), 410)
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections for 100 calls, one after another", opened.Load())
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, test := range []struct {
		name  string
		cfg   platform.Config
		field string
	}{
		{"https", platform.Config{BaseURL: "https://social.example/mobile_api"}, ""},
		{"loopback by name", platform.Config{BaseURL: "http://localhost:8080/mobile_api"}, ""},
		{"loopback below the name", platform.Config{BaseURL: "http://emulator.localhost/mobile_api"}, ""},
		{"loopback by address", platform.Config{BaseURL: "http://127.4.5.6/mobile_api"}, ""},
		{"loopback by long address", platform.Config{BaseURL: "http://[::1]:80/mobile_api"}, ""},
		{"plain http, permitted", platform.Config{BaseURL: "http://social.example/x", AllowPlainHTTP: true}, ""},
		{"nothing", platform.Config{}, "BaseURL"},
		{"plain http", platform.Config{BaseURL: "http://social.example/mobile_api"}, "BaseURL"},
		{"plain http to a private network", platform.Config{BaseURL: "http://192.168.1.4/mobile_api"}, "BaseURL"},
		{"plain http to a lookalike", platform.Config{BaseURL: "http://localhost.example/mobile_api"}, "BaseURL"},
		{"plain http to 0", platform.Config{BaseURL: "http://0.0.0.0/mobile_api"}, "BaseURL"},
		{"no scheme", platform.Config{BaseURL: "social.example/mobile_api"}, "BaseURL"},
		{"another scheme", platform.Config{BaseURL: "ftp://social.example/mobile_api"}, "BaseURL"},
		{"no host", platform.Config{BaseURL: "https:///mobile_api"}, "BaseURL"},
		{"query", platform.Config{BaseURL: "https://social.example/mobile_api?x=1"}, "BaseURL"},
		{"fragment", platform.Config{BaseURL: "https://social.example/mobile_api#x"}, "BaseURL"},
		{"user", platform.Config{BaseURL: "https://me:hunter2@social.example/mobile_api"}, "BaseURL"},
		{"broken", platform.Config{BaseURL: "https://me:hunter2@social.example:port/%zz"}, "BaseURL"},
		{"negative timeout", platform.Config{BaseURL: baseURL, Timeout: -1}, "Timeout"},
		{"negative cap", platform.Config{BaseURL: baseURL, MaxBody: -1}, "MaxBody"},
		{"negative cap of the list", platform.Config{BaseURL: baseURL, MaxList: -1}, "MaxList"},
		{"line break", platform.Config{BaseURL: baseURL, UserAgent: "a\r\nb: c"}, "UserAgent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, err := platform.New(test.cfg)
			if test.field == "" {
				if err != nil || client.Timeout() != 15*time.Second {
					t.Errorf("got %v, timeout %v", err, client.Timeout())
				}
				return
			}
			if err == nil {
				t.Fatal("it is accepted")
			}
			if text := err.Error(); strings.Contains(text, "\n") || strings.Contains(text, "hunter2") || !strings.Contains(text, test.field) {
				t.Errorf("not a clear line: %q", text)
			}
		})
	}
}

func TestAddressesAreNormalised(t *testing.T) {
	for base, want := range map[string]string{
		"https://social.example/mobile_api":           "https://social.example/mobile_api/logout",
		"https://social.example//mobile_api/":         "https://social.example/mobile_api/logout",
		"https://social.example/en///mobile_api//":    "https://social.example/en/mobile_api/logout",
		"https://social.example":                      "https://social.example/logout",
		" https://social.example/a%2Fb/mobile_api ":   "https://social.example/a%2Fb/mobile_api/logout",
		"https://social.example:8443/old/../mobile/.": "https://social.example:8443/mobile/logout",
	} {
		var got string
		client := clientOf(t, platform.Config{BaseURL: base, Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return respond(r, http.StatusOK, `{"code":200}`), nil
		})})
		if err := client.Logout(t.Context()); err != nil || got != want {
			t.Errorf("%q: called %q, want %q (%v)", base, got, want, err)
		}
	}
}

// TestRequestOnTheWire shows what leaves, byte by byte.
func TestRequestOnTheWire(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	lines := make(chan []string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			close(lines)
			return
		}
		defer func() { _ = conn.Close() }()
		var got []string
		reader := bufio.NewReader(conn)
		for {
			line, err := reader.ReadString('\n')
			if line = strings.TrimSpace(line); err != nil || line == "" {
				break
			}
			got = append(got, line)
		}
		form := make([]byte, len("post_id=410&session_id=a-session"))
		_, _ = io.ReadFull(reader, form)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{\"code\":200}")
		lines <- append(got, string(form))
	}()
	client := clientOf(t, platform.Config{BaseURL: "http://" + listener.Addr().String() + "/mobile_api"})
	if _, err := client.LikePost(t.Context(), 410); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"POST /mobile_api/like_post HTTP/1.1",
		"Host: " + listener.Addr().String(),
		"User-Agent: nectar",
		"Content-Length: 32",
		"Content-Type: application/x-www-form-urlencoded",
		"Accept-Encoding: gzip",
		"post_id=410&session_id=a-session",
	}
	if diff := cmp.Diff(want, <-lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNamesBelowLocalhostMeanThisMachine(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Host, "people.localhost:") {
			t.Error("Host is", r.Host)
		}
		_, _ = io.WriteString(w, `{"code":200}`)
	})
	client := clientOf(t, platform.Config{BaseURL: strings.Replace(address, "127.0.0.1", "people.localhost", 1)})
	if err := client.Logout(t.Context()); err != nil {
		t.Error(err)
	}
}
