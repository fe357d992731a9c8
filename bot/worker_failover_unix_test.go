//go:build unix

package bot_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// must ends a test over an error.
func (w *works) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// careful returns how many accounts have begun with care.
func (w *works) careful(st bot.Store) (n int) {
	w.t.Helper()
	for i := range w.accounts {
		c, err := bot.CarefulStartOf(w.t.Context(), st, w.accounts[i].Name)
		w.must(err)
		if !c.Began.IsZero() {
			n++
		}
	}
	return n
}

// A standby takes over, and the workers have died with the server before it: nobody is left who knows of a commit that it lacks. The next ones begin with
// care where commits did not wait for it, and go on where it was where they did. Nothing is answered twice.
func TestWorkersDieWithTheirServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	for _, waits := range []bool{false, true} {
		for _, takeover := range []time.Duration{0, -1} {
			t.Run(fmt.Sprint("commits wait ", waits, ", takeover ", takeover), func(t *testing.T) {
				effort.Case(t)
				w := newWorks(t, 4)
				w.takeover = takeover
				standby := w.standby(waits)
				a, b := w.hand("a"), w.hand("b")
				w.quiesce()
				w.say("before")
				w.answered("both work")
				if !waits {
					w.must(standby.End(syscall.SIGINT))
				}
				w.say("of which an asynchronous standby does not hear")
				w.answered("the last ones")
				w.must(w.server.Kill())
				a.over()
				b.over()
				if !waits {
					w.must(standby.Start())
				}
				w.must(standby.Promote(t.Context()))
				w.url = standby.URL("")
				c := w.hand("c")
				w.say("after")
				w.answered("another server has taken over")
				want := len(w.accounts)
				if waits {
					want = 0
				}
				if n := w.careful(c.store); n != want {
					t.Errorf("%d accounts have begun with care, want %d", n, want)
				}
				c.over()
				// The next incarnation finds nothing new.
				d := w.hand("d")
				w.say("once more")
				w.answered("nothing has happened")
				if back, is := d.store.LastRestored(); is == waits || is && back.Sign != record.CarefulFailover {
					t.Errorf("it has gone back: %v, %+v", is, back)
				}
			})
		}
	}
}

// standby makes a standby of the server, for which commits wait or not.
func (w *works) standby(waits bool) *pgserver.Server {
	w.t.Helper()
	s, err := w.server.Standby()
	w.must(err)
	w.t.Cleanup(s.Stop)
	if waits {
		w.must(w.server.WaitForStandby(w.t.Context()))
	}
	return s
}

// A worker dies with its server; another one has lost nothing of its own, and takes its accounts over: with care, while it goes on with its own as
// before, and begins without care the next time.
func TestTakeoverAfterAFailover(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 6)
	w.takeover = -1
	standby := w.standby(false)
	w.url = w.server.URL("," + standby.Dir + "&target_session_attrs=read-write")
	a, b := w.hand("a"), w.hand("b")
	w.quiesce()
	for began := time.Now(); len(a.bot.Health()) == 0 || len(b.bot.Health()) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("they do not share the accounts")
		}
	}
	w.say("before")
	w.answered("both work")
	w.must(w.server.End(syscall.SIGINT)) // the standby has all of it
	a.over()
	w.must(standby.Promote(t.Context()))
	w.say("after")
	w.answered("the other one has taken over")
	n := w.careful(b.store)
	if n == 0 || n == len(w.accounts) {
		t.Errorf("%d accounts have begun with care, of %d", n, len(w.accounts))
	}
	w.outlived(b)
	b.over()
	c := w.hand("c")
	w.say("once more")
	w.answered("there is another one")
	if now := w.careful(c.store); now != n {
		t.Errorf("%d accounts have begun with care, and %d before", now, n)
	}
}

// Whoever takes accounts over looks first on which server the database lives, however short ago that was looked at.
func TestTakeLooksAtTheServer(t *testing.T) {
	t.Parallel()
	w := newWorks(t, 1)
	ctx, stop := context.WithCancel(t.Context())
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: w.url, Key: secretKey})
	w.must(err)
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeating()})
	w.must(err)
	b, err := bot.New(bot.Config{MayBeIdle: true, Store: st, Router: router, PollInterval: 200 * time.Millisecond})
	w.must(err)
	holder := bot.NewHolder(w.of)
	holder.Use(b)
	ran := make(chan error, 1)
	go func() { ran <- b.Run(ctx) }()
	<-b.Ready()
	shards := []lease.Holding{{Shard: w.accounts[0].Name.Shard()}}
	holder.TakeShards(ctx, shards)
	w.quiesce()
	_, err = holder.Release(ctx, shards[0].Shard)
	w.must(err)
	w.must(w.server.Exec(ctx, `UPDATE meta SET value = jsonb_set(value::jsonb, '{timeline}', '"00000009"')::text WHERE key = 'server'`))
	holder.TakeShards(ctx, shards)
	if n := w.careful(st); n != 1 {
		t.Errorf("%d accounts have begun with care", n)
	}
	stop()
	w.must(<-ran)
	w.must(st.Close())
}

