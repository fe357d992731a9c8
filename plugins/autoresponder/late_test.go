package autoresponder_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

const lateRules = `version: 1
status: live
rules:
  - id: hours
    when: message
    if: [text: { any_word: [hours] }]
    then: [{ reply: "We open at nine." }]
    limits: { per_person: 10 per 1h }
`

// More people write than the pace lets the bot answer: the team is called once, with the setting that helps, and once when that is over. The
// heartbeat goes on, since everybody is answered.
func TestCalledForLateAnswers(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	dir := folderOf(t, "10-a.yaml", lateRules, "settings.yaml", "version: 1\nheartbeat: https://beat.example/x\nwho: { team: [\"ntfy://a.example/topic\"] }\n")
	ring, plugin := &phone{}, (*autoresponder.Plugin)(nil)
	bottest.Run(t, bottest.Config{
		Start: tuesday, Bot: bot.Config{PollInterval: 5 * time.Second}, Patience: time.Hour,
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, WebhookHosts: []string{"a.example", "beat.example"}, Transport: ring, Log: log}, st)
			plugin = p
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) {
		plugin.Watch(w.Bot())
		for i := range 700 {
			w.Person(fmt.Sprintf("guest%03d", i)).Says("hours?")
			w.Advance(time.Second / 15)
		}
		w.Advance(10 * time.Minute)
		got := texts(ring.take("a.example"))
		if strings.Count(got, "Answers are late") != 1 || strings.Contains(got, "Over: Answers are late") {
			t.Errorf("while they are: %s", got)
		}
		if beats := len(ring.take("beat.example")); beats < 9 {
			t.Errorf("%d beats in ten minutes: %s", beats, w.Log())
		}
		w.Advance(20 * time.Minute)
		if got := texts(ring.take("a.example")); strings.Count(got, "Over: Answers are late") != 1 {
			t.Errorf("when it is over: %s", got)
		}
	})
}
