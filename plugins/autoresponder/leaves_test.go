package autoresponder_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// What no rule answers goes on to routes behind the rules, and then to the fallback. Their decision record says who answered, and what the rules keep stays:
// the day's greeting is said once. Where nobody answers, the record is the rules'.
func TestRulesLeaveWhatTheyDoNotAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "rules.yaml", `version: 1
status: live
timezone: Europe/Lisbon
rules:
  - id: hours
    when: message
    limits: {per_person: 9 per 1h}
    if:
      text: {any_phrase: [hours]}
    then:
      - reply: From nine to five.
`)
	bottest.Run(t, bottest.Config{
		Start: tuesday,
		Bot:   bot.Config{PollInterval: 30 * time.Second, RequestPause: 15 * time.Second, Pace: &event.Pace{}},
		Routes: []bot.Route{
			bot.On("stock", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
				if !strings.Contains(m.Text, "stock") {
					return bot.Decline
				}
				return t.Reply("three are left")
			}).Ordered(101),
			bot.On("first", bot.AnyMessage(), func(context.Context, *bot.Turn, event.Message) error { return bot.Decline }),
		},
		Fallback: bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error {
			if t.Text() == "hm" {
				return bot.Decline
			}
			return t.Reply("I will ask")
		}),
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Look: 20 * time.Second, Log: log}, st)
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		for _, x := range [][2]string{{"your hours?", "From nine to five."}, {"in stock?", "three are left"}, {"do you deliver?", "I will ask"}} {
			ana.Says(x[0])
			ana.Expects(x[1])
		}
		ana.Says("hm")
		ana.ExpectsNothing(time.Hour)
		want := []string{"answered by rules", "handled by stock", "unmatched by fallback", "unmatched by rules"}
		got := w.Decisions(ana)
		for i, d := range got {
			if s := d.Outcome + " by " + d.Route; i >= len(want) || s != want[i] {
				t.Errorf("turn %d: %v", i, d)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d turns", len(got))
		}
	})
}
