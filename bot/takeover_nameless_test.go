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

// Where answers never name what was sent, the bot's own words are the bot's, also over a crash and when they come again, and a person's
// are hers.
func TestOwnWordsThatNobodyNamed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nameless", "no-code-nameless"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dialect, err := emulator.ParseDialect(name)
			if err != nil {
				t.Fatal(err)
			}
			bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Platform: emulator.Config{Dialect: dialect}}, func(w *bottest.World) {
				ana := w.Person("ana")
				for range 3 { // the words of one question come again with the next
					ana.Says("open?")
					ana.Expects("open?")
					w.Advance(10 * time.Minute)
				}
				for i := range 5 { // read by the next incarnation
					text := fmt.Sprintf("and number %d?", i)
					ana.Says(text)
					ana.Expects(text)
					w.Crash()
					w.Advance(10 * time.Minute)
				}
				if c := w.Conversation(ana); c.Owner != "" {
					t.Fatalf("the bot's own words gave the conversation to %q", c.Owner)
				}
				leo, zoe, max := w.Person("leo"), w.Person("zoe"), w.Person("max")
				leo.Says("hello")
				leo.Expects("hello")
				w.Advance(10 * time.Minute)
				max.Says("hello")
				max.Expects("hello")
				w.Platform().DeleteChat(w.Account("bot").ID(), max.ID()) // nobody reads what the bot has said to him
				w.Advance(time.Minute)
				// leo is told the same again.
				for who, says := range map[*bottest.Person]string{ana: "We open at nine.", leo: "hello", zoe: "hello", max: "We open at nine."} {
					w.Platform().SayAs(w.Account("bot").ID(), who.ID(), says)
					w.Advance(time.Minute)
					if c := w.Conversation(who); c.Owner != bot.OwnedByPerson {
						t.Errorf("a person of ours wrote %q, and the conversation is %q's", says, c.Owner)
					}
				}
				ana.Says("thanks")
				ana.ExpectsNothing(time.Minute)
			})
		})
	}
}

// Who is forgotten before the bot's own words to her were read is forgotten all the same: they are nobody's hand afterwards, and a person's words are. What nobody
// can read any more is not waited for.
func TestForgetWhatNobodyNamed(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *bottest.World, ana *bottest.Person){
		"at once":        func(*bottest.World, *bottest.Person) {},
		"it dies":        func(w *bottest.World, _ *bottest.Person) { w.Crash() },
		"it was deleted": func(w *bottest.World, ana *bottest.Person) { w.Platform().DeleteChat(w.Account("bot").ID(), ana.ID()) },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: remembering(), Platform: emulator.Config{Dialect: emulator.Dialect{Nameless: true}}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("zebra one")
				ana.Expects("zebra one after nothing")
				ana.Says("later zebra")
				w.Advance(time.Hour)
				ana.Expects("later: it is time") // long after her words were read
				q := w.Ask(forgetting(ana))[0]
				meanwhile(w, ana)
				w.Advance(time.Minute)
				if a := w.Answer(q); a.Outcome != bot.OutcomeHandled {
					t.Errorf("it waits for ever: %+v", a)
				}
				ana.ExpectsNothing(time.Hour)
				ana.Says("hello")
				ana.Expects("hello after nothing")
				w.Platform().SayAs(w.Account("bot").ID(), ana.ID(), "later: it is time")
				w.Advance(time.Minute)
				if c := w.Conversation(ana); c.Owner != bot.OwnedByPerson {
					t.Errorf("a person of ours wrote, and the conversation is %q's", c.Owner)
				}
			})
		})
	}
}

// In public, too: a reply of the bot does not keep back the next one to the same post.
func TestOwnRepliesThatNobodyNamed(t *testing.T) {
	t.Parallel()
	twice := bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error {
		if err := t.Reply("we are open"); err != nil {
			return err
		}
		return t.Reply("until six", bot.In(9*time.Minute))
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{twice}, Platform: emulator.Config{Dialect: emulator.Dialect{Nameless: true}}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Mentions("@bot are you open?")
		ana.ExpectsReply("we are open")
		ana.ExpectsReply("until six")
	})
}
