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
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
)

// opensByRule answers each mention after a while, as a rule does.
func opensByRule(after time.Duration) bot.Route {
	return bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error {
		return t.Reply("we are open", bot.In(after), engine.Decided("open", t.Now.Add(time.Hour)))
	})
}

// A reply in public that has waited in a stop is looked at again before it leaves, however short the stop was: meanwhile the owner, or
// another bot, may have answered.
func TestMentionAnsweredWhileEverythingStood(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(w *bottest.World) (goOn func()){
		"the account is paused": func(w *bottest.World) func() {
			w.Ask(aboutRule(event.WishPause, ""))
			return func() { w.Ask(aboutRule(event.WishGoOn, "")) }
		},
		"the rule is paused": func(w *bottest.World) func() {
			w.Ask(aboutRule(event.WishPause, "open"))
			return func() { w.Ask(aboutRule(event.WishGoOn, "open")) }
		},
		"the bot is stopped": func(w *bottest.World) func() { w.Stop(); return w.Start },
		"the bot crashes":    func(w *bottest.World) func() { w.CrashStop(); return w.Start },
	} {
		for _, within := range []string{"before it is due", "while it is due"} {
			t.Run(name+" "+within, func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{Routes: []bot.Route{opensByRule(20 * time.Second)}}, func(w *bottest.World) {
					ana, leo := w.Person("ana"), w.Person("leo")
					asked := ana.Mentions("@bot are you open?")
					leo.Mentions("@bot and you?")
					w.Advance(10 * time.Second)
					goOn := stop(w)
					w.Advance(2 * time.Second)
					w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
					if within == "while it is due" {
						w.Advance(20 * time.Second)
					}
					goOn()
					ana.ExpectsNothing(10 * time.Minute)
					withdrawn(t, w, ana, "a person of ours has answered it with the reply")
					leo.ExpectsReply("we are open")
				})
			})
		}
	}
}

// So is one that waits since another bot was at work on the account, and whoever lets it go on has not ended that for a minute.
func TestMentionAnsweredByAnotherBotInAStop(t *testing.T) {
	t.Parallel()
	cfg := bottest.Config{Routes: []bot.Route{hours, opensByRule(0)}, Bot: bot.Config{PollInterval: 250 * time.Millisecond}}
	cfg.Transport = overtakenTransport
	bottest.Run(t, cfg, func(w *bottest.World) {
		other := process(t, w, always(faster), bot.Config{PollInterval: 250 * time.Millisecond}, hours)
		doubled(t, w)
		other.stop()
		ana, leo := w.Person("ana"), w.Person("leo")
		asked := ana.Mentions("@bot are you open?")
		leo.Mentions("@bot and you?")
		w.Advance(10 * time.Second)
		w.Platform().Reply(w.Account("bot").ID(), asked, "we are open")
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishResume})
		leo.ExpectsReply("we are open")
		ana.ExpectsNothing(10 * time.Minute)
		withdrawn(t, w, ana, "a person of ours has answered it with the reply")
	})
}

// A turn that failed while everything stood does not go by what it had read below the mention before.
func TestMentionReadAgainAfterAStop(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	route := bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error {
		if tries.Add(1) < 3 { // its second try is a second later, the third five more
			return errors.New("not yet")
		}
		return t.Reply("we are open")
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{route}}, func(w *bottest.World) {
		ana := w.Person("ana")
		asked := ana.Mentions("@bot are you open?")
		for tries.Load() < 2 {
			w.Advance(100 * time.Millisecond)
		}
		w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
		w.Restart()
		ana.ExpectsNothing(10 * time.Minute)
	})
}
