package notify_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
)

// receiver is a service on this machine. It keeps what it gets.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	paths  []string
	heads  []http.Header
	answer http.HandlerFunc // nil: 200
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body := map[string]any{}
	_ = json.NewDecoder(req.Body).Decode(&body) // a heartbeat has none
	r.mu.Lock()
	r.bodies, r.paths, r.heads = append(r.bodies, body), append(r.paths, req.URL.String()), append(r.heads, req.Header.Clone())
	r.mu.Unlock()
	if r.answer != nil {
		r.answer(w, req)
	}
}

func (r *receiver) host() string {
	return strings.TrimPrefix(strings.TrimPrefix(r.URL, "http://"), "https://")
}

func (r *receiver) last(t *testing.T) map[string]any {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.bodies) == 0 {
		t.Fatal("nothing came")
	}
	return r.bodies[len(r.bodies)-1]
}

func (r *receiver) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

// vars looks variables up in a map.
func vars(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func parsed(t *testing.T, raw string) *notify.Address {
	t.Helper()
	a, err := notify.Parse(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &a
}

// postbox is a small mail server.
type postbox struct {
	net.Listener
	secure *tls.Config // STARTTLS is offered with it
	banner string      // what it says first; "" for the usual
	hangs  func()      // called in the place of an answer to EHLO; nil for an answer
	mu     sync.Mutex
	got    []string
	lines  []string
	wg     sync.WaitGroup
	conns  []net.Conn
}

func newPostbox(t *testing.T, banner string) *postbox {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &postbox{Listener: l, banner: banner}
	p.wg.Go(p.serve)
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

func (p *postbox) serve() {
	for {
		c, err := p.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.conns = append(p.conns, c)
		p.mu.Unlock()
		p.wg.Go(func() { defer func() { _ = c.Close() }(); p.talk(c) })
	}
}

func (p *postbox) talk(c net.Conn) {
	banner := p.banner
	if banner == "" {
		banner = "220 post ready\r\n"
	}
	if _, err := io.WriteString(c, banner); err != nil {
		return
	}
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		p.mu.Lock()
		p.lines = append(p.lines, strings.TrimSpace(line))
		p.mu.Unlock()
		answer := "250 ok\r\n"
		switch word := strings.ToUpper(strings.Fields(line + " x")[0]); word {
		case "EHLO":
			if p.hangs != nil {
				p.hangs()
				continue
			}
			answer = "250-post\r\n250 AUTH PLAIN\r\n"
			if _, over := c.(*tls.Conn); p.secure != nil && !over {
				answer = "250-post\r\n250 STARTTLS\r\n"
			}
		case "STARTTLS":
			_, _ = io.WriteString(c, "220 go\r\n")
			over := tls.Server(c, p.secure)
			if over.HandshakeContext(context.Background()) != nil {
				return
			}
			c, r = over, bufio.NewReader(over)
			continue
		case "AUTH":
			answer = "235 ok\r\n"
		case "DATA":
			_, _ = io.WriteString(c, "354 go\r\n")
			var b strings.Builder
			for {
				l, err := r.ReadString('\n')
				if err != nil {
					return
				}
				if l == ".\r\n" {
					break
				}
				b.WriteString(strings.TrimPrefix(l, ".")) // a dot at its beginning is doubled on the way
			}
			p.mu.Lock()
			p.got = append(p.got, b.String())
			p.mu.Unlock()
		case "QUIT":
			_, _ = io.WriteString(c, "221 bye\r\n")
			return
		}
		if _, err := io.WriteString(c, answer); err != nil {
			return
		}
	}
}

// mail returns the last mail with its text.
func (p *postbox) mail(t *testing.T) (*mail.Message, string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.got) == 0 {
		t.Fatal("no mail came")
	}
	m, err := mail.ReadMessage(strings.NewReader(p.got[len(p.got)-1]))
	if err != nil {
		t.Fatal(err)
	}
	body := m.Body
	if strings.EqualFold(m.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(m.Body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return m, strings.ReplaceAll(string(text), "\r\n", "\n")
}

// service is a service with a receiver for it.
type service struct {
	name, address string // of the address, HOST stands for the receiver
}

func services() []service {
	return []service{
		{"ntfy", "ntfy://${TOKEN}@HOST/topic"},
		{"slack", "slack://HOST/services/${TOKEN}"},
		{"discord", "discord://HOST/api/webhooks/1/${TOKEN}"},
		{"telegram", "telegram://${TOKEN}@HOST/-100"},
		{"webhook", "http://HOST/in?key=${TOKEN}"},
	}
}

const token = "tk_s3cret/and+more"

// clientOf returns a client that may reach hosts.
func clientOf(t *testing.T, cfg notify.Config, hosts ...string) *notify.Client {
	t.Helper()
	cfg.Hosts = append(cfg.Hosts, hosts...)
	if cfg.Lookup == nil {
		cfg.Lookup = vars(map[string]string{"TOKEN": token})
	}
	c := notify.NewClient(cfg)
	t.Cleanup(c.Close)
	return c
}

// told is a digest of some notices.
func told(notices ...notify.Notice) *notify.Digest {
	for i := range notices {
		if notices[i].At.IsZero() {
			notices[i].At = time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC)
		}
	}
	return &notify.Digest{Notices: notices}
}

// handoff is a notice of somebody who needs a person.
func handoff(said string) notify.Notice {
	return notify.Notice{
		ID: "message:1/rules/0", Who: "team", Kind: notify.KindHandoff, Account: "shop", Peer: 812, Text: "message from @ana: " + said,
		Details: event.Details{Name: "Ana", User: "ana", Said: said, More: []string{said}, Told: []string{said}, Plain: true, Ask: "Answer them.", Do: "nectar conversations give-back {who}"},
	}
}
