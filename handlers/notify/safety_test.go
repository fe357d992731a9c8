package notify_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/handlers/notify"
)

// Each service reaches a host that is allowed and no other, and says the cure.
func TestHostsAllowed(t *testing.T) {
	t.Parallel()
	for _, s := range services() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, nil)
			a := parsed(t, strings.ReplaceAll(s.address, "HOST", r.host()))
			if err := clientOf(t, notify.Config{}, r.host()).Send(t.Context(), a, told(handoff("hi"))); err != nil || r.calls() != 1 {
				t.Errorf("%v, and %d calls", err, r.calls())
			}
			for _, other := range []string{"127.0.0.1", "example.org", "localhost" + r.host()[strings.LastIndex(r.host(), ":"):]} {
				err := clientOf(t, notify.Config{}, other).Send(t.Context(), a, told(handoff("hi")))
				if err == nil || !strings.Contains(err.Error(), "NECTAR_WEBHOOK_HOSTS") || r.calls() != 1 {
					t.Errorf("with %s allowed: %v, and %d calls", other, err, r.calls())
				}
			}
		})
	}
}

// No service is followed to where it leads, also not on this machine.
func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, s := range services() {
			t.Run(fmt.Sprint(s.name, code), func(t *testing.T) {
				t.Parallel()
				inside := newReceiver(t, nil)
				r := newReceiver(t, func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, inside.URL+"/admin", code) })
				err := clientOf(t, notify.Config{}, r.host(), inside.host()).Send(t.Context(), parsed(t, strings.ReplaceAll(s.address, "HOST", r.host())), told(handoff("hi")))
				if err == nil || !strings.Contains(err.Error(), "not followed") || inside.calls() != 0 {
					t.Errorf("%v, and %d calls inside", err, inside.calls())
				}
			})
		}
	}
}

// slowly answers when the caller has gone.
type slowly struct{}

func (slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// No service is waited for longer than ten seconds.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for _, s := range services() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := clientOf(t, notify.Config{Transport: slowly{}}, "example.org").Send(t.Context(), parsed(t, strings.ReplaceAll(strings.Replace(s.address, "http://", "https://", 1), "HOST", "example.org")), told(handoff("hi")))
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 11*time.Second {
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		})
	}
}

// flood counts what is read of an answer that never ends.
type flood struct{ read atomic.Int64 }

func (f *flood) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: f}, nil
}

func (f *flood) Read(p []byte) (int, error) {
	if f.read.Add(int64(len(p))) > 10<<20 {
		return 0, io.EOF
	}
	return len(p), nil
}

func (f *flood) Close() error { return nil }

// Of an answer 64 KB are read.
func TestAnswerIsNotReadWhole(t *testing.T) {
	t.Parallel()
	for _, s := range services() {
		f := &flood{}
		err := clientOf(t, notify.Config{Transport: f}, "example.org").Send(t.Context(), parsed(t, strings.ReplaceAll(strings.Replace(s.address, "http://", "https://", 1), "HOST", "example.org")), told(handoff("hi")))
		if err != nil || f.read.Load() > 64<<10+512 {
			t.Errorf("%s: %v, and %d bytes were read", s.name, err, f.read.Load())
		}
	}
}

// parrot fails, and repeats what it was called with.
type parrot struct{ code int }

func (p parrot) RoundTrip(r *http.Request) (*http.Response, error) {
	said := r.URL.String() + " " + r.Header.Get("Authorization")
	if p.code == 0 {
		return nil, errors.New("dial " + said + "\x1b[31m\nsecond line")
	}
	return &http.Response{StatusCode: p.code, Status: "400 " + said, Header: http.Header{"Location": {said}}, Body: io.NopCloser(strings.NewReader(said))}, nil
}

// No error shows what is secret of an address, whatever fails, and whatever the service says.
func TestErrorsShowNoToken(t *testing.T) {
	t.Parallel()
	for _, s := range services() {
		for _, code := range []int{0, 302, 400, 401, 404, 429, 500} {
			for _, raw := range []string{s.address, strings.ReplaceAll(s.address, "${TOKEN}", "tk_s3cret-literal")} {
				raw = strings.ReplaceAll(strings.Replace(raw, "http://", "https://", 1), "HOST", "example.org")
				a := parsed(t, raw)
				err := clientOf(t, notify.Config{Transport: parrot{code}}, "example.org").Send(t.Context(), a, told(handoff("hi")))
				if err == nil {
					t.Fatalf("%s is taken with code %d", s.name, code)
				}
				for _, shown := range []string{err.Error(), a.String(), a.ID(), fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err)} {
					if strings.Contains(shown, "s3cret") || strings.ContainsAny(shown, "\n\x1b") {
						t.Errorf("%s with code %d: %q", s.name, code, shown)
					}
				}
			}
		}
	}
}

