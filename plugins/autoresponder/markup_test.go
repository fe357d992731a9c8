package autoresponder_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

const markupFile = `version: 1
name: test
status: live
rules:
  - id: open
    when: message
    if: { text: { matches: '^when do you\s+open, @bot\? https://x\.example/a 1 < 2 & 3$' } }
    then:
      - reply: "You wrote:\n{{text}}\nSee https://x.example/b?c=1&d=2 or #menu <b>today</b>"
    limits: { per_person: 99 per 1h }
  - id: mentioned
    when: mention
    if: { text: { matches: '^@bot\s+price\?$' } }
    then: [{ reply: "12" }]
    limits: { per_person: 99 per 1h }
  - id: otherwise
    when: no_match
    then: [{ list: unanswered }]
`

// However a deployment dresses up what people write, rules, answers and lists have it as it was written, and our own words are known again.
func TestMarkup(t *testing.T) {
	t.Parallel()
	for name, dialect := range map[string]emulator.Dialect{
		"markup":               {Markup: true},
		"raw markup":           {Markup: true, RawText: true},
		"without messages":     {Markup: true, Messages: emulator.AbsentPage},
		"escaped":              {},
		"raw":                  {RawText: true},
		"raw without messages": {RawText: true, Messages: emulator.AbsentPage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folderOf(t, "10-a.yaml", markupFile, "settings.yaml", "version: 1\nwho: { team: {} }\n")
			bottest.Run(t, bottest.Config{
				Start: tuesday, Platform: emulator.Config{Dialect: dialect},
				Bot: bot.Config{PollInterval: 30 * time.Second, RequestPause: 15 * time.Second, Pace: &event.Pace{}},
				Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
					p, err := autoresponder.New(autoresponder.Config{Path: dir, Look: 20 * time.Second, Log: log}, st)
					return []bottest.Plugin{p}, err
				},
			}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("when do you\nopen, @bot? https://x.example/a 1 < 2 & 3")
				ana.Expects("You wrote:\nwhen do you\nopen, @bot? https://x.example/a 1 < 2 & 3\nSee https://x.example/b?c=1&d=2 or #menu <b>today</b>")
				ana.ExpectsNothing(10 * time.Minute)
				ana.Says("I <3 you\nall")
				ana.ExpectsNothing(10 * time.Minute)
				w.Inspect(func(d inspect.Inspector) {
					list, err := d.Entries(context.Background(), "bot", "unanswered", "", 10)
					if err != nil || len(list) != 1 || list[0].Text != "I <3 you\nall" {
						t.Errorf("%v, %v", list, err)
					}
				})
				w.Crash()
				ana.ExpectsNothing(10 * time.Minute)
				ana.Mentions("@bot\nprice?")
				ana.ExpectsReply("12")
			})
		})
	}
}