// outlived waits until all accounts of a worker know that its database has gone back.
func (w *works) outlived(h *hand) {
	w.t.Helper()
	back, _ := h.store.LastRestored()
	for i := range w.accounts {
		for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			c, err := bot.CarefulStartOf(w.t.Context(), h.store, w.accounts[i].Name)
			w.must(err)
			if c.Mark.Equal(back.At) {
				break
			}
			if time.Since(began) > 30*time.Second {
				w.t.Fatalf("%s goes by %+v, not by %+v", w.accounts[i].Name, c, back)
			}
		}
	}
}

// commonLog takes lines of the log of several workers.
type commonLog struct {
	mu  sync.Mutex // guards the field below
	all []string
}

// Write takes a line.
func (l *commonLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(line))
	return len(line), nil
}

// text returns all of it.
func (l *commonLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "")
}

// Workers that have lost something by a failover begin anew by themselves, with care: nobody is called at night. Each word is answered once.
func TestWorkersOutliveAFailover(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 4)
	log := &commonLog{}
	w.log = slog.New(slog.NewTextHandler(log, nil))
	standby := w.standby(false)
	w.url = w.server.URL("," + standby.Dir + "&target_session_attrs=read-write")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	begun := make(chan *bot.Working, 20)
	a, b := w.run(ctx, "a", func(l *bot.Working) { begun <- l }), w.run(ctx, "b", func(l *bot.Working) { begun <- l })
	<-begun
	<-begun
	w.quiesce()
	w.say("before")
	w.answered("both work")
	w.must(standby.End(syscall.SIGINT))
	w.say("of which the standby does not hear")
	w.answered("the standby is away")
	w.must(w.server.Kill())
	w.must(standby.Start())
	w.must(standby.Promote(ctx))
	w.say("after")
	w.answered("another server has taken over")
	for began := time.Now(); !strings.Contains(log.text(), "sign=failover"); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("nobody is told:\n%s", log.text())
		}
	}
	stop()
	for _, ended := range []<-chan error{a, b} {
		w.must(<-ended)
	}
	if text := log.text(); !strings.Contains(text, "this worker begins anew, with care") {
		t.Errorf("the log is\n%s", text)
	}
	board, err := board.Open(t.Context(), w.url, board.Options{Looks: true})
	w.must(err)
	defer func() { _ = board.Close() }()
	if lost, _, err := board.LostCommits(t.Context()); lost != nil || err != nil {
		t.Errorf("a person has to accept %+v, %v", lost, err)
	}
}

// A copy of the database on another server answers nothing: the original may be alive. A worker that finds one under it ends.
func TestWorkersOnAnotherServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 2)
	ctx := t.Context()
	a := w.hand("a")
	w.quiesce()
	w.say("before")
	w.answered("on the first server")
	other, err := pgserver.New(pgserver.Options{Careless: true, Copy: w.server.Dir})
	w.must(err)
	t.Cleanup(other.Stop)
	w.say("behind the copy")
	w.answered("on the first server")
	a.over()
	first := w.url
	w.url = other.URL("")
	if err := <-w.run(ctx, "c", func(*bot.Working) { t.Error("it serves") }); !errors.Is(err, record.ErrOtherServer) {
		t.Errorf("it ends with %v", err)
	}
	w.url = first
	b := w.hand("b") // the original goes on
	w.say("still there")
	w.answered("on the first server")
	b.over()

	w.url = other.URL("")
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: w.url, Key: secretKey, Restored: &record.Restored{At: time.Now(), Sign: record.CarefulSaid}})
	w.must(err)
	w.must(st.Close())
	c := w.hand("c")
	w.say("on the other one")
	w.answered("somebody has said so")
	if n := w.careful(c.store); n != len(w.accounts) {
		t.Errorf("%d accounts have begun with care", n)
	}
}
