package bot_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

var heardOf = bot.NewValue[string]("test", "heard")

// remembering is a bot that remembers what was said to it, and does what it is told.
func remembering() []bot.Route {
	return []bot.Route{
		on("later zebra", func(_ context.Context, t *bot.Turn) error { return t.Reply("later: it is time", bot.In(time.Hour)) }),
		on("hold zebra", func(_ context.Context, t *bot.Turn) error { return t.Reply("held: is that right?", bot.Held("see")) }),
		on("fail zebra", func(context.Context, *bot.Turn) error { return errors.New("zebra fails") }),
		bot.On("remember", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			before, _, err := heardOf.Load(t)
			if err != nil {
				return err
			}
			t.After(90*time.Minute, "remind")
			return errors.Join(heardOf.Save(t, m.Text), t.Reply(m.Text+" after "+cmp.Or(before, "nothing")))
		}).Ordered(1),
		bot.On("remind", bot.Timer("remind"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("remember?") }),
	}
}

func forgetting(p *bottest.Person) event.Request { return about(p, event.WishForget) }

// hasIn reports whether a text is in the bytes of the database or its log.
func hasIn(t *testing.T, w *bottest.World, words ...string) (found []string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(w.Database() + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, word := range words {
			if strings.Contains(string(content), word) {
				found = append(found, word+" in the database"+suffix)
			}
		}
	}
	return found
}

// What is kept of a person goes, whether the bot runs, is down, or dies at that moment; nothing of it comes again, others
// are as they were, and what she writes afterwards is a stranger's.
func TestForget(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]func(w *bottest.World, ask func()){
		"while it runs":        func(_ *bottest.World, ask func()) { ask() },
		"before it is started": func(w *bottest.World, ask func()) { w.Stop(); ask(); w.Start() },
		"before it dies": func(w *bottest.World, ask func()) {
			ask()
			for range 4 {
				w.Advance(350 * time.Millisecond)
				w.Crash()
			}
		},
		"twice": func(_ *bottest.World, ask func()) { ask(); ask() },
	} {
		if effort.Few() && name != "before it dies" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: 2 * time.Second}, Routes: remembering()}, func(w *bottest.World) {
				zoe, leo := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe", LastName: "Quill"}), w.Person("leo")
				zoe.Says("zebra one")
				zoe.Expects("zebra one after nothing")
				zoe.Says("fail zebra", "later zebra", "hold zebra", "zebra two")
				zoe.Expects("zebra two after zebra one")
				leo.Says("one")
				leo.Expects("one after nothing")
				w.Advance(3 * time.Minute) // one is quarantined
				words := []string{"zebra", "zoequill", "Zoe Quill"}
				if len(hasIn(t, w, words...)) == 0 {
					t.Fatal("nothing of hers is in the database")
				}
				var asked []event.Request
				how(w, func() { asked = append(asked, w.Ask(forgetting(zoe))...) })
				w.Advance(time.Minute)
				for _, q := range asked {
					if a := w.Answer(q); a.Outcome != bot.OutcomeHandled || !strings.HasPrefix(a.Note, "forgot ") {
						t.Errorf("the answer is %+v", a)
					}
				}
				if found := hasIn(t, w, words...); len(found) > 0 {
					t.Errorf("it is left: %v", found)
				}
				zoe.ExpectsNothing(2 * time.Hour) // neither what was due, nor what was held
				w.Restart()
				zoe.ExpectsNothing(time.Hour) // nor the timer
				zoe.Says("hello")
				zoe.Expects("hello after nothing")
				leo.Says("two")
				leo.Expects("remember?", "two after one")
			})
		})
	}
}

// Who is forgotten and ignored is not heard any more, nothing is kept of what she says, over restarts and retention, until
// somebody wants her to be heard again.
func TestForgetAndIgnore(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: 2 * time.Second}, Routes: append(remembering(), courteous()[1:]...), Keep: 7 * 24 * time.Hour}, func(w *bottest.World) {
		zoe := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe", LastName: "Quill"})
		zoe.Says("zebra one")
		zoe.Expects("zebra one after nothing")
		q := forgetting(zoe)
		q.Ignore = true
		decides(t, w, q, bot.OutcomeHandled, "is left alone from now on")
		for range 2 {
			zoe.Says("zebra again", "fail zebra", "hold zebra")
			zoe.Mentions("zebra @bot")
			zoe.Follows()
			zoe.ExpectsNothing(10 * time.Minute)
			zoe.Unfollows()
			w.Restart()
			w.Stop()
			w.Advance(9 * 24 * time.Hour)
			w.Start()
			w.Person("leo").Says("hi") // retention goes on with turns
			w.Advance(time.Hour)
		}
		if found := hasIn(t, w, "zebra", "zoequill", "Zoe Quill"); len(found) > 0 {
			t.Errorf("it is kept: %v", found)
		}
		decides(t, w, about(zoe, event.WishHeed), bot.OutcomeHandled, "is not ignored any more")
		decides(t, w, about(zoe, event.WishHeed), bot.OutcomeObsolete, "is not ignored")
		zoe.ExpectsNothing(10 * time.Minute)
		zoe.Says("zebra two")
		zoe.Expects("zebra two after nothing")
		w.Restart()
		zoe.Says("zebra three")
		zoe.Expects("zebra three after zebra two")
	})
}

