package bot_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/broadcast"
)

// A word of ours to somebody who has asked for silence is said only when that is meant, whoever asks for it.
func TestSayOverASilence(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Bot: bot.Config{StopWords: []string{"stop"}}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("stop")
		w.Advance(time.Minute)
		key := event.Key{Account: "bot", Peer: ana.ID()}
		q := w.Ask(event.Request{Key: key, Wish: event.WishSay, Text: "Hello."})[0]
		ana.ExpectsNothing(time.Minute)
		if a := w.Answer(q); a.Outcome != bot.OutcomeObsolete {
			t.Errorf("%+v", a)
		}
		w.Ask(event.Request{Key: key, Wish: event.WishSay, Text: "Hello.", Subject: event.SayAnyway})
		ana.Expects("Hello.")
		if c := w.Conversation(ana); c.Owner != bot.OwnedByPerson || c.OwnerWrote.IsZero() {
			t.Errorf("it is whose conversation? %+v", c)
		}
	})
}

// However early it was to be said to each, not more than twenty are told the first day, over crashes, and nobody twice. Where commits take long all thirty
// turns count the day's uses before one of them is stored.
func TestSayByDays(t *testing.T) {
	t.Parallel()
	for _, commit := range []time.Duration{0, 2 * time.Second} {
		t.Run(commit.String(), func(t *testing.T) {
			t.Parallel()
			bottest.Run(t, bottest.Config{CommitTime: commit, Routes: []bot.Route{echo()}, Bot: bot.Config{
				PollInterval: 30 * time.Second, RequestPause: 10 * time.Second, Pace: &event.Pace{},
			}}, sayByDays(t))
		})
	}
}

func sayByDays(t *testing.T) func(w *bottest.World) {
	t.Helper()
	return func(w *bottest.World) {
		var people []*bottest.Person
		m := broadcast.Message{ID: "say-x", Text: "A place is free."}
		for i := range 30 {
			p := w.Person(fmt.Sprintf("guest%02d", i))
			people = append(people, p)
			p.Says("hi")
			p.Hears()
		}
		for _, p := range people {
			w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: p.ID()}, Wish: event.WishSay, Subject: m.ID, Text: string(m.Encode()), Until: time.Now().Add(time.Minute)})
		}
		told := func() (n int) {
			for _, p := range people {
				for _, a := range actionsOf(w, p) {
					if a.Text == m.Text && a.State == event.StateDone {
						n++
					}
				}
			}
			return n
		}
		w.Advance(time.Minute)
		w.Crash()
		w.Advance(20 * time.Hour)
		if n := told(); n != 20 {
			t.Errorf("%d were told the first day, want 20", n)
		}
		w.Advance(8 * time.Hour)
		if n := told(); n != 30 {
			t.Errorf("%d were told by the second day, want 30", n)
		}
	}
}
