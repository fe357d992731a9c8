package autoresponder_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

const laterClockRules = `version: 1
status: live
timezone: UTC
rules:
  - id: hello
    when: message
    if: [text: { any_word: [hello] }]
    reply_after: 1m
    then: [{ reply: "Hello." }]
    limits: { per_person: 9 per 1h }
  - id: waiting
    when: silence
    after: 2h
    then: [{ reply: "Somebody answers soon." }]
    limits: { per_person: 9 per 1h }
`

const quietRules = `version: 1
status: live
timezone: UTC
quiet_hours: 14:00-16:00
rules:
  - id: quiet
    when: message
    if: [text: { any_word: [quiet] }]
    then: [{ reply: "Not in quiet hours." }]
    limits: { per_person: 9 per 1h }
`

// By a clock that was five hours ahead, and is set back: what rules say after a while, their silences and their bursts wait for that while; what quiet hours hold
// waits for their end; what is said after it answers what was said before.
func TestRulesAfterALaterClock(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", laterClockRules, "20-quiet.yaml", quietRules)
	ahead := 5 * time.Hour
	bottest.Run(t, bottest.Config{
		Start: tuesday, Bot: bot.Config{PollInterval: time.Minute, RequestPause: 30 * time.Second, Pace: &event.Pace{}},
		Middleware: []bot.Middleware{func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				t.Now = t.Now.Add(ahead)
				return next.Handle(ctx, t)
			})
		}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Look: time.Minute, Log: log}, st)
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) {
		ana, leo, kim, sue := w.Person("ana"), w.Person("leo"), w.Person("kim"), w.Person("sue")
		ana.Says("hello")
		leo.Says("anybody?")
		kim.Says("anybody?")
		sue.Says("quiet")
		w.Advance(2 * time.Minute)
		ahead = 0
		w.Restart()
		ana.Says("hello")
		ana.Expects("Hello.", "Hello.")
		w.Account("bot").Tells(kim, "I am.") // by which the bot is silent, until it is given the conversation back
		w.Advance(2 * time.Minute)
		w.Ask(event.Request{Key: w.Conversation(kim).Key, Wish: event.WishGiveBack})
		w.Advance(88 * time.Minute)
		leo.ExpectsNothing(time.Minute)
		w.Advance(30 * time.Minute)
		leo.Expects("Somebody answers soon.")
		kim.ExpectsNothing(time.Hour)
		sue.ExpectsNothing(150 * time.Minute) // until twenty to four
		w.Advance(50 * time.Minute)
		sue.Expects("Not in quiet hours.")
	})
}
