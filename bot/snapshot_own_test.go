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
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Where only the last message of a chat is visible, the bot's own words that came behind a person's are
// not taken for theirs, although the count of unread messages has risen.
func TestSnapshotOfOwnWords(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Platform: emulator.Config{Dialect: emulator.Dialect{Messages: emulator.AbsentPage}},
		Bot:      bot.Config{PollInterval: 30 * time.Second, NoMessages: event.Always},
		Routes: []bot.Route{bot.On("late", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply("re: "+m.Text, bot.In(time.Second))
		})},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a")
		for len(w.Decisions(ana)) == 0 {
			w.Advance(time.Second / 2)
		}
		ana.Says("b") // before the answer, which hides it
		ana.Expects("re: a")
		ana.ExpectsNothing(10 * time.Minute)
		ana.Says("c")
		ana.Expects("re: c")
		ana.ExpectsNothing(10 * time.Minute)
	})
}

// Own words that arrived while the bot went down, or were not listed before it did, are not taken for the
// person's at the next start, however the platform changes and cuts them.
func TestSnapshotOfOwnWordsAtAStart(t *testing.T) {
	t.Parallel()
	const words = "  <b>bold</b> & \"quoted\", and more than the list of chats shows of a text  "
	for _, d := range listOnly {
		for how, end := range map[string]func(*bottest.World){
			"stopped": (*bottest.World).Restart, "killed": (*bottest.World).Crash,
		} {
			for _, after := range []time.Duration{0, time.Second} { // once it is known to have arrived, it is not open any more
				name := fmt.Sprint(d.LastCut, how, after)
				if !effort.Some(name) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					effort.Case(t)
					line := &line{endpoint: "send_message", way: wayBack}
					bottest.Run(t, listed(d, line, func(string) string { return words }), func(w *bottest.World) {
						ana := w.Person("ana")
						w.Advance(time.Minute)
						line.watch(w)
						ana.Says("hello")
						<-line.reached
						w.Advance(after)
						end(w)
						w.Advance(20 * time.Minute)
						ana.Says("and now?")
						w.Advance(time.Minute)
						end(w)
						w.Advance(20 * time.Minute)
						if n := len(w.Decisions(ana)); n != 2 {
							t.Errorf("2 messages were decided %d times", n)
						}
						if n := said(w, w.Account("bot").ID(), ana.ID()); n != 2 {
							t.Errorf("%d messages came", n)
						}
					})
				})
			}
		}
	}
}

// Where the bot deletes its last message, the one before comes to light, and is no news.
func TestSnapshotBehindADeletedMessage(t *testing.T) {
	t.Parallel()
	var ledger *emulator.Ledger
	bottest.Run(t, bottest.Config{
		Platform: emulator.Config{Dialect: emulator.Dialect{Messages: emulator.AbsentPage}},
		Bot:      bot.Config{PollInterval: 5 * time.Second, NoMessages: event.Always},
		Before:   func(w *bottest.World) { ledger = w.Platform().Ledger() },
		Routes: []bot.Route{
			bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
				t.After(5*time.Minute, "delete")
				return t.Reply("re: " + m.Text)
			}),
			bot.On("delete", bot.Timer("delete"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
				for _, e := range ledger.Since(0) {
					if e.Kind == emulator.Arrived && e.ByAPI {
						t.DeleteMessage(e.Message)
					}
				}
				return nil
			}),
		},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello")
		ana.Expects("re: hello")
		ana.ExpectsNothing(20 * time.Minute)
	})
}

// What the owner writes on the phone is not taken for the person's, also after a start at which everything
// has been read: that the platform counts what is unread is known from earlier.
func TestSnapshotOfThePhone(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*bottest.World){
		"running": func(*bottest.World) {}, "stopped": (*bottest.World).Restart, "killed": (*bottest.World).Crash,
	} {
		t.Run(how, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, listed(listOnly[0], &line{}, func(said string) string { return "re: " + said }), func(w *bottest.World) {
				ana, account := w.Person("ana"), w.Account("bot").ID()
				w.Advance(time.Minute)
				ana.Says("hello")
				ana.Expects("re: hello")
				w.Advance(time.Minute)
				w.Platform().MarkSeen(account, ana.ID())
				w.Advance(2 * time.Minute)
				end(w)
				w.Platform().SayAs(account, ana.ID(), "this is the owner")
				ana.ExpectsNothing(10 * time.Minute)
				ana.Says("thank you")
				ana.Expects("re: thank you")
			})
		})
	}
}
