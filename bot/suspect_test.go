package bot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// reaper lets the process die by what a handler does.
type reaper struct {
	dying  atomic.Bool
	starts int

	refuses int32        // so many commits of each start after a death
	refused atomic.Int32 // those that are left of this one
}

// kill is called by a handler that ends the process.
func (r *reaper) kill(ctx context.Context) error {
	r.dying.Store(true)
	<-ctx.Done()
	return ctx.Err()
}

// pass lets time pass, and starts the bot again whenever its process has died.
func (r *reaper) pass(w *bottest.World, d time.Duration) {
	for over := time.Now().Add(d); time.Now().Before(over); {
		w.Advance(20 * time.Millisecond)
		for r.dying.Load() && time.Now().Before(over) { // a loop of crashes has an end here
			w.CrashStop()
			r.dying.Store(false)
			r.starts++
			r.refused.Store(r.refuses)
			w.Start()
		}
	}
}

// poisonous is a bot some of whose handlers end the process.
func poisonous(r *reaper) bottest.Config {
	return bottest.Config{
		Routes: []bot.Route{
			bot.On("poison", bot.AnyMessage().Where(func(m event.Message) bool { return strings.HasPrefix(m.Text, "poison") }),
				func(ctx context.Context, _ *bot.Turn, _ event.Message) error { return r.kill(ctx) }),
			on("remind me", func(_ context.Context, t *bot.Turn) error {
				t.SetTimer("reminder", t.Now.Add(time.Minute), nil)
				return t.Reply("I will")
			}),
			bot.On("reminder", bot.Timer("reminder"), func(ctx context.Context, _ *bot.Turn, _ event.Timer) error { return r.kill(ctx) }),
			bot.On("told", bot.Asked("fall"), func(ctx context.Context, _ *bot.Turn, _ event.Told) error { return r.kill(ctx) }),
			on("slowly", func(ctx context.Context, t *bot.Turn) error {
				select {
				case <-time.After(7 * time.Second):
				case <-ctx.Done():
					return ctx.Err()
				}
				return r.kill(ctx)
			}),
			on("profile", func(ctx context.Context, t *bot.Turn) error {
				if _, err := t.Profile(ctx); err != nil {
					return err
				}
				return t.Reply("I know you")
			}),
			echo().Ordered(1),
		},
		Bot: bot.Config{PollInterval: time.Second, Pace: fast(), Ceiling: bot.Ceiling{Max: -1}},
	}
}

// quarantines returns what is quarantined, by its id, with the reason.
func quarantines(t *testing.T, w *bottest.World) map[string]event.Reason {
	t.Helper()
	found := map[string]event.Reason{}
	w.Inspect(func(d inspect.Inspector) {
		events, err := d.Events(context.Background(), record.EventQuery{Account: "bot", State: "quarantined", Limit: 99})
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			found[events[i].Text] = events[i].Record.Why
		}
		timers, err := d.Timers(context.Background(), record.TimerQuery{Account: "bot", State: record.TimerQuarantined, Until: time.Now(), Limit: 99})
		if err != nil {
			t.Fatal(err)
		}
		for i := range timers {
			found[timers[i].Name] = timers[i].Why
		}
	})
	return found
}

// waitedLongerThan returns how many answers came later than that, to what begins so.
func waitedLongerThan(w *bottest.World, prefix string, d time.Duration) (n int) {
	asked := map[string]time.Time{}
	for _, e := range w.Platform().Ledger().Since(0) {
		switch {
		case !strings.HasPrefix(e.Text, prefix):
		case e.Kind == emulator.Said:
			asked[e.Text] = e.At
		case e.Kind == emulator.Arrived && e.At.Sub(asked[e.Text]) > d:
			n++
		}
	}
	return n
}

// longest returns how long somebody waited for an answer at most, of those who said something that begins so, and that all of them had one.
func longest(t *testing.T, w *bottest.World, prefix string, want int) (most time.Duration) {
	t.Helper()
	asked, answered := map[string]time.Time{}, map[string]int{}
	for _, e := range w.Platform().Ledger().Since(0) {
		switch {
		case !strings.HasPrefix(e.Text, prefix):
		case e.Kind == emulator.Said:
			asked[e.Text] = e.At
		case e.Kind == emulator.Arrived:
			answered[e.Text]++
			most = max(most, e.At.Sub(asked[e.Text]))
		}
	}
	for text := range asked {
		if answered[text] != 1 {
			t.Errorf("%q was answered %d times", text, answered[text])
		}
	}
	if len(answered) != want {
		t.Errorf("%d of %d were answered", len(answered), want)
	}
	return most
}

