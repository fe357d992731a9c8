package bot_test

import (
	"context"
	"fmt"
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

// What is deleted since it is old changes nothing: nobody is answered again, nobody is taken for a person, what is
// held and what was set for later stays, whatever order the platform shows things in, and over crashes.
func TestRetentionHarmsNobody(t *testing.T) {
	t.Parallel()
	if effort.Few() {
		t.Skip("nine days of seconds take long, minutes with the race detector: NECTAR_TEST=all has them; bot/internal/store has retention, too")
	}
	bottest.Run(t, bottest.Config{
		Keep: 7 * 24 * time.Hour, Platform: emulator.Config{Dialect: emulator.Dialect{Disorder: true, PageCap: 10}},
		Bot: bot.Config{PollInterval: 20 * time.Minute, RequestPause: time.Minute}, Patience: 6 * time.Hour,
		Routes: []bot.Route{
			approved(),
			bot.On("like", bot.AnyLike(), func(_ context.Context, t *bot.Turn, _ event.Like) error {
				t.After(8*24*time.Hour, "later")
				return t.Message("thank you", bot.Once("thanks"))
			}),
			bot.On("later", bot.Timer("later"), says[event.Timer]("long ago")),
			echo().Ordered(1),
		},
	}, func(w *bottest.World) { days(t, w) })
}

// days lets days pass, as few as there can be: each second of them costs a little.
func days(t *testing.T, w *bottest.World) {
	t.Helper()
	post := w.Posts("menu")
	ana, leo := w.Person("ana"), w.Person("leo")
	leo.Likes(post)
	leo.Expects("thank you")
	leo.Says("offer")
	for n := range 9 {
		text := fmt.Sprint("day ", n)
		ana.Says(text)
		ana.Expects(text)
		w.Advance(2 * time.Hour)
		ana.Says(text + " evening")
		ana.Expects(text + " evening")
		switch n {
		case 3:
			w.Restart()
		case 7, 8:
			w.Crash()
		}
		ana.ExpectsNothing(22 * time.Hour)
	}
	leo.Expects("long ago")
	leo.Says("and now?")
	leo.Expects("and now?")
	leo.ExpectsNothing(time.Hour)
	for _, p := range []*bottest.Person{ana, leo} {
		if c := w.Conversation(p); c.Owner != "" {
			t.Errorf("the conversation belongs to %q", c.Owner)
		}
	}
	if n := len(heldBack(w, event.StateHeld)); n != 1 {
		t.Errorf("%d actions are held", n)
	}
	w.Inspect(func(d inspect.Inspector) {
		events, err := d.Events(context.Background(), record.EventQuery{Account: "bot", Peer: ana.ID(), Limit: 100})
		if err != nil || len(events) < 12 || len(events) > 16 { // of two a day, 18
			t.Errorf("%d events are left, %v", len(events), err)
		}
	})
}
