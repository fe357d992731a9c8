//go:build unix

package store_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// cut is what befalls a connection when a commit goes over it.
type cut int

const (
	noCut      cut = iota
	lostAnswer     // the server makes the commit, and nobody hears of it
	lostCall       // the server never hears of the commit, and that the connection is gone
	lostBoth       // the server never hears of the commit, but that the connection is gone
	lostHalf       // half of what the commit is made of never arrives, and the server waits for it
)

func (c cut) String() string {
	return [...]string{"nothing", "the answer", "the call, and the end of it", "the call", "a half of the group"}[c]
}

// groupMark is in the first statement of a group.
const groupMark = "\x00w0\x00"

// proxy is the network between a store and the server: connections over it are cut at the worst moments.
type proxy struct {
	listener net.Listener
	socket   string
	mu       sync.Mutex
	cuts     []cut                // of the next commits
	after    func()               // happens after the next lost answer, before anybody can ask
	step     func(message []byte) // is called before each message of a client, once a group has begun; nil: it is not
	held     chan struct{}        // nothing goes on until it is closed; nil: all does
	ran      atomic.Int64         // statements of all clients
	open     map[net.Conn]bool
	running  sync.WaitGroup
}

// newProxy makes a way to a server, and returns it with what a URL becomes on it.
func newProxy(t *testing.T, s *server, url string) (*proxy, string) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, socket: filepath.Join(s.Dir, ".s.PGSQL.5432"), open: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(p.close)
	return p, strings.Replace(url, "postgres://bot@/postgres?host="+s.Dir, fmt.Sprintf("postgres://bot@%s/postgres?sslmode=disable", l.Addr()), 1)
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		var dialer net.Dialer
		server, err := dialer.Dial("unix", p.socket)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.note(client, server)
		c := &cable{proxy: p, client: client, server: server}
		p.running.Go(c.there)
		p.running.Go(c.back)
	}
}

func (p *proxy) note(ends ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		p.open[c] = true
	}
}

// cutNext says what befalls the next commits.
func (p *proxy) cutNext(cuts ...cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts = cuts
}

// injects returns what befalls what a client sends.
func (p *proxy) injects(sent []byte) cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.cuts) == 0 {
		return noCut
	}
	mark := []byte("COMMIT\x00")
	if p.cuts[0] == lostHalf {
		mark = []byte(groupMark)
	}
	if !bytes.Contains(sent, mark) {
		return noCut
	}
	c := p.cuts[0]
	p.cuts = p.cuts[1:]
	return c
}

// then lets something happen after the next lost answer, before anybody can ask.
func (p *proxy) then(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = f
}

func (p *proxy) happens() {
	p.mu.Lock()
	f := p.after
	p.after = nil
	p.mu.Unlock()
	if f != nil {
		f()
	}
}

// hold keeps everything that is on its way until release is called, and says nothing to anybody.
func (p *proxy) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := make(chan struct{})
	p.held = held
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.held == held {
			p.held = nil
			close(held)
		}
	}
}

// pass returns when nothing is held.
func (p *proxy) pass() {
	p.mu.Lock()
	held := p.held
	p.mu.Unlock()
	if held != nil {
		<-held
	}
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	for c := range p.open {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// cable is a connection over the proxy.
type cable struct {
	proxy          *proxy
	client, server net.Conn
	stepped        bool        // a group has begun that somebody steps through
	mute           atomic.Bool // the next answer is lost, and then it is over

	begun bool // the first message, which alone says no kind, has come
	rest  int  // bytes of the message under way that are still to come
	head  []byte
}

// count counts the statements in what a client sends, of which messages may come in pieces.
func (c *cable) count(sent []byte) {
	for len(sent) > 0 {
		if n := min(c.rest, len(sent)); n > 0 {
			sent, c.rest = sent[n:], c.rest-n
			continue
		}
		c.head, sent = append(c.head, sent[0]), sent[1:]
		kind := 0
		if c.begun {
			kind = 1
		}
		if len(c.head) < kind+4 {
			continue
		}
		c.rest = int(binary.BigEndian.Uint32(c.head[kind:])) - 4
		if c.begun && (c.head[0] == 'B' || c.head[0] == 'Q') {
			c.proxy.ran.Add(1)
		}
		c.begun, c.head = true, c.head[:0]
	}
}

func (c *cable) there() {
	sent := make([]byte, 1<<16)
	for {
		n, err := c.client.Read(sent)
		if err != nil {
			_ = c.server.Close()
			return
		}
		c.proxy.pass()
		c.count(sent[:n])
		switch c.proxy.injects(sent[:n]) {
		case lostAnswer:
			c.mute.Store(true)
		case lostCall:
			_ = c.client.Close()
			return
		case lostBoth:
			_, _ = c.client.Close(), c.server.Close()
			return
		case lostHalf:
			_, _ = c.server.Write(sent[:n/2])
			_ = c.client.Close()
			return
		case noCut:
		}
		if err := c.pass(sent[:n]); err != nil {
			_ = c.client.Close()
			return
		}
	}
}

// pass passes messages of a client on: one after another, if somebody wants to see them.
func (c *cable) pass(sent []byte) error {
	c.proxy.mu.Lock()
	step := c.proxy.step
	c.proxy.mu.Unlock()
	if step != nil && bytes.Contains(sent, []byte(groupMark)) {
		c.stepped = true
	}
	for len(sent) > 0 {
		size := len(sent)
		if c.stepped && step != nil {
			size = min(size, 1+int(binary.BigEndian.Uint32(sent[1:]))) // whole ones come: they are short
			step(sent[:size])
		}
		if _, err := c.server.Write(sent[:size]); err != nil {
			return err
		}
		sent = sent[size:]
	}
	return nil
}

// stepThrough lets f see each message of the groups that follow before it is passed on.
func (p *proxy) stepThrough(f func(message []byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step = f
}

func (c *cable) back() {
	got := make([]byte, 1<<16)
	for {
		n, err := c.server.Read(got)
		c.proxy.pass()
		if err == nil && c.mute.Load() {
			c.proxy.happens()
		}
		if err != nil || c.mute.Load() {
			_, _ = c.client.Close(), c.server.Close()
			return
		}
		if _, err := io.Copy(c.client, bytes.NewReader(got[:n])); err != nil {
			return // the server is told by there, or never
		}
	}
}
