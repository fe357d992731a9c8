package cmd

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// Answers that are late stand in each teller's words, with the setting that helps, and in none's when that is over.
func TestTellersOfLateAnswers(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	hi := bot.On("hi", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply("hi") })
	bottest.Run(t, bottest.Config{Start: tuesdayAtTen, Routes: []bot.Route{hi}, Accounts: []event.Account{"main"}, Patience: time.Hour}, func(w *bottest.World) {
		examined := func() string {
			var out, err bytes.Buffer
			sh := cli.Shell{Args: []string{"doctor"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Environ: []string{
				"NECTAR_STORE=sqlite:" + w.Database(), "NECTAR_EMAIL=main@social.example", "NECTAR_PASSWORD=x", "NECTAR_BASE_URL=https://127.0.0.1:1/mobile_api",
			}}
			execute(context.Background(), sh)
			return out.String() + err.String()
		}
		for i := range 600 {
			w.Person(fmt.Sprintf("guest%03d", i)).Says("hi")
			w.Advance(time.Second / 15)
		}
		w.Advance(7 * time.Minute)
		const late, helps = "actions are due, the oldest for 6 minutes, and its pace lets no more leave, since ", "raise NECTAR_PACE, which is 1/s, if the platform takes more"
		prints(t, w, "status", 1, late[:len(late)-len(", since ")], helps)
		prints(t, w, "status --json", 1, `"why": "actions.late?by=pace"`)
		prints(t, w, "accounts", 0, "unwell")
		prints(t, w, "summary", 0, "not well: ", late, helps)
		if said := examined(); !strings.Contains(said, late) || !strings.Contains(said, helps) {
			t.Errorf("the doctor says:\n%s", said)
		}
		w.Advance(10 * time.Minute)
		prints(t, w, "status", 0, "all is well with 1 account")
		if said := examined(); strings.Contains(said, "actions are due") {
			t.Errorf("it is over, and the doctor says:\n%s", said)
		}
	})
}
