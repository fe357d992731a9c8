package bot_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"path"
	"strings"
	"sync"
	"time"
)

// network is what lies between the bot and the platform. It notes each call that the bot tries to make.
type network struct {
	mu       sync.Mutex
	faults   faults
	inFlight int
	most     int // calls in flight at a time since the last change of faults
	calls    []tried
}

// tried is a call that the bot tried to make.
type tried struct {
	at       time.Time
	endpoint string
}

// faults makes a call, or fails it.
type faults func(next http.RoundTripper, r *http.Request) (*http.Response, error)

func fair(next http.RoundTripper, r *http.Request) (*http.Response, error) { return next.RoundTrip(r) }

// over puts the network before a platform. It is a bottest.Config.Transport.
func (s *network) over(next http.RoundTripper) http.RoundTripper { return &under{s, next} }

// turn changes the faults, and begins to count calls in flight anew.
func (s *network) turn(w faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.most = w, s.inFlight
}

// since returns the calls tried from a moment on.
func (s *network) since(at time.Time) []tried {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []tried
	for _, c := range s.calls {
		if !c.at.Before(at) {
			out = append(out, c)
		}
	}
	return out
}

// together returns how many calls were in flight at a time since the last change of faults.
func (s *network) together() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// under is a transport on that network.
type under struct {
	network *network
	next    http.RoundTripper
}

// RoundTrip lets the faults make a call.
func (u *under) RoundTrip(r *http.Request) (*http.Response, error) {
	s := u.network
	s.mu.Lock()
	w := s.faults
	s.calls = append(s.calls, tried{time.Now(), path.Base(r.URL.Path)})
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}()
	if w == nil {
		w = fair
	}
	return w(u.next, r)
}

// down is a network without a way out: no connection is made.
func down(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	return undone(r, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("network is unreachable")})
}

// nameless is a resolver that knows no host.
func nameless(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	return undone(r, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "social.example", IsNotFound: true}})
}

// untrusted is a host whose certificate nobody can check. The connection is made, and nothing is sent.
func untrusted(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	if rec := httptrace.ContextClientTrace(r.Context()); rec != nil && rec.GetConn != nil {
		rec.GetConn(r.URL.Host)
	}
	return undone(r, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}})
}

// cut is a network that takes requests along and brings nothing back: they were not handled.
func cut(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	return undone(r, errors.New("connection reset by peer"))
}

// oneWay is a network that brings requests to the platform and no answers back.
func oneWay(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	answer, err := next.RoundTrip(r)
	if err == nil {
		err = errors.Join(errors.New("connection reset by peer"), answer.Body.Close())
	}
	return nil, err
}

// undone ends a call that did not leave.
func undone(r *http.Request, err error) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, err
}

// answering answers every call by itself, like a proxy before a platform that is ill.
func answering(status int, header http.Header, body string) faults {
	return func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
		if _, err := undone(r, nil); err != nil {
			return nil, err
		}
		h := header.Clone() // several calls at a time share it
		if h == nil {
			h = http.Header{}
		}
		return &http.Response{
			StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r, ContentLength: int64(len(body)),
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
}

// slowly lets every call take longer.
func slowly(by time.Duration) faults {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		t := time.NewTimer(by)
		defer t.Stop()
		select {
		case <-t.C:
			return next.RoundTrip(r)
		case <-r.Context().Done():
			return undone(r, r.Context().Err())
		}
	}
}

// of returns the calls of an endpoint.
func of(endpoint string, calls []tried) []tried {
	var out []tried
	for _, c := range calls {
		if c.endpoint == endpoint {
			out = append(out, c)
		}
	}
	return out
}

// perSecond returns the most calls within one second.
func perSecond(calls []tried) int {
	most, first := 0, 0
	for i := range calls {
		for calls[i].at.Sub(calls[first].at) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// lines returns the lines of a log that are worth a person's while: those from level INFO on.
func lines(log string) []string {
	var out []string
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "level=DEBUG") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}
