package cmd

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// What comes from outside is delivered by a command, once, and is seen wherever events are: in a person's conversation, and in the account's own.
func TestDeliverCommand(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	type payment struct{ Sum int }
	routes := []bot.Route{
		bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply("hello") }),
		bot.On("paid", bot.Delivered[payment]("shop/paid"), func(_ context.Context, t *bot.Turn, p payment) error {
			return t.Reply(fmt.Sprint("thanks for ", p.Sum))
		}),
		bot.On("closed", bot.Delivered[string]("shop/closed"), func(_ context.Context, t *bot.Turn, day string) error { return t.Publish("closed on " + day) }),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		say := func(args ...string) string {
			t.Helper()
			got := beside(t, w, args...)
			return got.stdout + got.stderr
		}
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"deliver", "@ana", "shop/paid", "4711", `{"Sum": 28}`, "--wait", "0s"}, "shop/paid 4711: asked for"},
			{[]string{"deliver", "@ana", "shop/paid", "4711", `{"Sum": 28}`, "--wait", "0s"}, "shop/paid 4711: asked for"},
			{[]string{"deliver", "account", "shop/closed", "2026-12-24", `"Thursday"`, "--wait", "0s"}, "shop/closed 2026-12-24: asked for"},
			{[]string{"deliver", "@ana"}, "write for whom, what, its id, and its data in JSON"},
			{[]string{"deliver", "@leo", "shop/paid", "1"}, `nobody is known as "@leo"`},
			{[]string{"deliver", "@ana", "shop paid", "1"}, `the name of a delivery, "shop paid", has spaces`},
			{[]string{"deliver", "@ana", "shop/paid", "1", "twenty"}, "DATA is no JSON"},
		} {
			if got := say(c.args...); !strings.Contains(got, c.want) || strings.Count(got, "\n") > 3 {
				t.Errorf("nectar %s does not say %q:\n%s", strings.Join(c.args, " "), c.want, got)
			}
		}
		ana.Expects("thanks for 28")
		w.Account("bot").ExpectsPost("closed on Thursday")
		ana.ExpectsNothing(time.Minute)
		delivered := event.Delivery{Name: "shop/paid", ID: "4711"}.EventID().String()
		for _, c := range []struct {
			args []string
			want []string
		}{
			{[]string{"events"}, []string{"shop/paid 4711", "shop/closed 2026-12-24", delivered}},
			{[]string{"events", "--json"}, []string{`"kind":"delivery"`, `\"id\":\"4711\"`}},
			{[]string{"events", "--outcome", "handled"}, []string{"shop/paid 4711"}},
			{[]string{"conversations", "show", "@ana"}, []string{"shop/paid 4711", "thanks for 28", "delivered as " + delivered}},
			{[]string{"conversations", "show", "account"}, []string{"shop/closed 2026-12-24", "closed on Thursday", "  account  "}},
			{[]string{"why", delivered}, []string{"shop/paid 4711", "thanks for 28"}},
			{[]string{"export", "@ana"}, []string{"4711"}},
			{[]string{"summary"}, nil},
		} {
			got := say(c.args...)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("nectar %s does not say %q:\n%s", strings.Join(c.args, " "), want, got)
				}
			}
		}
		ask := say("deliver", "@ana", "shop/lost", "1", "--wait", "0s")
		w.Advance(5 * time.Second)
		if got := say("conversations", "show", "@ana"); !strings.Contains(got, "no route is for it") {
			t.Errorf("nobody hears that there is no route: %s%s", ask, got)
		}
	})
}