// What is on its way to a person is waited for, and what is due is withdrawn at once.
func TestForgetWaits(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{"it arrived": emulator.Late, "it did not": emulator.CutBefore} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: 2 * time.Second}, Routes: remembering()}, func(w *bottest.World) {
				zoe := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe", LastName: "Quill"})
				w.Disturb("send_message", fault)
				zoe.Says("zebra one", "zebra two")
				w.Advance(3200 * time.Millisecond) // it is not known yet
				q := w.Ask(forgetting(zoe))[0]
				w.Advance(1500 * time.Millisecond)
				if a := w.Answer(q); a != (record.Answer{}) {
					t.Errorf("it did not wait: %+v", a)
				}
				if fault == emulator.Late {
					zoe.Expects("zebra one after nothing")
				}
				zoe.ExpectsNothing(2 * time.Minute) // what did not arrive does not leave again
				if a := w.Answer(q); a.Outcome != bot.OutcomeHandled {
					t.Errorf("it waits for ever: %+v", a)
				}
				if found := hasIn(t, w, "zebra", "zoequill", "Zoe Quill"); len(found) > 0 {
					t.Errorf("it is left: %v", found)
				}
				w.Restart()
				zoe.Says("hello")
				zoe.Expects("hello after nothing")
			})
		})
	}
}

// Who has the conversation with somebody keeps it when she is forgotten: the bot does not speak over a person of ours.
func TestForgetWhoIsTalkedTo(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: remembering()}, func(w *bottest.World) {
		zoe := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe", LastName: "Quill"})
		zoe.Says("zebra one")
		zoe.Expects("zebra one after nothing")
		w.Account("bot").Tells(zoe, "this is Ines, about the zebra")
		w.Advance(10 * time.Second)
		decides(t, w, forgetting(zoe), bot.OutcomeHandled, "forgot ")
		if found := hasIn(t, w, "zebra", "zoequill", "Zoe Quill"); len(found) > 0 {
			t.Errorf("it is left: %v", found)
		}
		zoe.Says("hello?")
		zoe.ExpectsNothing(3 * time.Hour)
		w.Restart()
		zoe.ExpectsNothing(8 * time.Hour)
		w.Advance(2 * time.Hour) // her time is over
		zoe.Says("hello")
		zoe.Expects("hello after nothing")
	})
}

// Somebody of ours who writes while a person is about to be forgotten does not hold that up for ever.
func TestForgetMeetsTheOwner(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: 2 * time.Second}, Routes: remembering()}, func(w *bottest.World) {
		zoe := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe", LastName: "Quill"})
		w.Disturb("send_message", emulator.Late)
		zoe.Says("zebra one", "zebra two")
		w.Advance(3200 * time.Millisecond)
		q := w.Ask(forgetting(zoe))[0]
		w.Advance(1500 * time.Millisecond)
		w.Account("bot").Tells(zoe, "this is Ines, about the zebra")
		w.Advance(10 * time.Minute)
		if a := w.Answer(q); a.Outcome != bot.OutcomeHandled {
			t.Errorf("it waits for ever: %+v", a)
		}
		if c := w.Conversation(zoe); c.Owner != bot.OwnedByPerson {
			t.Errorf("%q has the conversation", c.Owner)
		}
	})
}

// What the bot has read and not decided yet is forgotten with the rest, also what is in its memory alone.
func TestForgetWhatWaits(t *testing.T) {
	t.Parallel()
	for after := 2 * time.Second; after < 5*time.Second; after += 200 * time.Millisecond {
		t.Run(after.String(), func(t *testing.T) {
			effort.Case(t)
			var tried atomic.Bool
			routes := append(remembering(), on("stumble zebra", func(context.Context, *bot.Turn) error {
				tried.Store(true)
				return errors.New("not yet")
			}))
			bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: 2 * time.Second}, Routes: routes}, func(w *bottest.World) {
				zoe := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe", LastName: "Quill"})
				zoe.Says("stumble zebra", "zebra two")
				w.Advance(after)
				q := w.Ask(forgetting(zoe))[0]
				before := tried.Load() // it has read both
				for w.Answer(q) == (record.Answer{}) {
					w.Advance(50 * time.Millisecond)
				}
				if !before {
					return
				}
				zoe.ExpectsNothing(5 * time.Minute)
				if found := hasIn(t, w, "zebra", "zoequill", "Zoe Quill"); len(found) > 0 {
					t.Errorf("it is left: %v", found)
				}
			})
		})
	}
}

// To forget somebody takes as long as it takes, however short the time of handlers is: it is one try, and not given up.
func TestForgetTakesItsTime(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		CommitTime: 500 * time.Millisecond, Bot: bot.Config{PollInterval: 2 * time.Second, HandlerTimeout: time.Second}, Routes: remembering(),
	}, func(w *bottest.World) {
		zoe := w.Person("zoe")
		zoe.Says("zebra one")
		zoe.Expects("zebra one after nothing")
		q := w.Ask(forgetting(zoe))[0]
		w.Advance(time.Minute)
		if a := w.Answer(q); a.Outcome != bot.OutcomeHandled || !strings.HasPrefix(a.Note, "forgot ") {
			t.Errorf("the answer is %+v", a)
		}
	})
}
