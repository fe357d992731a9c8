package bot_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// A request that is on its way when its account goes is waited for: what became of it is known and stored, and nobody has to find out.
func TestARequestOnItsWayWhenItsAccountGoes(t *testing.T) {
	t.Parallel()
	cfg := bottest.Config{Routes: repeats(), Accounts: []event.Account{"shop", "cafe"}, Latency: 2 * time.Second}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Account("cafe").Person("ana")
		w.Advance(time.Minute)
		ana.Says("hello")
		answers := func() []event.Action {
			var rows []event.Action
			w.Inspect(func(d inspect.Inspector) {
				var err error
				if rows, err = d.Actions(context.WithoutCancel(t.Context()), record.ActionQuery{Account: "cafe", Peer: ana.ID(), Limit: 10}); err != nil {
					t.Fatal(err)
				}
			})
			return rows
		}
		for sent := func(a event.Action) bool { return a.State == event.StateSending }; !slices.ContainsFunc(answers(), sent); {
			w.Advance(100 * time.Millisecond)
		}
		w.RemoveAccount("cafe")
		if rows := answers(); len(rows) != 1 || rows[0].State != event.StateDone {
			t.Errorf("when the account is gone: %+v", rows)
		}
		ana.Expects("you said: hello")
	})
}

// When a bot stops, turns begin in none of its accounts any more, however long one of another account takes.
func TestTurnsOfAnotherAccountWhenTheBotStops(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for _, slow := range []event.Account{"shop", "cafe"} {
		t.Run(string(slow), func(t *testing.T) {
			effort.Case(t)
			var mu sync.Mutex
			begun := map[event.Account]time.Time{} // the newest turn of each
			cfg := bottest.Config{Accounts: []event.Account{"shop", "cafe"}, Bot: bot.Config{DrainTimeout: time.Minute}, Routes: []bot.Route{
				bot.On("takes long", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
					mu.Lock()
					begun[t.Event.Account] = time.Now()
					mu.Unlock()
					if t.Event.Account == slow {
						time.Sleep(9 * time.Second) // virtual
					}
					time.Sleep(time.Second)
					return t.Reply(m.Text)
				}),
			}}
			bottest.Run(t, cfg, func(w *bottest.World) {
				people := map[*bottest.Person][]string{}
				for _, a := range cfg.Accounts {
					p := w.Account(a).Person("ana")
					for i := range 20 {
						people[p] = append(people[p], fmt.Sprint(a, " ", i))
					}
					p.Says(people[p]...)
				}
				justBegun := func() bool {
					mu.Lock()
					defer mu.Unlock()
					return len(begun) == 2 && time.Since(begun[slow]) <= 2*time.Second
				}
				for !justBegun() {
					w.Advance(time.Second)
				}
				stopped := time.Now()
				w.Stop()
				for a, last := range begun {
					if last.After(stopped) {
						t.Errorf("a turn of %s began %v behind the stop", a, last.Sub(stopped))
					}
				}
				w.Start()
				for p, said := range people {
					p.Expects(said...)
				}
			})
		})
	}
}
