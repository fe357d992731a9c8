package notify_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/handlers/notify"
)

// mute answers each request with head, and then says nothing: whoever called has to hang up.
func mute(t *testing.T, head string) *http.Transport {
	t.Helper()
	transport := &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				defer func() { _ = far.Close() }()
				r := bufio.NewReader(far)
				q, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, q.Body)
				_, _ = io.WriteString(far, strings.ReplaceAll(head, "\n", "\r\n"))
				_, _ = io.Copy(io.Discard, r) // until it is closed
			}()
			return near, nil
		},
	}
	transport.DialTLSContext = transport.DialContext
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// Each service, and the address of a heartbeat, is waited for no longer than ten seconds, whatever it answers: also when it hands over its
// connection, or begins an answer and never ends it.
func TestAnswersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, head string
		at         time.Duration
		fails      string // "" for a good answer, of which nobody needs the end
	}{
		{"switched", "HTTP/1.1 101 Switching Protocols\nConnection: Upgrade\nUpgrade: websocket\n\n", 0, "answers 101 Switching Protocols"},
		{"switched, with a length", "HTTP/1.1 101 Switching Protocols\nConnection: Upgrade\nUpgrade: h2c\nContent-Length: 5\n\n", 0, "answers 101"},
		{"an upgrade that is none", "HTTP/1.1 200 OK\nConnection: Upgrade\nUpgrade: websocket\n\nab", deadline, ""},
		{"no end", "HTTP/1.1 200 OK\nContent-Length: 5\n\nab", deadline, ""},
		{"no chunk", "HTTP/1.1 500 Oops\nTransfer-Encoding: chunked\n\n2\nab\n", deadline, "answers 500"},
	} {
		for _, s := range append(services(), service{"heartbeat", "https://HOST/${TOKEN}"}) {
			t.Run(test.name+" "+s.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := clientOf(t, notify.Config{Transport: mute(t, test.head)}, "example.org")
					a := parsed(t, strings.ReplaceAll(strings.Replace(s.address, "http://", "https://", 1), "HOST", "example.org"))
					call := func() error { return c.Send(t.Context(), a, told(handoff("hi"))) }
					if s.name == "heartbeat" {
						call = func() error { return c.Get(t.Context(), a) }
					}
					begun := time.Now()
					err := call()
					if took := time.Since(begun); took != test.at || (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
						t.Errorf("%v after %v, want %q after %v", err, took, test.fails, test.at)
					}
				})
			})
		}
	}
}

// deadline is how long a service is waited for.
const deadline = 10 * time.Second

// silent brings a body that knows no context, and says nothing before it is closed.
type silent struct{ status int }

func (s silent) RoundTrip(*http.Request) (*http.Response, error) {
	body, _ := io.Pipe()
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Body: body}, nil
}

// Nor is a body that nothing ends by itself.
func TestBodiesThatKnowNoContext(t *testing.T) {
	t.Parallel()
	for _, s := range services() {
		for _, status := range []int{101, 200, 302, 500} {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				_ = clientOf(t, notify.Config{Transport: silent{status}}, "example.org").Send(t.Context(), parsed(t, strings.ReplaceAll(strings.Replace(s.address, "http://", "https://", 1), "HOST", "example.org")), told(handoff("hi")))
				if took := time.Since(begun); took > deadline {
					t.Errorf("%s: %v", s.name, took)
				}
			})
		}
	}
}
