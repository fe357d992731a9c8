package bot_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// spoken is a bot that answers with what it hears, and knows what it says.
func spoken() bot.Route {
	answers := bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error { return t.Reply("you said " + m.Text) })
	return engine.Route(answers, engine.Ways{Says: func(_ event.Account, text string) bool { return strings.HasPrefix(text, "you said ") }})
}

// heardBy returns what a person has of the account.
func heardBy(w *bottest.World, p *bottest.Person) (texts []string) {
	account := w.Account("bot").ID()
	for _, m := range w.Platform().Messages(account, p.ID()) {
		if m.From == account {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// A copy that was put back answers nothing twice, and is not silent towards those whom the bot has answered since.
func TestCopyThatWasPutBack(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		takeover := map[bool]time.Duration{false: 0, true: -1}[told]
		t.Run(fmt.Sprint("told ", told), func(t *testing.T) {
			effort.Case(t)
			cfg := rarely()
			cfg.TakeoverFor = takeover
			bottest.Run(t, bottest.Config{Bot: cfg, Routes: []bot.Route{spoken()}}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				ana.Says("one")
				ana.Expects("you said one")
				w.Stop()
				copied := w.Backup()
				w.Start()
				ana.Says("two")
				ana.Expects("you said two")
				leo.Says("hi")
				leo.Expects("you said hi")
				w.Stop()
				ana.Says("three")
				w.PutBack(copied, told)
				w.Start()
				ana.Expects("you said three")
				w.Advance(time.Minute)
				leo.Says("and now?")
				leo.Expects("you said and now?")
				w.Advance(2 * time.Minute)
				want := []string{"you said one", "you said two", "you said three"}
				if got := heardBy(w, ana); !slices.Equal(got, want) {
					t.Errorf("ana has heard %q\n%s", got, w.Log())
				}
				if got := heardBy(w, leo); len(got) != 2 {
					t.Errorf("leo has heard %q", got)
				}
				if n := strings.Count(w.Log(), "a copy of the database was put back"); n != 1 {
					t.Errorf("%d lines of the log tell of it\n%s", n, w.Log())
				}
			})
		})
	}
}

// An owner who wrote by hand before the copy, after it, or while the bot was stopped, is not answered over: for as long as after words that
// the bot had seen, counted from when they were said.
func TestOwnerBesideACopy(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: unasked(), Routes: []bot.Route{spoken()}}, func(w *bottest.World) {
		before, after, between, old := w.Person("before"), w.Person("after"), w.Person("between"), w.Person("old")
		all := []*bottest.Person{before, after, between, old}
		for _, p := range all {
			p.Says("hi")
			p.Expects("you said hi")
		}
		tells := func(p *bottest.Person) { w.Account("bot").Tells(p, "this is Mia, I take this one") }
		tells(before)
		w.Advance(time.Minute)
		w.Stop()
		copied := w.Backup()
		w.Start()
		tells(old)
		w.Advance(10 * time.Hour)
		tells(after)
		w.Advance(time.Hour)
		w.Stop()
		w.PutBack(copied, true)
		tells(between)
		for _, p := range all {
			p.Says("thank you, Mia")
		}
		w.Start()
		w.Advance(30 * time.Minute)
		for _, p := range all {
			p.Says("are you there?")
		}
		w.Advance(10 * time.Minute)
		for _, p := range all[1:] {
			if got := heardBy(w, p); len(got) != 2 {
				t.Errorf("%q was heard\n%s", got, w.Log())
			}
		}
		w.Advance(30 * time.Minute) // twelve hours since the copy
		for _, p := range []*bottest.Person{before, old} {
			p.Says("and now?")
			p.Expects("you said and now?")
		}
		for _, p := range []*bottest.Person{after, between} {
			p.Says("and now?")
			p.ExpectsNothing(9 * time.Hour)
		}
		w.Advance(3 * time.Hour)
		for _, p := range []*bottest.Person{after, between} {
			p.Says("hello again")
			p.Expects("you said hello again")
		}
		if !strings.Contains(w.Log(), "person=3") {
			t.Errorf("the log counts wrongly\n%s", w.Log())
		}
	})
}

