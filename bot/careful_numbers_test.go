package bot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A platform that numbers its messages anew, upwards or downwards, silences nobody: what was said is answered no second time, the bot's own
// words are no person's, nor another bot's, and whoever writes is answered. One line tells of it.
func TestMessagesNumberedAnew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		first   platform.MessageID
		restart bool
	}{
		{"far up", 1 << 40, false},
		{"up", 90_000, false},
		{"down", 1, false},
		{"far up, while it is stopped", 1 << 40, true},
		{"down, while it is stopped", 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: time.Second, Pace: fast()}, Routes: []bot.Route{echo()}}, func(w *bottest.World) {
				people := make([]*bottest.Person, 5)
				for i := range people {
					people[i] = w.Person(fmt.Sprint("p", i))
				}
				for n := range 3 {
					for _, p := range people {
						p.Says(fmt.Sprint("question ", n))
						p.Expects(fmt.Sprint("question ", n))
					}
				}
				w.Account("bot").Tells(people[4], "this one is mine")
				w.Advance(10 * time.Minute)
				if c.restart {
					w.Stop()
				}
				w.Platform().NumberAnew(c.first)
				if c.restart {
					w.Start()
				}
				w.Advance(time.Minute)
				for _, p := range people {
					p.Says("and now?")
				}
				w.Advance(5 * time.Minute)
				for i, p := range people {
					heard := heardBy(w, p)
					if i == 4 {
						if len(heard) != 4 {
							t.Errorf("the owner was answered over: %q", heard)
						}
						continue
					}
					if len(heard) != 4 || heard[3] != "and now?" {
						t.Errorf("p%d has heard %q", i, heard)
					}
					if owner := w.Conversation(p).Owner; owner != "" {
						t.Errorf("%s has the conversation with p%d", owner, i)
					}
				}
				if n := strings.Count(w.Log(), "numbered its messages anew"); n != 1 || strings.Contains(w.Log(), "another bot") {
					t.Errorf("%d lines tell of it\n%s", n, w.Log())
				}
			})
		})
	}
}

// A notification under the id of another one that was handled, for another post and person, is told of, and not handled.
func TestNotificationIDsThatComeAgain(t *testing.T) {
	t.Parallel()
	answers := bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error { return t.Reply("hello " + m.From.User) })
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{answers}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		post := ana.Mentions("one")
		ana.ExpectsReply("hello ana")
		id := int64(0)
		w.Inspect(func(d inspect.Inspector) {
			newest, err := d.Newest(context.Background(), "bot", event.Mentions, 1)
			if err != nil || len(newest) != 1 {
				t.Fatal(newest, err)
			}
			id = newest[0].ID.Number
		})
		w.Platform().DeletePost(ana.ID(), post)
		w.Platform().Misnumber(emulator.Misnumbered{To: w.Account("bot").ID(), As: id})
		leo.Mentions("two")
		w.Restart()
		leo.ExpectsNothing(10 * time.Minute)
		if n := strings.Count(w.Log(), "ids of notifications come again"); n != 1 {
			t.Errorf("told %d times\n%s", n, w.Log())
		}
	})
}

// Two answers that show absurd numbers, and later their own, are no numbering anew: what was said between them is answered.
func TestAbsurdNumbersAreNoNewNumbering(t *testing.T) {
	t.Parallel()
	twice := bot.On("twice", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return errors.Join(t.Reply(m.Text), t.Message("later", bot.In(20*time.Second)))
	})
	bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: time.Minute, Pace: fast()}, Routes: []bot.Route{twice}}, func(w *bottest.World) {
		ana, me := w.Person("ana"), w.Account("bot").ID()
		w.Platform().Misnumber(emulator.Misnumbered{From: me, To: ana.ID(), As: math.MaxInt32})
		ana.Says("one")
		ana.Expects("one")
		w.Platform().Misnumber(emulator.Misnumbered{From: me, To: ana.ID(), As: 1 << 50})
		ana.Says("between")
		ana.Expects("later")
		w.Platform().Renumber(false)
		w.Advance(5 * time.Minute)
		if got := heardBy(w, ana); !slices.Contains(got, "between") || strings.Contains(w.Log(), "numbered its messages anew") {
			t.Errorf("%q\n%s", got, w.Log())
		}
	})
}