// A handler that ends the process is tried five times alone, and set aside: by an event that is in memory alone, a timer, and what somebody asks of the
// program. A hundred others beside it have their answers, once, within a minute, and nothing of theirs is set aside.
func TestPoisonThatEndsTheProcess(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]func(w *bottest.World, mal *bottest.Person){
		"event": func(_ *bottest.World, mal *bottest.Person) { mal.Says("poison") },
		"timer": func(_ *bottest.World, mal *bottest.Person) {
			mal.Says("remind me")
			time.Sleep(59500 * time.Millisecond)
		},
		"request": func(w *bottest.World, _ *bottest.Person) {
			w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "fall"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			r := &reaper{}
			bottest.Run(t, poisonous(r), func(w *bottest.World) {
				mal := w.Person("mal")
				var others []*bottest.Person
				for i := range 100 {
					others = append(others, w.Person(fmt.Sprint("guest", i)))
				}
				for i, p := range others[:50] {
					p.Says(fmt.Sprint("hello ", i))
				}
				poison(w, mal)
				for i, p := range others[50:] {
					p.Says(fmt.Sprint("hello ", 50+i))
				}
				r.pass(w, 3*time.Minute)
				if r.starts < 5 || r.starts > 8 {
					t.Errorf("the bot was started %d times", r.starts)
				}
				if most := longest(t, w, "hello", 100); most > time.Minute {
					t.Errorf("others waited for up to %v", most)
				}
				found := quarantines(t, w)
				switch why := event.Because("crash.repeated", "tries", "5"); name {
				case "request":
					if len(found) != 0 {
						t.Errorf("quarantined: %v", found)
					}
					w.Inspect(func(d inspect.Inspector) {
						turns, err := d.OwnTurns(context.Background(), "bot", 9)
						if err != nil || len(turns) != 1 || turns[0].Turn.Record.Why != why || turns[0].Turn.Record.Outcome != "quarantined" {
							t.Errorf("%v: %+v", err, turns)
						}
					})
				default:
					if len(found) != 1 || found["poison"]+found["reminder"] != why {
						t.Errorf("quarantined: %v", found)
					}
					w.Inspect(func(d inspect.Inspector) {
						notices, err := d.Unsent(context.Background(), 99)
						told := 0
						for i := range notices {
							if notices[i].Kind == event.CallQuarantine {
								told++
							}
						}
						if err != nil || told != 1 {
							t.Errorf("people were called %d times: %v", told, err)
						}
					})
				}
				// Who lets it be tried again gets as many tries, in the same incarnation, too.
				if name == "event" {
					before := r.starts
					w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: mal.ID()}, Wish: event.WishRetry})
					r.pass(w, 2*time.Minute)
					if n := r.starts - before; n < 5 || n > 8 || len(quarantines(t, w)) != 1 {
						t.Errorf("after that it was started %d times, and %v is quarantined", n, quarantines(t, w))
					}
				}
				// What follows runs beside the others again, and a clean start is one like any other.
				mal.Says("next")
				r.pass(w, 5*time.Second)
				w.Restart()
				mal.Says("again")
				r.pass(w, 5*time.Second)
				for _, text := range []string{"next", "again"} {
					if most := longest(t, w, text, 1); most > 5*time.Second {
						t.Errorf("%s took %v", text, most)
					}
				}
			})
		})
	}
}

// A stream of ever new poisons, one each 20 seconds, keeps others from their answers for a minute at most, but for those whose answers are on the wire at a death.
func TestEverNewPoisons(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	r := &reaper{}
	bottest.Run(t, poisonous(r), func(w *bottest.World) {
		var others []*bottest.Person
		for i := range 20 {
			others = append(others, w.Person(fmt.Sprint("guest", i)))
		}
		const rounds = 10
		for round := range rounds {
			w.Person(fmt.Sprint("mal", round)).Says(fmt.Sprint("poison ", round))
			for i, p := range others {
				p.Says(fmt.Sprint("hello ", round, " of ", i))
			}
			r.pass(w, 20*time.Second)
		}
		r.pass(w, 3*time.Minute)
		// Whose answer is on the wire when the process dies waits until it cannot arrive any more, 35 seconds, and that may happen to them twice.
		most, long := longest(t, w, "hello", rounds*len(others)), waitedLongerThan(w, "hello", time.Minute)
		t.Logf("others waited for up to %v, %d of them for more than a minute", most, long)
		if most > 2*time.Minute || long > 4 {
			t.Errorf("others waited for up to %v, %d of them for more than a minute", most, long)
		}
		if found := quarantines(t, w); len(found) != rounds {
			t.Errorf("quarantined: %v", found)
		}
	})
}

