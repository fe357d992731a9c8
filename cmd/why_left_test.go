package cmd

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// What was withdrawn right before it could leave never left, and why does not name a time at which it did.
func TestWhyOfWhatNeverLeft(t *testing.T) {
	t.Parallel()
	opens := bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, _ event.Mention) error {
		return t.Reply("we are open", bot.In(2*time.Hour))
	})
	bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: 30 * time.Second, RequestPause: time.Minute}, Routes: []bot.Route{opens}}, func(w *bottest.World) {
		ana := w.Person("ana")
		asked := ana.Mentions("@bot are you open?")
		w.Advance(time.Minute)
		w.Platform().Reply(w.Account("bot").ID(), asked, "yes, until six")
		ana.ExpectsNothing(3 * time.Hour)
		got := beside(t, w, "why", idOf(t, w, "@bot are you open?"))
		if !strings.Contains(got.stdout, "it never left: a person of ours has answered it") || strings.Contains(got.stdout, ", left ") {
			t.Errorf("it says\n%s%s", got.stdout, got.stderr)
		}
		if got := beside(t, w, "outbox", "--json"); strings.Contains(got.stdout, "left_at") {
			t.Errorf("it says\n%s%s", got.stdout, got.stderr)
		}
	})
}
