package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// delayed is a network on which each message is under way for as long as the clock says.
func delayed(next http.RoundTripper, pause func(now time.Time) time.Duration) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/send_message") {
			time.Sleep(pause(time.Now()))
		}
		return next.RoundTrip(r)
	})
}

// double is another process on the account of a world, with a database and a log of its own.
type double struct {
	store *store.Database
	log   *logbook
	stop  func()
}

// process starts another process on the account of w, whose messages are under way for so long.
func process(t *testing.T, w *bottest.World, pause func(now time.Time) time.Duration, cfg bot.Config, routes ...bot.Route) double {
	t.Helper()
	return processOn(t, w, pause, cfg, func(*store.Database) {}, routes...)
}

// processOn is process with a database that is changed before.
func processOn(
	t *testing.T, w *bottest.World, pause func(now time.Time) time.Duration, cfg bot.Config, change func(*store.Database), routes ...bot.Route,
) double {
	t.Helper()
	d := double{log: &logbook{}}
	pipe := emulator.NewPipe(w.Platform())
	var err error
	if d.store, err = store.Open(context.WithoutCancel(t.Context()), store.Options{Path: t.TempDir() + "/double.db", Fast: true}); err != nil {
		t.Fatal(err)
	}
	change(d.store)
	if cfg.Router, err = bot.NewRouter(bot.RouterConfig{Routes: routes}); err != nil {
		t.Fatal(err)
	}
	cfg.Store, cfg.Transport, cfg.Log = d.store, delayed(pipe.Transport(), pause), d.log.logger()
	cfg.Accounts = []bot.Account{{
		Name: "bot", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@example.com", Password: "correct horse"},
	}}
	b, err := bot.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	w.Advance(10 * time.Second)
	d.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_, _ = pipe.Close(), d.store.Close()
	}
	return d
}

// between lets messages be under way for about a second. Another salt is another time.
func between(salt int64) func(time.Time) time.Duration {
	return func(now time.Time) time.Duration {
		return 900*time.Millisecond + time.Duration((now.UnixNano()/1000*salt)%797)*time.Millisecond
	}
}

// logbook is the log of a bot.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// heard returns what the account has said to each of people since a position of the ledger.
func heard(w *bottest.World, since int64, people ...*bottest.Person) (times []int) {
	times = make([]int, len(people))
	for _, e := range w.Platform().Ledger().Since(since) {
		for i, p := range people {
			if e.Kind == emulator.Arrived && e.To == p.ID() {
				times[i]++
			}
		}
	}
	return times
}

// visitors lets so many new people ask, one after another.
func visitors(w *bottest.World, name string, n int, pause time.Duration) []*bottest.Person {
	people := make([]*bottest.Person, n)
	for i := range people {
		people[i] = w.Person(fmt.Sprint(name, i))
		people[i].Says("are you open?")
		w.Advance(pause)
	}
	return people
}

var hours = bot.On("hours", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
	return t.Reply("We are open from 9 to 5.")
})

const (
	saysStopped = "this one has stopped by itself"
	saysGoesOn  = "this one goes on, the other one should stop by itself"
)

// Two processes with two databases answer on one account. After three doubles, one of them stops, and the other goes on.
func TestTwoBotsOnOneAccount(t *testing.T) {
	t.Parallel()
	for seed := int64(1); seed <= 20; seed++ {
		if !effort.Sampled(int(seed)) || testing.Short() && seed > 10 {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			effort.Case(t)
			cfg := bottest.Config{
				Routes: []bot.Route{hours}, Bot: bot.Config{PollInterval: 250 * time.Millisecond},
				Transport: func(next http.RoundTripper) http.RoundTripper { return delayed(next, between(31*seed)) },
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				other := process(t, w, between(57*seed), bot.Config{PollInterval: 250 * time.Millisecond}, hours)
				defer func() { other.stop() }()
				early := visitors(w, "early", 6, 40*time.Second)
				w.Advance(2 * time.Minute)
				since := w.Platform().Ledger().Len()
				late := visitors(w, "late", 10, 20*time.Second)
				w.Advance(5 * time.Minute)
				t.Log(heard(w, 0, early...), heard(w, since, late...))
				for i, n := range heard(w, since, late...) {
					if n != 1 {
						t.Errorf("late %d was answered %d times", i, n)
					}
				}
				ours, theirs := w.Log(), other.log.String()
				if strings.Contains(ours, saysStopped) == strings.Contains(theirs, saysStopped) {
					t.Errorf("not exactly one has stopped:\n%s\n%s", tail(ours), theirs)
				}
				if strings.Contains(ours, saysGoesOn) == strings.Contains(theirs, saysGoesOn) {
					t.Errorf("not exactly one says that it goes on:\n%s\n%s", tail(ours), theirs)
				}
			})
		})
	}
}