// A process that is killed from outside sets nothing aside, whatever runs at that moment, and however often: also while a turn waits for the platform alone.
func TestKillsFromOutsideSetNothingAside(t *testing.T) {
	t.Parallel()
	r := &reaper{}
	cfg := poisonous(r)
	cfg.Latency = 400 * time.Millisecond
	bottest.Run(t, cfg, func(w *bottest.World) {
		var others []*bottest.Person
		for i := range 20 {
			others = append(others, w.Person(fmt.Sprint("guest", i)))
		}
		for round := range 12 {
			for i, p := range others {
				if round%3 == 0 && i == 0 {
					p.Says("profile")
				}
				p.Says(fmt.Sprint("hello ", round, " of ", i))
			}
			w.Advance(time.Duration(1300+170*round) * time.Millisecond)
			w.Crash()
		}
		w.Advance(3 * time.Minute)
		if most := longest(t, w, "hello", 12*len(others)); most > time.Minute {
			t.Errorf("others waited for up to %v", most)
		}
		if found := quarantines(t, w); len(found) != 0 {
			t.Errorf("quarantined: %v", found)
		}
	})
}

// One that takes its time before it ends the process is found, too: it has twice as long alone with each death.
func TestSlowPoison(t *testing.T) {
	t.Parallel()
	r := &reaper{}
	bottest.Run(t, poisonous(r), func(w *bottest.World) {
		w.Person("mal").Says("slowly")
		r.pass(w, 5*time.Minute)
		if found := quarantines(t, w); len(found) != 1 || r.starts > 9 {
			t.Errorf("quarantined: %v, after %d starts", found, r.starts)
		}
	})
}

// A disk that refuses to store a death for a moment ends no start: the count is stored before anything runs again.
func TestDeathIsCountedOnADiskThatStumbles(t *testing.T) {
	t.Parallel()
	r := &reaper{refuses: 2}
	cfg := poisonous(r)
	cfg.Commit = func(commit func() error) error {
		if r.refused.Add(-1) >= 0 {
			return errors.New("the disk stumbles")
		}
		return commit()
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		w.Person("mal").Says("poison")
		ana := w.Person("ana")
		ana.Says("hello")
		r.pass(w, 2*time.Minute)
		ana.Expects("hello")
		if found := quarantines(t, w); len(found) != 1 || r.starts > 7 {
			t.Errorf("quarantined: %v, after %d starts", found, r.starts)
		}
	})
}

// waitingFor keeps the profile of a person back as long as it has one.
type waitingFor struct {
	next http.RoundTripper
	who  atomic.Int64
}

func (h *waitingFor) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/profile") && r.URL.Query().Get("user_id") == strconv.FormatInt(h.who.Load(), 10) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return h.next.RoundTrip(r)
}

// A turn that waits for the platform when the process is killed is not to blame, however often, and neither is one after it.
func TestWaitingForThePlatformIsNoFault(t *testing.T) {
	t.Parallel()
	h := &waitingFor{}
	cfg := poisonous(&reaper{})
	cfg.Transport = func(next http.RoundTripper) http.RoundTripper { h.next = next; return h }
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		h.who.Store(int64(ana.ID()))
		ana.Says("profile", "hello")
		for range 8 {
			w.Advance(4 * time.Second)
			w.Crash()
		}
		w.Advance(4 * time.Second)
		if asked := strings.Count(w.Log(), "each runs alone now"); asked < 7 {
			t.Errorf("it ran alone %d times", asked)
		}
		h.who.Store(0)
		w.Crash()
		ana.Expects("I know you", "hello")
		if found := quarantines(t, w); len(found) != 0 {
			t.Errorf("quarantined: %v", found)
		}
	})
}
