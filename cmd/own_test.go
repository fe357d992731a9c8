package cmd

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// bakery is a plugin that posts what it is told, under a name, and by itself after an hour; it fails when it has to.
func bakery() []bot.Route {
	count := bot.NewAccountValue[int]("bakery", "posts")
	return []bot.Route{
		bot.On("start", bot.Started("bakery/start"), func(_ context.Context, t *bot.Turn, _ event.Nudge) error {
			t.After(time.Hour, "bakery/daily")
			t.After(2*time.Hour, "bakery/fails")
			return nil
		}),
		bot.On("daily", bot.Timer("bakery/daily"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Publish("fresh bread")
		}),
		bot.On("fails", bot.Timer("bakery/fails"), func(context.Context, *bot.Turn, event.Timer) error { return errors.New("no flour") }),
		bot.On("say", bot.Asked("bakery/say"), func(ctx context.Context, t *bot.Turn, a event.Told) error {
			n, _, err := count.Load(ctx, t)
			if err != nil {
				return err
			}
			own, err := t.OwnPage(ctx, 5)
			if err != nil {
				return err
			}
			t.Note("post number %d, after %d on the page", n+1, len(own))
			return errors.Join(count.Save(ctx, t, n+1), t.Publish(a.Text, bot.Keyed("bakery/"+a.Text), bot.Held("needs a look")))
		}),
	}
}

// What an account does by itself is shown where what is done with people is, with "account" in the place of their names.
func TestOwnConversation(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: bakery(), Bot: bot.Config{PollInterval: 10 * time.Minute}}, func(w *bottest.World) {
		w.Advance(65 * time.Minute)
		w.Account("bot").ExpectsPost("fresh bread")
		if got := w.Account("bot").Tell("bakery/say", "cake"); got.Note != "post number 1, after 1 on the page" {
			t.Errorf("the answer is %+v", got)
		}
		w.Advance(time.Hour)
		run := func(args ...string) string {
			t.Helper()
			got := beside(t, w, args...)
			return got.stdout + got.stderr
		}
		request := ""
		for _, tr := range w.Account("bot").OwnDecisions() {
			if strings.HasPrefix(tr.Trigger, "decision:request/") {
				request = tr.Trigger
			}
		}
		for _, c := range []struct {
			args []string
			want []string
		}{
			{[]string{"conversations", "show", "account"}, []string{
				"the own conversation of the account bot", `nudge "bakery/start"`, `timer "bakery/daily"`, `asked for bakery/say "cake"`,
				"post number 1, after 1 on the page", `"fresh bread"`, "name:bakery/cake", "needs a look",
			}},
			{[]string{"conversations", "show", "account", "--json"}, []string{`"turn":{"id":"nudge:bakery/start/`, `"key":"name:bakery/cake"`}},
			{[]string{"outbox", "--held"}, []string{"  account  ", "name:bakery/cake", "needs a look"}},
			{[]string{"events", "--quarantined"}, []string{"timer:0/bakery/fails/", "  account  ", "no flour"}},
			{[]string{"events", "retry", "--all", "--wait", "0s"}, []string{"account: asked for"}},
			{[]string{"summary"}, []string{"account"}},
			{[]string{"why", "name:bakery/cake"}, []string{
				`somebody asked for bakery/say "cake"`, "of the account itself", "It was handled by say", "held", "what it read", "the own page: ", `not reposted by the account: "fresh bread"`,
			}},
			{[]string{"why", request}, []string{`somebody asked for bakery/say "cake"`, "name:bakery/cake"}},
			{[]string{"why", w.Account("bot").OwnDecisions()[0].Trigger}, []string{"the program itself began it", "of the account itself"}},
			{[]string{"export", "account"}, []string{`"account" is nobody: it is the account's own conversation`}},
			{[]string{"export", "0"}, []string{`"account" is nobody`}},
			{[]string{"forget", "account", "--yes"}, []string{`"account" is nobody`}},
			{[]string{"conversations", "take-over", "account"}, []string{`"account" is nobody`}},
			{[]string{"outbox", "--peer", "0"}, []string{`"account" is nobody`}},
			{[]string{"tell", "bakery/say", "pie", "--wait", "0s"}, []string{"bakery/say: asked for"}},
			{[]string{"tell"}, []string{"name what is asked for"}},
			{[]string{"outbox", "release", "name:bakery/cake", "--wait", "0s"}, []string{"name:bakery/cake: asked for"}},
			{[]string{"audit", "--json"}, nil},
			{[]string{"doctor"}, nil},
		} {
			got := run(c.args...)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("nectar %s does not say %q:\n%s", strings.Join(c.args, " "), want, got)
				}
			}
			if strings.Contains(got, "peer 0") || strings.Contains(got, "with 0") {
				t.Errorf("nectar %s speaks of nobody:\n%s", strings.Join(c.args, " "), got)
			}
		}
		w.Account("bot").ExpectsPost("cake")
		w.Advance(time.Minute)
		if got := run("outbox", "--held"); !strings.Contains(got, "name:bakery/pie") {
			t.Errorf("what was told is not there:\n%s", got)
		}
	})
}