// An owner who sends prepared replies, with the very words of the bot, stops nothing: neither after the bot's answers
// nor before them, nor while they wait for their turn. At a person's speed nothing is told, either.
func TestOwnerWithSavedReplies(t *testing.T) {
	t.Parallel()
	const people = 20
	type told func(p *bottest.Person)
	says := func(w *bottest.World, i int) *bottest.Person {
		p := w.Person(fmt.Sprint("guest", i))
		p.Says("are you open?")
		return p
	}
	after := func(pause time.Duration) func(w *bottest.World, tells told) {
		return func(w *bottest.World, tells told) {
			for i := range people {
				p := says(w, i)
				p.Hears()
				w.Advance(pause + time.Duration(i%7)*pause/4)
				tells(p)
			}
		}
	}
	rush := func(pause time.Duration, backwards bool) func(w *bottest.World, tells told) {
		return func(w *bottest.World, tells told) {
			all := make([]*bottest.Person, people)
			for i := range all {
				all[i] = says(w, i)
			}
			for i := range all {
				w.Advance(pause)
				if backwards {
					i = people - 1 - i
				}
				tells(all[i])
			}
		}
	}
	for _, c := range []struct {
		name string
		play func(w *bottest.World, tells told)
		fast bool // faster than anybody writes by hand
	}{
		{"each after the answer", after(6 * time.Second), false},
		{"each just after the answer", after(500 * time.Millisecond), true},
		{"each before the question was read", func(w *bottest.World, tells told) {
			for i := range people {
				tells(says(w, i))
				w.Advance(20 * time.Second)
			}
		}, false},
		{"all", rush(6*time.Second, false), false},
		{"all fast", rush(2*time.Second, false), true},
		{"all backwards", rush(6*time.Second, true), false},
		{"all fast backwards", rush(2*time.Second, true), true},
	} {
		for _, interval := range []time.Duration{250 * time.Millisecond, 5 * time.Second} {
			if effort.Few() && interval < time.Second {
				continue
			}
			t.Run(fmt.Sprint(c.name, ", polled each ", interval), func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{Routes: []bot.Route{hours}, Bot: bot.Config{PollInterval: interval}}, func(w *bottest.World) {
					c.play(w, func(p *bottest.Person) { w.Account("bot").Tells(p, "We are open from 9 to 5.") })
					w.Advance(10 * time.Minute)
					ana := w.Person("ana")
					ana.Says("are you open?")
					ana.Expects("We are open from 9 to 5.")
					if told := tail(w.Log()); strings.Contains(told, saysStopped) || told != "" && !c.fast {
						t.Errorf("it tells of another bot:\n%s", told)
					}
				})
			})
		}
	}
}

// What a platform delivers twice is no other bot's: whatever it answers, the bot goes on.
func TestPlatformThatDeliversTwice(t *testing.T) {
	t.Parallel()
	for _, second := range []bool{false, true} { // which of the two answers the bot gets
		t.Run(fmt.Sprint(second), func(t *testing.T) {
			effort.Case(t)
			twice := func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if !strings.HasSuffix(r.URL.Path, "/send_message") {
						return next.RoundTrip(r)
					}
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return nil, err
					}
					var answers [2]*http.Response
					for i := range answers {
						again := r.Clone(r.Context())
						again.Body = io.NopCloser(bytes.NewReader(body))
						if answers[i], err = next.RoundTrip(again); err != nil {
							return nil, err
						}
					}
					return answers[map[bool]int{true: 1}[second]], nil
				})
			}
			cfg := bottest.Config{Routes: []bot.Route{hours}, Transport: twice}
			bottest.Run(t, cfg, func(w *bottest.World) {
				people := visitors(w, "guest", 30, 15*time.Second)
				w.Advance(10 * time.Minute)
				for i, n := range heard(w, 0, people...) {
					if n != 2 {
						t.Errorf("guest %d got %d answers", i, n)
					}
				}
				if n := strings.Count(w.Log(), saysStopped); n > 1 {
					t.Errorf("it has stopped %d times:\n%s", n, tail(w.Log()))
				}
			})
		})
	}
}

// An older copy of the database, put back, knows nothing of what was said since it was made: that is no other bot.
func TestOlderCopyIsNoRival(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{hours}}, func(w *bottest.World) {
		w.Stop()
		copied, err := os.ReadFile(w.Database())
		if err != nil {
			t.Fatal(err)
		}
		w.Start()
		people := visitors(w, "guest", 8, 3*time.Second)
		w.Advance(time.Minute)
		w.Stop()
		if err := errors.Join(os.WriteFile(w.Database(), copied, 0o600), os.RemoveAll(w.Database()+"-wal")); err != nil {
			t.Fatal(err)
		}
		w.Start()
		w.Advance(10 * time.Minute)
		for i, n := range heard(w, 0, people...) {
			t.Logf("guest %d got %d answers", i, n)
		}
		if told := tail(w.Log()); strings.Contains(told, "another bot") {
			t.Errorf("it tells of another bot:\n%s", told)
		}
	})
}

// tail returns the warnings of a log.
func tail(log string) (lines string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			lines += line
		}
	}
	return lines
}
