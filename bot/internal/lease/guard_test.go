package lease_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/platform"
)

// handClock is a steady clock that a test sets.
type handClock struct{ now atomic.Int64 }

func (c *handClock) clock() lease.Clock {
	return lease.Clock{Steady: func() time.Duration { return time.Duration(c.now.Load()) }, Wall: time.Now}
}

// door is a platform behind a guard.
type door struct {
	*testing.T
	handClock
	guard   *lease.Guard
	server  *httptest.Server
	client  *platform.Client
	arrived atomic.Int32 // requests
}

// newDoor makes a platform behind a guard, with TLS or without.
func newDoor(t *testing.T, secure bool) *door {
	t.Helper()
	d := &door{T: t}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		d.arrived.Add(1)
		_, _ = io.WriteString(w, `{"code":200,"data":{}}`)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	d.server, d.guard = server, lease.NewGuard(d.clock())
	d.client = d.through(d.guard)
	return d
}

// call makes a call, and returns whether something may have left.
func (d *door) call() (sent bool, err error) {
	d.Helper()
	_, err = d.client.LikePost(d.Context(), 410)
	if unreachable, ok := errors.AsType[*platform.Unreachable](err); ok {
		return unreachable.Sent, err
	}
	return true, err
}

// refuses checks that nothing leaves, and that the caller knows it.
func (d *door) refuses() {
	d.Helper()
	before := d.arrived.Load()
	if sent, err := d.call(); sent || !errors.Is(err, lease.ErrShut) || d.arrived.Load() != before {
		d.Errorf("it may have left: %v, %v; %d arrived", sent, err, d.arrived.Load()-before)
	}
}

func (d *door) passes() {
	d.Helper()
	if _, err := d.call(); err != nil {
		d.Error(err)
	}
}

// TestGuard: what leaves, leaves within the lease, over connections that were made before as well.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"in the clear": false, "with TLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDoor(t, secure)
			d.refuses() // nobody has opened it
			d.guard.Open(100)
			d.passes()
			d.passes()
			d.now.Store(100)
			d.refuses()
			d.guard.Open(200)
			d.passes()
			d.guard.Close()
			d.refuses()
			d.guard.Open(300)
			d.passes()
			if late := d.guard.Late(); late.Writes != 0 {
				t.Errorf("late is %+v", late)
			}
		})
	}
}

// TestGuardInTheMiddle: a lease that ends between the look before a request and the socket keeps it back, and whoever sends knows
// whether some of it is gone.
func TestGuardInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		looks  int64 // at the clock that still see the lease
		sent   bool
		secure bool
	}{
		{"before a connection", 1, false, false},
		{"before the request", 2, false, false},
		{"before the greeting of TLS", 2, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDoor(t, c.secure)
			var looks atomic.Int64
			clock := lease.Clock{Steady: func() time.Duration {
				if looks.Add(1) > c.looks {
					return time.Hour
				}
				return 0
			}}
			guard := lease.NewGuard(clock)
			d.client = d.through(guard)
			guard.Open(time.Minute)
			if sent, err := d.call(); sent != c.sent || !errors.Is(err, lease.ErrShut) || d.arrived.Load() != 0 {
				t.Errorf("sent is %v, %v; %d arrived", sent, err, d.arrived.Load())
			}
		})
	}
}

// through returns a client of the platform behind a guard.
func (d *door) through(guard *lease.Guard) *platform.Client {
	d.Helper()
	base := platform.NewTransport()
	base.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	transport := guard.Transport(base, 15*time.Second)
	d.Cleanup(transport.CloseIdleConnections)
	client, err := platform.New(platform.Config{BaseURL: d.server.URL, Transport: transport})
	if err != nil {
		d.Fatal(err)
	}
	return client.WithSession(session{})
}

// session is one that is always good.
type session struct{}

// SessionID implements platform.Authorizer.
func (session) SessionID(context.Context) (platform.Secret, error) { return "a-session", nil }

// Rejected implements platform.Authorizer.
func (session) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