// What a copy wants to do has been done since, or has not: later messages, reminders, answers on their way. Nothing comes twice, and what nobody
// did comes once.
func TestWishesOfACopy(t *testing.T) {
	t.Parallel()
	routes := []bot.Route{
		bot.On("later", saying("later"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			return t.Message("as you wished", bot.In(30*time.Minute))
		}),
		bot.On("remind", saying("remind"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			t.After(30*time.Minute, "nag")
			return nil
		}),
		bot.On("nag", bot.Timer("nag"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Message("you wanted to be reminded")
		}),
		bot.On("welcome", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error { return t.Message("welcome") }),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error { return t.Reply("here I am") }),
		spoken().Ordered(1),
	}
	for _, takeover := range []time.Duration{0, -1} {
		for _, done := range []bool{true, false} {
			t.Run(fmt.Sprint("takeover ", takeover, ", done since ", done), func(t *testing.T) {
				effort.Case(t)
				cfg := rarely()
				cfg.TakeoverFor = takeover
				bottest.Run(t, bottest.Config{Bot: cfg, Routes: routes}, func(w *bottest.World) {
					later, remind, follow, mention := w.Person("later"), w.Person("remind"), w.Person("follow"), w.Person("mention")
					later.Says("later")
					remind.Says("remind")
					w.Advance(time.Minute)
					w.Stop()
					copied := w.Backup()
					if done {
						w.Start()
					}
					follow.Follows()
					mention.Mentions("what do you think?")
					w.Advance(time.Hour)
					if done {
						w.Stop()
					}
					w.PutBack(copied, true)
					w.Start()
					w.Advance(10 * time.Minute)
					for p, want := range map[*bottest.Person]string{later: "as you wished", remind: "you wanted to be reminded", follow: "welcome"} {
						if got := heardBy(w, p); !slices.Equal(got, []string{want}) {
							t.Errorf("%q was heard instead of %q\n%s", got, want, w.Log())
						}
					}
					replies := 0
					for _, e := range w.Platform().Ledger().Since(0) {
						if e.Kind == emulator.Published && e.From == w.Account("bot").ID() {
							replies++
						}
					}
					if replies != 1 {
						t.Errorf("%d public replies\n%s", replies, w.Log())
					}
				})
			})
		}
	}
}

// A crash in a careful start forgets nothing of it.
func TestCrashInACarefulStart(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{spoken()}}, func(w *bottest.World) {
		people := make([]*bottest.Person, 6)
		for i := range people {
			people[i] = w.Person(fmt.Sprint("p", i))
			people[i].Says("hi")
			people[i].Expects("you said hi")
		}
		w.Stop()
		copied := w.Backup()
		w.Start()
		for _, p := range people {
			p.Says("one")
			p.Expects("you said one")
		}
		w.Stop()
		w.PutBack(copied, true)
		for i := range 8 {
			w.Start()
			w.Advance(time.Duration(i) * 50 * time.Millisecond)
			w.CrashStop()
		}
		w.Start()
		w.Advance(5 * time.Minute)
		for _, p := range people {
			if got := heardBy(w, p); len(got) != 2 {
				t.Errorf("%q was heard\n%s", got, w.Log())
			}
		}
	})
}

// Without a mark nothing changes, but many conversations with words of a rule's that nobody knows are told of.
func TestCopyWithoutAMark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		people int
		told   int
	}{{4, 0}, {5, 1}, {9, 1}} {
		t.Run(fmt.Sprint(c.people), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{spoken()}}, func(w *bottest.World) {
				w.Stop()
				copied := w.Backup()
				w.Start()
				people := make([]*bottest.Person, c.people)
				for i := range people {
					people[i] = w.Person(fmt.Sprint("p", i))
					people[i].Says("hi")
					people[i].Expects("you said hi")
				}
				w.Stop()
				w.PutBack(copied, false)
				if err := os.Remove(w.Database() + ".recorder"); err != nil { // it is another machine
					t.Fatal(err)
				}
				w.Start()
				w.Advance(5 * time.Minute)
				if n := strings.Count(w.Log(), "looks as if an older copy"); n != c.told {
					t.Errorf("told %d times\n%s", n, w.Log())
				}
				for _, p := range people {
					if w.Conversation(p).Owner == "" {
						t.Error("nobody has the conversation")
					}
				}
			})
		})
	}
}
