package bot_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// repeats is a route that repeats what people say, and a timer that reminds them.
func repeats() []bot.Route {
	return []bot.Route{
		bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			t.After(time.Hour, "remind")
			return t.Reply("you said: " + t.Event.Text)
		}),
		bot.On("remind", bot.Timer("remind"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Reply("still there?") }),
	}
}

// An account that comes while the bot runs is answered as any other one; one that goes is not answered, and when it comes back,
// goes on where it was: in the same incarnation, after another one, and after a crash.
func TestAccountsComeAndGo(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, between := range map[string]func(w *bottest.World){
		"at once":         func(*bottest.World) {},
		"in another life": func(w *bottest.World) { w.Restart() },
		"after a crash":   func(w *bottest.World) { w.Crash() },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: repeats(), Accounts: []event.Account{"shop"}}, func(w *bottest.World) {
				cafe := w.AddAccount("cafe")
				w.Advance(time.Minute)
				ana, leo := cafe.Person("ana"), w.Person("leo")
				ana.Says("one")
				ana.Expects("you said: one")
				w.RemoveAccount("cafe")
				ana.Says("two")
				leo.Says("hello")
				leo.Expects("you said: hello")
				ana.ExpectsNothing(3 * time.Minute)
				between(w)
				ana.Says("three")
				w.AddAccount("cafe")
				ana.Expects("you said: two", "you said: three")
				w.Advance(time.Hour)
				ana.Expects("still there?")
				ana.ExpectsNothing(5 * time.Hour)
			})
		})
	}
}

// A timer that comes due while its account is gone waits for it, as one of which an earlier program knew.
func TestTimerOfAnAccountThatIsGone(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	bottest.Run(t, bottest.Config{Routes: repeats(), Accounts: []event.Account{"shop", "cafe"}}, func(w *bottest.World) {
		ana := w.Account("cafe").Person("ana")
		ana.Says("one")
		ana.Expects("you said: one")
		w.RemoveAccount("cafe")
		ana.ExpectsNothing(2 * time.Hour)
		w.AddAccount("cafe")
		ana.Expects("still there?")
		ana.ExpectsNothing(2 * time.Hour)
	})
}

// What is under way when an account goes ends, and is stored; what waits for the pace leaves when the account is back.
func TestWhatIsUnderWayWhenAnAccountGoes(t *testing.T) {
	t.Parallel()
	cfg := bottest.Config{Routes: repeats(), Accounts: []event.Account{"shop", "cafe"}, Latency: time.Second, Bot: bot.Config{
		PollInterval: 5 * time.Second, Pace: &event.Pace{Account: event.Rate{PerSecond: 0.1, Burst: 1}},
	}}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Account("cafe").Person("ana")
		for i := range 5 {
			ana.Says(fmt.Sprint(i))
		}
		ana.Expects("you said: 0")
		w.RemoveAccount("cafe")
		ana.ExpectsNothing(10 * time.Minute)
		w.AddAccount("cafe")
		for i := range 4 {
			ana.Expects(fmt.Sprint("you said: ", i+1))
		}
		ana.ExpectsNothing(30 * time.Minute)
	})
}

// A handler that does not return in time is left behind, and what it decides is not taken: the next term decides.
func TestAHandlerThatHangsWhenItsAccountGoes(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	var hang, hung chan struct{}
	first := true
	cfg := bottest.Config{Before: func(*bottest.World) { hang, hung = make(chan struct{}), make(chan struct{}) }, Routes: []bot.Route{on("hi", func(_ context.Context, t *bot.Turn) error {
		if first {
			first = false
			<-hang
			defer close(hung)
			return t.Reply("too late")
		}
		return t.Reply("in time")
	})}}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		w.AddAccount("other") // or nothing is left
		ana.Says("hi")
		w.Advance(10 * time.Second)
		w.RemoveAccount("bot")
		w.AddAccount("bot")
		close(hang)
		<-hung
		ana.Expects("in time")
		ana.ExpectsNothing(time.Hour)
	})
}

// Who cannot come, or go, is told why.
func TestTermErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLameBot(t)
		fine := bot.Account{Name: "third", BaseURL: "https://social.example/api", Credentials: session.Credentials{Email: "third@b.example", Password: "secret"}}
		same, twin, nobody := fine, fine, fine
		same.Name, nobody.Email = "first", ""
		check := func(name string, err error, is func(error) bool) {
			t.Helper()
			if !is(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		served := func(other event.Account) func(error) bool {
			return func(err error) bool { e, ok := errors.AsType[*bot.ServedError](err); return ok && e.Other == other }
		}
		ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		<-l.Ready()
		check("a name twice", l.Add(same), served("first"))
		check("nobody", l.Add(nobody), func(err error) bool { return err != nil })
		check("not there", l.Remove("third"), func(err error) bool { return errors.Is(err, bot.ErrNotServed) })
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		twin.Email = "second@b.example"
		check("after the end", l.Add(fine), func(err error) bool { return errors.Is(err, bot.ErrStopped) })
		check("after the end", l.Remove("first"), func(err error) bool { return errors.Is(err, bot.ErrStopped) })
	})
}

