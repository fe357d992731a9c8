package platform_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// rawAnswers are bytes as hosts may send them in the place of an answer: informational heads, handed-over connections, lengths that do
// not hold, bodies that break off, and what is no HTTP at all.
var rawAnswers = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\n{\"code\":200,\"data\":[{}]}",
	"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
	"HTTP/1.1 101 Switching Protocols\r\n\r\n{\"code\":200,\"data\":{\"id\":7}}",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\n{\"code\":200,\"data\":{\"id\":7}}",
	"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 500 No\r\nConnection: close\r\n\r\n",
	"HTTP/1.1 199 x\r\n\r\nHTTP/1.1 101 x\r\nUpgrade: h2c\r\n\r\n",
	strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 9),
	"HTTP/1.1 103 Early Hints\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n{\"code\":200,\"data\":{\"id\":7}}\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"cod\r\nzz\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{\"code\":200",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
	"HTTP/1.0 200 OK\r\n\r\n{\"code\":200,\"data\":{\"id\":7}}",
	"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 307 Elsewhere\r\nLocation: /mobile_api/get_chats\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 301 Elsewhere\r\nLocation: https://social.example/?session_id=a-session\r\n\r\n",
	"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n",
	"HTTP/1.1 429 Slow\r\nRetry-After: 99999999999999999999\r\nContent-Length: 12\r\n\r\n{\"code\":429}",
	"HTTP/1.1 a-session\r\n\r\n",
	"HTTP/9.9 200 a-session\r\na-session\r\n\r\n",
	"HTTP/1.1 200 OK\r\na-session\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: a-session\r\n\r\n{}",
	"a-session\r\n\r\n", "\x15\x03\x01\x00\x02\x02\x46", "", "\n\n\n",
}

// rawHost answers each connection with the same bytes, in pieces, and then hangs up or stays on the line.
type rawHost struct {
	answer   []byte
	piece    int
	stays    bool
	requests atomic.Int64
}

func (h *rawHost) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go h.serve(far)
	return near, nil
}

func (h *rawHost) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		h.requests.Add(1)
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		for rest := h.answer; len(rest) > 0; {
			n, err := conn.Write(rest[:min(len(rest), h.piece)])
			if err != nil {
				return
			}
			rest = rest[n:]
		}
		if !h.stays {
			return
		}
	}
}

// Whatever bytes come in the place of an answer, the call ends in its time with an error of one of its kinds, which keeps the session to
// itself and tells that the request has left; and no answer but a redirect lets anything be sent twice.
func FuzzRawAnswers(f *testing.F) {
	for i, answer := range rawAnswers {
		f.Add([]byte(answer), uint8(i), uint16(1+i*7), i%2 == 0)
		f.Add([]byte(answer), uint8(2), uint16(4096), i%2 != 0)
	}
	calls := handovers()
	log.SetOutput(io.Discard) // net/http tells there what comes behind an answer
	defer log.SetOutput(os.Stderr)
	f.Fuzz(func(t *testing.T, answer []byte, which uint8, piece uint16, stays bool) {
		h := calls[int(which)%len(calls)]
		synctest.Test(t, func(t *testing.T) {
			host := &rawHost{answer: answer, piece: max(1, int(piece)), stays: stays}
			transport := platform.NewTransport()
			transport.DialContext = host.dial
			transport.Proxy = nil
			defer transport.CloseIdleConnections()
			client := clientOf(t, platform.Config{BaseURL: "http://localhost/mobile_api", Transport: transport})
			begun := time.Now()
			err := h.call(t.Context(), client, 90)
			if took := time.Since(begun); took > client.Timeout() {
				t.Errorf("%s took %v", h.endpoint, took)
			}
			redirects := strings.Count(string(answer), " 30")
			if sent := host.requests.Load(); sent != 1 && redirects == 0 {
				t.Errorf("%s was sent %d times: %v", h.endpoint, sent, err)
			}
			if err == nil {
				return
			}
			checkRawError(t, h.endpoint, err)
		})
	})
}

func checkRawError(t *testing.T, endpoint string, err error) {
	t.Helper()
	// A sign-in has not sent it, so nobody knows that it is one.
	if endpoint != "login" && strings.Contains(err.Error(), "a-session") || strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("%s: it is told as %q", endpoint, err)
	}
	unreachable, unreached := errors.AsType[*platform.Unreachable](err)
	_, unread := errors.AsType[*platform.Unreadable](err)
	_, refused := errors.AsType[*platform.Refused](err)
	_, cut := errors.AsType[*platform.Cut](err)
	switch {
	case unreached && !unreachable.Sent:
		t.Errorf("%s: the request has left, and it is told otherwise: %v", endpoint, err)
	case !unreached && !unread && !refused && !cut:
		t.Errorf("%s: an error of no kind: %T %v", endpoint, err, err)
	}
}
