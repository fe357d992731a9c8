package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// A timer that comes due while the program has no route for it waits for one that has, and the log says so at each
// start, with the number of people.
func TestTimerWithoutARoute(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	remind := on("remind me", func(_ context.Context, t *bot.Turn) error {
		t.After(time.Hour, "reminder")
		return nil
	})
	ring := bot.On("reminder", bot.Timer("reminder"), says[event.Timer]("it is time"))
	bottest.Run(t, bottest.Config{Routes: []bot.Route{remind, ring}, Bot: bot.Config{PollInterval: time.Minute}, Patience: time.Hour}, func(w *bottest.World) {
		people := []*bottest.Person{w.Person("ana"), w.Person("leo"), w.Person("mia")}
		for _, p := range people {
			p.Says("remind me")
		}
		w.Advance(10 * time.Minute)
		w.Deploy(func(c *bottest.Config) { c.Routes = []bot.Route{remind} })
		if !strings.Contains(w.Log(), "timer=reminder people=3") {
			t.Errorf("the log does not tell it:\n%s", w.Log())
		}
		people[0].ExpectsNothing(3 * time.Hour)
		w.Crash()
		people[0].ExpectsNothing(time.Hour)
		if n := strings.Count(w.Log(), "timer=reminder people=3"); n != 2 {
			t.Errorf("the log tells it %d times at two starts:\n%s", n, w.Log())
		}
		w.Deploy(func(c *bottest.Config) { c.Routes = []bot.Route{remind, ring} })
		for _, p := range people {
			p.Expects("it is time")
		}
		for _, p := range people {
			p.ExpectsNothing(2 * time.Hour)
		}
	})
}

// The same of a flow that the program does not have for a while.
func TestTimerWithoutItsFlow(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, greets(t), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("what is your name?")
		w.Deploy(func(c *bottest.Config) { c.Flows = nil })
		ana.ExpectsNothing(3 * time.Hour)
		w.Deploy(func(c *bottest.Config) { c.Flows = greets(t).Flows })
		ana.Expects("are you still there?")
	})
}

// A timer of a name that no route is for is told when it comes due, too, once for each name, and not without bounds.
func TestOrphansAreTold(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("many", func(_ context.Context, t *bot.Turn) error {
			for i := range 30 {
				t.After(time.Minute, fmt.Sprint("unknown/", i))
			}
			return nil
		}),
		on("again", func(_ context.Context, t *bot.Turn) error {
			t.After(time.Minute, "unknown/0")
			return nil
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("many")
		w.Advance(10 * time.Minute)
		ana.Says("again")
		w.Advance(10 * time.Minute)
		if told, more := strings.Count(w.Log(), "timer=unknown/"), strings.Count(w.Log(), "timers of more names\" timers=10"); told != 20 || more != 1 {
			t.Errorf("the log tells %d names, and %d times of more:\n%s", told, more, w.Log())
		}
		counts, err := w.Bot().Counts(t.Context())
		if n := counts.Events[bot.EventCount{Account: "bot", Kind: "timer", Outcome: "orphaned"}]; n != 31 || err != nil {
			t.Errorf("%d are counted as orphaned, %v", n, err)
		}
	})
}

// A matcher of timers that does not say which names it is for may be for all: what it does not match has had its turn.
// So has what a condition does not want.
func TestTimersThatNobodyMatches(t *testing.T) {
	t.Parallel()
	never := func(context.Context, *bot.Turn) bool { return false }
	for name, m := range map[string]bot.Matcher[event.Timer]{
		"no name": bot.NewMatcher(func(_ context.Context, t *bot.Turn) (event.Timer, bool) {
			return t.Trigger.Timer, t.Trigger.Timer.Name == "other"
		}, "timer"),
		"condition": bot.Timer("reminder").If(never),
		"where":     bot.Timers("rem").Where(func(event.Timer) bool { return false }),
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				on("remind me", func(_ context.Context, t *bot.Turn) error {
					t.After(time.Minute, "reminder")
					return nil
				}),
				bot.On("timers", m, says[event.Timer]("it is time")),
			}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("remind me")
				ana.ExpectsNothing(10 * time.Minute)
				if got := w.Decisions(ana); len(got) != 2 || got[1].Outcome != bot.OutcomeUnmatched {
					t.Errorf("the traces are %v", got)
				}
				if strings.Contains(w.Log(), "does not have") {
					t.Errorf("the log tells that it waits:\n%s", w.Log())
				}
			})
		})
	}
}

// Timers of an account that the bot does not serve any more wait until it does again.
func TestTimersOfAnAccountThatIsAway(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := emulator.New(emulator.Config{})
		ana := p.AddPerson(emulator.Person{Username: "ana"})
		st, err := store.Open(t.Context(), store.Options{Path: t.TempDir() + "/nectar.db", Fast: true})
		if err != nil {
			t.Fatal(err)
		}
		setTimer(t, st, event.Timer{Key: event.Key{Account: "second", Peer: ana}, Name: "reminder"})
		router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{bot.On("reminder", bot.Timer("reminder"), says[event.Timer]("ding"))}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"first", "second"} {
			p.AddAccount(emulator.Person{Username: name}, name, "correct horse")
		}
		arrived := 0
		for _, names := range [][]event.Account{{"first"}, {"first"}, {"first", "second"}} {
			if arrived != 0 {
				t.Errorf("%d messages arrived before the account was served", arrived)
			}
			pipe := emulator.NewPipe(p)
			cfg := bot.Config{Store: st, Router: router, Transport: pipe.Transport()}
			for _, name := range names {
				cfg.Accounts = append(cfg.Accounts, bot.Account{
					Name: name, BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: string(name), Password: "correct horse"},
				})
			}
			b, err := bot.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- b.Run(ctx) }()
			time.Sleep(time.Minute)
			if _, n, err := orphansOf(st, "second"); len(names) == 1 && n != 1 || len(names) == 2 && n != 0 || err != nil {
				t.Errorf("%d are orphaned while %v are served, %v", n, names, err)
			}
			stop()
			if err := errors.Join(<-ended, pipe.Close()); err != nil {
				t.Error(err)
			}
			arrived = 0
			for _, e := range p.Ledger().Since(0) {
				if e.Kind == emulator.Arrived && e.To == ana {
					arrived++
				}
			}
		}
		if err := st.Close(); arrived != 1 || err != nil {
			t.Errorf("%d messages arrived, %v", arrived, err)
		}
	})
}

// orphansOf returns how many timers of an account are set, and how many of them are orphaned.
func orphansOf(st store.Store, account event.Account) (set, orphaned int, err error) {
	err = st.TimerNames(context.Background(), func(c record.TimerCount) {
		if c.Account == account {
			set, orphaned = set+c.People, orphaned+c.Orphaned
		}
	})
	return set, orphaned, err
}