// A path of words hides nothing of what we say ourselves.
func TestErrorsKeepOurOwnWords(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/hook", "/webhook", "/answers/hook"} {
		err := clientOf(t, notify.Config{Transport: parrot{500}}, "example.org").Send(t.Context(), parsed(t, "https://example.org"+path), told(handoff("hi")))
		if err == nil || !strings.HasPrefix(err.Error(), "the webhook at example.org answers 500") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A variable that is missing is named, with what to do; nothing is sent.
func TestMissingVariable(t *testing.T) {
	t.Parallel()
	for _, s := range services() {
		r := newReceiver(t, nil)
		for _, set := range []map[string]string{{}, {"TOKEN": " "}} {
			err := clientOf(t, notify.Config{Lookup: vars(set)}, r.host()).Send(t.Context(), parsed(t, strings.ReplaceAll(s.address, "HOST", r.host())), told(handoff("hi")))
			if err == nil || err.Error() != "the variable TOKEN is not set: set it in .env or in the environment of the bot" || r.calls() > 0 {
				t.Errorf("%s: %v", s.name, err)
			}
		}
	}
}

// TLS that nobody vouches for, a connection that is cut, and one that is refused are errors and no more.
func TestBrokenServices(t *testing.T) {
	t.Parallel()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(untrusted.Close)
	untrusted.Config.ErrorLog = nil
	cut := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	})
	gone := newReceiver(t, nil)
	gone.Close()
	for what, url := range map[string]string{"TLS": untrusted.URL, "cut": cut.URL, "gone": gone.URL} {
		host := strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")
		err := clientOf(t, notify.Config{}, host).Send(t.Context(), parsed(t, url+"/in?key=${TOKEN}"), told(handoff("hi")))
		if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.HasPrefix(err.Error(), "the webhook at "+host) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The client that all programs share stays as it is.
func TestDefaultClientIsLeftAlone(t *testing.T) {
	t.Parallel()
	client, transport := *http.DefaultClient, http.DefaultTransport
	r := newReceiver(t, nil)
	if err := clientOf(t, notify.Config{}, r.host()).Send(t.Context(), parsed(t, "ntfy://"+r.host()+"/topic"), told(handoff("hi"))); err != nil {
		t.Fatal(err)
	}
	if http.DefaultClient.CheckRedirect != nil || http.DefaultClient.Timeout != client.Timeout || http.DefaultClient.Transport != client.Transport || http.DefaultTransport != transport {
		t.Error("it is another one")
	}
}

// mailed sends a digest over a mail server.
func mailed(t *testing.T, server string, cfg notify.Config, d *notify.Digest) error {
	t.Helper()
	s, err := notify.ParseServer(server)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Server = s
	return clientOf(t, cfg).Send(t.Context(), parsed(t, "mailto:team@example.org,boss@example.org"), d)
}

// Mails obey the same rules: the list of hosts, no more than 64 KB, no error with a password.
func TestMailIsSafe(t *testing.T) {
	t.Parallel()
	password := vars(map[string]string{"PASSWORD": "hunter2hunter2"})
	p := newPostbox(t, "")
	host := p.Addr().String()
	server := "smtp://bot%40example.org:${PASSWORD}@" + host
	if err := mailed(t, server, notify.Config{Lookup: password, Hosts: []string{host}}, told(handoff("hi"))); err != nil {
		t.Fatal(err)
	}
	m, _ := p.mail(t)
	if m.Header.Get("From") != "<bot@example.org>" || !strings.Contains(m.Header.Get("To"), "boss@example.org") {
		t.Errorf("%v", m.Header)
	}
	if err := mailed(t, server, notify.Config{Lookup: password, Hosts: []string{"127.0.0.1"}}, told(handoff("hi"))); err == nil || !strings.Contains(err.Error(), "NECTAR_WEBHOOK_HOSTS") {
		t.Errorf("another port: %v", err)
	}
	if err := mailed(t, server, notify.Config{Lookup: vars(nil), Hosts: []string{host}}, told(handoff("hi"))); err == nil || !strings.Contains(err.Error(), "PASSWORD is not set") {
		t.Errorf("no password: %v", err)
	}
	for what, banner := range map[string]string{
		"a parrot": "554 hunter2hunter2 is your password\r\n", "a flood": "220-" + strings.Repeat("x", 10<<20) + "\r\n",
	} {
		q := newPostbox(t, banner)
		err := mailed(t, strings.Replace(server, host, q.Addr().String(), 1), notify.Config{Lookup: password, Hosts: []string{q.Addr().String()}}, told(handoff("hi")))
		if err == nil || strings.Contains(err.Error(), "hunter2") || len(err.Error()) > 400 {
			t.Errorf("%s: %.500v", what, err)
		}
	}
}

// A mail server that takes a connection and says no more is left when the time is over.
func TestMailServerThatHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := newPostbox(t, "")
	p.mu.Lock()
	p.hangs = cancel
	p.mu.Unlock()
	s, err := notify.ParseServer("smtp://bot%40example.org:${TOKEN}@" + p.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := clientOf(t, notify.Config{Server: s}, p.Addr().String()).Send(ctx, parsed(t, "mailto:team@example.org"), told(handoff("hi"))); err == nil {
		t.Error("it took the mail")
	}
}

// certified returns what a server at example.com speaks TLS with, and who vouches for it.
func certified(t *testing.T) (secure *tls.Config, roots *x509.CertPool) {
	t.Helper()
	web := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	roots = x509.NewCertPool()
	roots.AddCert(web.Certificate())
	return &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}, roots
}

