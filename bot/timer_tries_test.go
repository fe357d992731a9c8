package bot_test

import (
	"context"
	"errors"
	"fmt"
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
)

// reminding is a bot that reminds after a minute of what it is told to, unless it is broken.
func reminding(broken *atomic.Bool, tries *atomic.Int64) bottest.Config {
	return bottest.Config{Routes: []bot.Route{
		on("remind me", func(_ context.Context, t *bot.Turn) error {
			t.SetTimer("reminder", t.Now.Add(time.Minute), []byte(`"tea"`))
			return nil
		}),
		bot.On("reminder", bot.Timer("reminder"), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
			tries.Add(1)
			if broken.Load() {
				return errors.New("no idea")
			}
			return t.Message(fmt.Sprintf("%s, late %v", timer.Data, t.Trigger.Late))
		}),
		echo().Ordered(1),
	}}
}

// A timer whose handler fails for longer than it is tried is quarantined, and has its turn when a person lets it be
// tried again: once, with what was given to it, wherever a crash comes.
func TestTimerAfterQuarantine(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for name, meanwhile := range map[string]func(*bottest.World){
		"running": func(*bottest.World) {}, "restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash,
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var broken atomic.Bool
			var tries atomic.Int64
			broken.Store(true)
			bottest.Run(t, reminding(&broken, &tries), func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("remind me")
				w.Advance(4 * time.Minute)
				ana.Says("next")
				ana.Expects("next")
				if n := tries.Load(); n != 5 {
					t.Errorf("it was tried %d times", n)
				}
				broken.Store(false)
				meanwhile(w)
				ana.ExpectsNothing(10 * time.Minute)
				decides(t, w, about(ana, event.WishRetry), bot.OutcomeHandled, "is tried again")
				ana.Expects(`"tea", late true`)
				meanwhile(w)
				ana.ExpectsNothing(10 * time.Minute)
				decides(t, w, about(ana, event.WishRetry), bot.OutcomeObsolete, "none of it is quarantined any more")
			})
		})
	}
}

// A timer that sets itself anew each day goes on after a bad time of what it needs: what failed is quarantined, told,
// and tried again when a person says so.
func TestDailyTimerOverABadTime(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	const period = 3 * time.Hour // a day takes the test as long as its hours
	for name, bad := range map[string]time.Duration{"a bad minute": time.Minute, "two bad minutes": 2 * time.Minute} {
		if effort.Few() && bad == time.Minute {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var until atomic.Int64
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				on("each day", func(_ context.Context, t *bot.Turn) error {
					t.After(period, "daily")
					return nil
				}),
				bot.On("daily", bot.Timer("daily"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
					t.After(period, "daily")
					if time.Now().UnixNano() < until.Load() {
						return errors.New("the API has a bad time")
					}
					return t.Message("good morning")
				}),
			}, Bot: bot.Config{PollInterval: 10 * time.Minute}, Patience: 2 * period}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("each day")
				ana.Expects("good morning")
				until.Store(time.Now().Add(period + bad).UnixNano())
				if bad > 90*time.Second {
					ana.ExpectsNothing(period + time.Hour)
					if !strings.Contains(w.Log(), "/daily/") || !strings.Contains(w.Log(), "outcome=quarantined") {
						t.Errorf("the log does not tell it:\n%s", w.Log())
					}
					decides(t, w, about(ana, event.WishRetry), bot.OutcomeHandled, "is tried again")
				}
				for range 3 {
					ana.Expects("good morning")
				}
			})
		})
	}
}

// The tries of a timer are counted over restarts, like those of an event.
func TestTimerTriesOverRestarts(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*bottest.World){"restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var broken atomic.Bool
			var tries atomic.Int64
			broken.Store(true)
			bottest.Run(t, reminding(&broken, &tries), func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("remind me")
				w.Advance(85 * time.Second) // three tries, and a pause of 20 s
				if n := tries.Load(); n != 3 {
					t.Errorf("it was tried %d times before the end", n)
				}
				again(w)
				w.Advance(5 * time.Minute)
				again(w)
				w.Advance(5 * time.Minute)
				if n := tries.Load(); n != 5 {
					t.Errorf("it was tried %d times", n)
				}
			})
		})
	}
}

// stuckTimers returns the timers of a person that are quarantined.
func stuckTimers(w *bottest.World, p *bottest.Person) (rows []record.TimerRow) {
	w.Inspect(func(d inspect.Inspector) {
		var err error
		rows, err = d.Timers(context.Background(), record.TimerQuery{
			Account: "bot", Peer: p.ID(), State: record.TimerQuarantined, Until: time.Now(), Limit: 100,
		})
		if err != nil {
			panic(err)
		}
	})
	return rows
}
