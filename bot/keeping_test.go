package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
)

// form is a route that keeps conversations of its own: it asks for a name.
func form() bot.Route {
	m := bot.NewMatcher(func(_ context.Context, t *bot.Turn) (event.Message, bool) {
		m, ok := t.Event.Message()
		return m, ok && (m.Text == "sign up" || t.Conversation.Flow.Active() && m.Text != "other")
	}, event.KindMessage)
	asks := bot.On("form", m, func(_ context.Context, t *bot.Turn, m event.Message) error {
		if !t.Conversation.Flow.Active() {
			engine.Of(t).EnterFlow(conversation.Instance{Flow: "rules/form", State: "name", Since: t.Now})
			return t.Reply("your name?")
		}
		engine.Of(t).EnterFlow(conversation.Instance{})
		return t.Reply("welcome, " + m.Text)
	})
	return engine.Route(asks.Ordered(5), engine.Ways{Keeps: "rules/"})
}

// The messages of a conversation that a route keeps are given to it first, over restarts; what it does not
// match goes on to the others.
func TestRouteKeepsConversations(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{form(), echo()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("sign up") // echo comes first, and the form is not open
		ana.Expects("sign up")
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{form(), echo().Ordered(9)}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi", "sign up")
		ana.Expects("hi", "your name?")
		w.Deploy(func(c *bottest.Config) { c.Routes = []bot.Route{form(), echo()} })
		ana.Says("other", "Ana", "hi")
		ana.Expects("other", "welcome, Ana", "hi")
		if strings.Contains(w.Log(), "stand in a flow") {
			t.Error(w.Log())
		}
	})
}

// Two routes that keep the same conversations are refused.
func TestRoutesThatKeepTheSame(t *testing.T) {
	t.Parallel()
	other := engine.Route(echo(), engine.Ways{Keeps: "rules/form/"})
	_, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{form(), other}})
	if err == nil || !strings.Contains(err.Error(), "keep the same conversations") {
		t.Error(err)
	}
}

// The timers that watch over a conversation which a person has come all the same, and the silence of who it
// was handed to counts from their last message.
func TestTimersOfWhatAPersonHas(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("human", func(_ context.Context, t *bot.Turn) error {
			t.HandoffFor("ines", 4*time.Hour)
			t.After(time.Hour, bot.OwnedTimer+"nobody")
			t.After(time.Hour, "reminder")
			return t.Reply("one moment")
		}),
		bot.On("nobody", bot.Timer(bot.OwnedTimer+"nobody"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			if t.Conversation.OwnerWrote.IsZero() {
				t.After(time.Hour, bot.OwnedTimer+"nobody")
				return t.Message("somebody comes soon")
			}
			return nil
		}),
		bot.On("reminder", bot.Timer("reminder"), says[event.Timer]("still there?")),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("human")
		ana.Expects("one moment")
		w.Advance(90 * time.Minute)
		ana.Expects("somebody comes soon")
		w.Crash()
		w.Account("bot").Tells(ana, "hello, it is Ines")
		w.Advance(time.Minute)
		wrote := w.Conversation(ana)
		if wrote.Owner != "ines" || wrote.OwnerFor != 4*time.Hour || time.Since(wrote.OwnerWrote) > 2*time.Minute {
			t.Errorf("the conversation is %+v", wrote)
		}
		ana.ExpectsNothing(3 * time.Hour) // four after the handoff
		ana.Says("hello?")
		ana.ExpectsNothing(30 * time.Minute)
		w.Advance(time.Hour) // more than four after what Ines wrote
		ana.Says("and now?")
		ana.Expects("still there?", "and now?")
		if c := w.Conversation(ana); c.Owner != "" || c.OwnerFor != 0 || !c.OwnerWrote.Equal(wrote.OwnerWrote) {
			t.Errorf("the conversation is %+v", c)
		}
	})
}