// Beyond this machine nothing is said to a mail server without TLS: no password, and no mail.
func TestMailTakesSTARTTLS(t *testing.T) {
	t.Parallel()
	secure, roots := certified(t)
	for name, with := range map[string]*tls.Config{"offered": secure, "not offered": nil} {
		p := newPostbox(t, "")
		p.mu.Lock()
		p.secure = with
		p.mu.Unlock()
		cfg := notify.Config{
			Hosts: []string{"example.com"}, TLS: &tls.Config{RootCAs: roots}, Lookup: vars(map[string]string{"PASSWORD": "hunter2hunter2"}),
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				if address != "example.com:587" {
					t.Errorf("it connects to %s", address)
				}
				return (&net.Dialer{}).DialContext(ctx, network, p.Addr().String())
			},
		}
		err := mailed(t, "smtp://bot%40example.org:${PASSWORD}@example.com", cfg, told(handoff("hi")))
		p.mu.Lock()
		if (err == nil) != (with != nil) || len(p.got) > 0 != (with != nil) || with == nil && !strings.Contains(err.Error(), "STARTTLS") {
			t.Errorf("%s: %v, and %d mails", name, err, len(p.got))
		}
		if with == nil && strings.Contains(strings.Join(p.lines, "\n"), "AUTH") {
			t.Errorf("%s: %v", name, p.lines)
		}
		p.mu.Unlock()
	}
}

// A server that speaks TLS from the start is spoken to like that, if somebody vouches for it.
func TestMailWithTLS(t *testing.T) {
	t.Parallel()
	secure, roots := certified(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", secure)
	if err != nil {
		t.Fatal(err)
	}
	p := &postbox{Listener: l}
	p.wg.Go(p.serve)
	t.Cleanup(func() { _ = l.Close(); p.wg.Wait() })
	server := "smtps://bot%40example.org:${PASSWORD}@" + l.Addr().String()
	password := vars(map[string]string{"PASSWORD": "hunter2hunter2"})
	if err := mailed(t, server, notify.Config{Lookup: password, Hosts: []string{l.Addr().String()}, TLS: &tls.Config{RootCAs: roots}}, told(handoff("hi"))); err != nil {
		t.Error(err)
	}
	p.mail(t)
	if err := mailed(t, server, notify.Config{Lookup: password, Hosts: []string{l.Addr().String()}}, told(handoff("hi"))); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("with a certificate that nobody vouches for: %v", err)
	}
}