// TestPartOfARequest: of a request of which some has left nobody says that it has not.
func TestPartOfARequest(t *testing.T) {
	t.Parallel()
	var c handClock
	guard := lease.NewGuard(c.clock())
	guard.Open(100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	t.Cleanup(server.Close)
	transport := guard.Transport(platform.NewTransport(), 0)
	t.Cleanup(transport.CloseIdleConnections)
	for name, body := range map[string]io.Reader{
		"some has left": io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<16)), readerFunc(func([]byte) (int, error) { c.now.Store(100); return 0, io.EOF }),
			strings.NewReader(strings.Repeat("x", 1<<16))),
		"none has left": http.NoBody,
	} {
		c.now.Store(0)
		ctx := t.Context()
		if body == http.NoBody {
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { c.now.Store(100) }})
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(r)
		if err == nil {
			_ = resp.Body.Close()
			t.Fatalf("%s: it has left", name)
		}
		if unsent := errors.Is(err, platform.ErrUnsent); unsent != (name == "none has left") {
			t.Errorf("%s: unsent is %v: %v", name, unsent, err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// TestShutCutsOff: when the guard is shut nothing is being written any more, also not to somebody who does not read.
func TestShutCutsOff(t *testing.T) {
	t.Parallel()
	var c handClock
	guard := lease.NewGuard(c.clock())
	guard.Open(100)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	conn, err := guard.WrapDialer(new(net.Dialer).DialContext, time.Second)(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ended, begun := make(chan error), make(chan struct{})
	go func() {
		close(begun)
		for { // until the system takes no more
			if _, err := conn.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	}()
	<-begun
	guard.Close()
	if err := <-ended; err == nil {
		t.Error("it goes on")
	}
	if _, err := conn.Write([]byte("x")); !errors.Is(err, lease.ErrShut) {
		t.Errorf("it is written to: %v", err)
	}
}

// TestLateWrite: a write that was let through and ended after the lease is found out.
func TestLateWrite(t *testing.T) {
	t.Parallel()
	var c handClock
	guard := lease.NewGuard(c.clock())
	guard.Open(100)
	slow := func(context.Context, string, string) (net.Conn, error) { return slowConn{clock: &c}, nil }
	conn, err := guard.WrapDialer(slow, 0)(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	c.now.Store(60)
	for range 2 {
		if _, err := conn.Write([]byte("x")); err != nil {
			t.Error(err)
		}
	}
	if want, got := (lease.Late{Writes: 1, Since: 80, Until: 105}), guard.Late(); got != want {
		t.Errorf("late is %+v, want %+v", got, want)
	}
	if got := guard.Late(); got != (lease.Late{}) {
		t.Errorf("it is told twice: %+v", got)
	}
}

// slowConn is a connection whose writes take a while.
type slowConn struct {
	net.Conn
	clock *handClock
}

// Write takes a while.
func (c slowConn) Write(b []byte) (int, error) {
	at := c.clock.now.Load()
	c.clock.now.Store(at + 20)
	if at == 80 {
		c.clock.now.Store(105)
	}
	return len(b), nil
}

// TestNoGuard: without a guard everything leaves.
func TestNoGuard(t *testing.T) {
	t.Parallel()
	var guard *lease.Guard
	guard.Close()
	guard.Open(0)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	transport := guard.Transport(platform.NewTransport(), time.Second)
	t.Cleanup(transport.CloseIdleConnections)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(r)
	if err != nil || !guard.IsOpen() {
		t.Fatal(err, guard.IsOpen())
	}
	_ = resp.Body.Close()
}

func BenchmarkGuard(b *testing.B) {
	guard := lease.NewGuard(lease.SystemClock())
	guard.Open(1 << 62)
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			_ = guard.Check()
		}
	})
	for name, g := range map[string]*lease.Guard{"write": guard, "write without": nil} {
		b.Run(name, func(b *testing.B) {
			conn, err := g.WrapDialer(func(context.Context, string, string) (net.Conn, error) { return nothing{}, nil }, 0)(b.Context(), "", "")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				_, _ = conn.Write(nil)
			}
		})
	}
}

type nothing struct{ net.Conn }

// Write does nothing.
func (nothing) Write(b []byte) (int, error) { return len(b), nil }