// Accounts come and go at any moment, while people write, requests are cut and the bot crashes: every word is answered once.
func TestAccountsComeAndGoAtAnyMoment(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			effort.Case(t)
			r := rand.New(rand.NewPCG(seed, 14))
			cfg := bottest.Config{
				Routes: repeats()[:1], Accounts: []event.Account{"shop", "cafe"}, Platform: emulator.Config{Seed: seed, Faults: emulator.Rough()},
				Bot: bot.Config{PollInterval: 3 * time.Second, Pace: &event.Pace{}, Ceiling: bot.Ceiling{Max: -1}}, Patience: 3 * time.Hour,
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				people := []*bottest.Person{w.Account("cafe").Person("ana"), w.Account("cafe").Person("leo")}
				w.Advance(time.Minute)
				said := make([][]string, len(people))
				for i := range 40 {
					who := r.IntN(len(people))
					words := fmt.Sprintf("word %d", i)
					people[who].Says(words)
					said[who] = append(said[who], "you said: "+words)
					w.Advance(time.Duration(r.Int64N(int64(4 * time.Second))))
					switch r.IntN(4) {
					case 0:
						w.RemoveAccount("cafe")
						w.Advance(time.Duration(r.Int64N(int64(20 * time.Second))))
						w.AddAccount("cafe")
					case 1:
						if r.IntN(4) == 0 {
							w.Crash()
						}
					}
				}
				w.Faults(emulator.Faults{})
				for i, p := range people {
					p.Expects(said[i]...)
					p.ExpectsNothing(time.Hour)
				}
			})
		})
	}
}

// Who carries on for an account does not act faster than the one before might have, and leaves the platform alone for as long as
// that one was asked to: over a restart, and when the account goes and comes back.
func TestChangeOfHandsGrantsNoBurst(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *bottest.World){
		"restart":       func(w *bottest.World) { w.Restart() },
		"goes, returns": func(w *bottest.World) { w.RemoveAccount("cafe"); w.AddAccount("cafe") },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var peace atomic.Bool // the platform asks for five minutes of it
			cfg := bottest.Config{Routes: repeats()[:1], Accounts: []event.Account{"shop", "cafe"}, Transport: func(next http.RoundTripper) http.RoundTripper {
				return trip(func(r *http.Request) (*http.Response, error) {
					if !peace.Load() || !strings.HasSuffix(r.URL.Path, "send_message") {
						return next.RoundTrip(r)
					}
					return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"300"}}, Body: http.NoBody, Request: r}, nil
				})
			}, Bot: bot.Config{
				PollInterval: time.Second, Pace: &event.Pace{Account: event.Rate{PerSecond: 1.0 / 60, Burst: 3}},
			}}
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Account("cafe").Person("ana")
				for i := range 3 {
					ana.Says(fmt.Sprint(i))
					ana.Expects(fmt.Sprint("you said: ", i))
				}
				change(w)
				ana.Says("more")
				ana.ExpectsNothing(50 * time.Second)
				ana.Expects("you said: more")

				w.Advance(10 * time.Minute)
				peace.Store(true)
				ana.Says("too fast")
				w.Advance(10 * time.Second)
				peace.Store(false)
				change(w)
				ana.ExpectsNothing(4*time.Minute + 30*time.Second)
				ana.Expects("you said: too fast")
			})
		})
	}
}

// A process that keeps everything back, since it has no lease, says so elsewhere: not as if the platform were gone. It goes on as
// soon as it may.
func TestWhatIsKeptBack(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	var shut atomic.Bool
	cfg := bottest.Config{Routes: repeats()[:1], Bot: bot.Config{PollInterval: time.Second}, Transport: func(next http.RoundTripper) http.RoundTripper {
		return trip(func(r *http.Request) (*http.Response, error) {
			if !shut.Load() {
				return next.RoundTrip(r)
			}
			if r.Body != nil {
				_ = r.Body.Close() // as a transport does
			}
			return nil, fmt.Errorf("there is no lease: %w", platform.ErrUnsent)
		})
	}}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one")
		ana.Expects("you said: one")
		shut.Store(true)
		ana.Says("two")
		ana.ExpectsNothing(30 * time.Minute)
		shut.Store(false)
		said := time.Now()
		ana.Expects("you said: two")
		if took := time.Since(said); took > 10*time.Second {
			t.Errorf("it went on after %v", took)
		}
		if log := w.Log(); strings.Contains(log, "polling fails") || strings.Contains(log, "takes no actions") || strings.Contains(log, "no new session") {
			t.Errorf("the log blames the platform:\n%s", log)
		}
	})
}

// Of two accounts that are the same person on the platform the second one works when the first one has gone.
func TestTheSecondOfTwoNames(t *testing.T) {
	t.Parallel()
	cfg := bottest.Config{
		Routes: repeats()[:1], Accounts: []event.Account{"one", "two"}, Bot: bot.Config{PollInterval: time.Second},
		Before: func(w *bottest.World) { w.Platform().SetOAuth(w.Account("one").ID(), "google", "token") },
		Credentials: func(name event.Account) session.Credentials {
			if name == "two" {
				return session.Credentials{OAuthType: "google", OAuthToken: "token"}
			}
			return session.Credentials{Email: "one@example.com", Password: "correct horse"}
		},
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana, leo := w.Account("one").Person("ana"), w.Account("one").Person("leo")
		ana.Says("both are there")
		ana.Expects("you said: both are there")
		ana.ExpectsNothing(5 * time.Minute)
		w.RemoveAccount("one")
		leo.Says("the second one is there")
		leo.Expects("you said: the second one is there")
		leo.ExpectsNothing(5 * time.Minute)
	})
}
