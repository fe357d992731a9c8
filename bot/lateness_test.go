package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// late is a bot that reminds after ten minutes, and says how many hours too late.
func late() bottest.Config {
	return bottest.Config{Routes: []bot.Route{
		on("remind me", func(_ context.Context, t *bot.Turn) error {
			t.After(10*time.Minute, "reminder")
			return t.Reply(fmt.Sprintf("%v", t.Lateness()))
		}),
		on("hand off", func(_ context.Context, t *bot.Turn) error {
			t.After(10*time.Minute, "reminder")
			t.HandoffFor("ines", 3*time.Hour)
			return nil
		}),
		bot.On("reminder", bot.Timer("reminder"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Message(fmt.Sprintf("%.0f hours late", t.Lateness().Hours()))
		}),
	}, Bot: bot.Config{PollInterval: time.Minute}, Patience: time.Hour}
}

// A timer that comes late knows how late, and so does its decision record: whether the bot was down, or a person had the
// conversation.
func TestLateness(t *testing.T) {
	t.Parallel()
	bottest.Run(t, late(), func(w *bottest.World) {
		ana, leo, mia := w.Person("ana"), w.Person("leo"), w.Person("mia")
		ana.Says("remind me")
		ana.Expects("0s")
		ana.Expects("0 hours late")
		if got := w.Decisions(ana); strings.Contains(got[len(got)-1].Note, "late") {
			t.Errorf("the trace of one in time is %v", got[len(got)-1])
		}
		leo.Says("remind me")
		leo.Expects("0s")
		mia.Says("hand off")
		w.Advance(5 * time.Minute)
		w.Stop()
		w.Advance(2 * time.Hour)
		w.Start()
		leo.Expects("2 hours late")
		if got := w.Decisions(leo); !strings.Contains(got[len(got)-1].Note, "1h5") {
			t.Errorf("the trace is %v", got[len(got)-1])
		}
		w.Advance(30 * time.Minute)
		w.Restart()
		w.Advance(30 * time.Minute)
		mia.Expects("3 hours late")
	})
}

// A retry of a timer takes effect once, wherever a crash comes.
func TestTimerRetryOverCrashes(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			effort.Case(t)
			var broken atomic.Bool
			var tries atomic.Int64
			broken.Store(true)
			cfg := reminding(&broken, &tries)
			cfg.CommitTime = 40 * time.Millisecond
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("remind me")
				w.Advance(4 * time.Minute)
				broken.Store(false)
				q := crashes(w, about(ana, event.WishRetry), m.committed, m.after)
				ana.Expects(`"tea", late true`)
				ana.ExpectsNothing(5 * time.Minute)
				if a := w.Answer(q); a.Outcome != bot.OutcomeHandled {
					t.Errorf("the answer is %+v", a)
				}
			})
		})
	}
}

// Only those that are named are tried again, whatever their names.
func TestRetrySomeTimers(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	broken.Store(true)
	names := []string{"a cup/of tea", "a cup", "50% off 17"}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("remind me", func(_ context.Context, t *bot.Turn) error {
			for i, name := range names {
				t.After(time.Duration(i+1)*time.Second, name)
			}
			return nil
		}),
		bot.On("any", bot.Timers(""), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
			if broken.Load() {
				panic("no idea")
			}
			return t.Message(timer.Name)
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("remind me")
		w.Advance(10 * time.Minute)
		q := about(ana, event.WishRetry)
		for _, row := range stuckTimers(w, ana) {
			if row.Tries != 5 || row.Note != "try 5: the handler panicked: no idea" {
				t.Errorf("quarantined is %+v", row)
			}
			if row.Name != names[1] {
				q.Timers = append(q.Timers, row.ID())
			}
		}
		broken.Store(false)
		decides(t, w, q, bot.OutcomeHandled, "2 events and timers are tried again, from timer:")
		ana.Expects(names[0], names[2])
		ana.ExpectsNothing(10 * time.Minute)
		if rows := stuckTimers(w, ana); len(rows) != 1 || rows[0].Name != names[1] {
			t.Errorf("quarantined is %+v", rows)
		}
	})
}
