package bot_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// A commit is refused – a limit is used up, or the disk is full – while the handler of what is behind it runs: when
// that is over, the conversation begins anew by itself, without anybody saying anything.
func TestLaneBeginsAnewBehindAHandler(t *testing.T) {
	t.Parallel()
	t.Run("denied", func(t *testing.T) {
		effort.Case(t)
		beginsAnew(t, bottest.Config{}, func(t *bot.Turn) {
			if !t.Denied("one") {
				t.UseLimit(event.LimitUse{Limit: "one", Scope: "all", Max: -1})
			}
		})
	})
	t.Run("not stored", func(t *testing.T) {
		effort.Case(t)
		var full atomic.Int64
		beginsAnew(t, bottest.Config{Commit: func(commit func() error) error {
			if full.CompareAndSwap(1, 2) {
				return errors.New("disk full")
			}
			return commit()
		}}, func(*bot.Turn) { full.CompareAndSwap(0, 1) })
	})
}

// beginsAnew lets something befall the commit of a turn while the handler of the next one takes ten seconds.
func beginsAnew(t *testing.T, cfg bottest.Config, befall func(t *bot.Turn)) {
	t.Helper()
	cfg.Routes = []bot.Route{bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		switch m.Text {
		case "first":
			befall(t)
		case "slow":
			time.Sleep(10 * time.Second)
		}
		return t.Reply(m.Text)
	})}
	cfg.Bot = bot.Config{Pace: &event.Pace{}}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("first", "slow")
		ana.Expects("first", "slow")
		ana.ExpectsNothing(time.Hour)
	})
}

// The same befalls a timer that was moved while it waited for its turn: that turn is dropped, and who wrote
// meanwhile is answered all the same.
func TestLaneGoesOnBehindAMovedTimer(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			t.After(10*time.Second, "rest")
			switch m.Text {
			case "slow":
				time.Sleep(10 * time.Second)
				t.After(time.Hour, "rest")
			case "other":
				time.Sleep(10 * time.Second)
			}
			return t.Reply(m.Text)
		}),
		bot.On("rest", bot.Timer("rest"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Reply("rested") }),
	}, Bot: bot.Config{PollInterval: time.Second}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		w.Advance(5 * time.Second)
		ana.Says("slow")
		w.Advance(7 * time.Second) // the timer is due, and waits
		ana.Says("other")
		ana.Expects("slow", "other", "rested")
		ana.ExpectsNothing(2 * time.Hour)
	})
}
