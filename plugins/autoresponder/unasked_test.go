package autoresponder_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

const tableFile = `version: 1
name: test
status: live
conversations:
  - id: table
    start: { when: message, if: { text: { any_word: table } } }
    limits: { per_person: 1 per 1d }
    reply_after: 2m
    if_silent: [{ after: 3h, reply: "Still there?" }, { after: 24h, goto: noted }]
    steps:
      - id: day
        ask: "Which day?"
        expect: date
        if_wrong: { say: "That is no day.", then_goto: noted }
        save_as: day
        next: noted
      - id: noted
        say: "Noted: {{day|not given}}."
        end: noted
`

// A question that was taken back before it left, since one of ours took the conversation over, is not asked: nothing is an answer to it, and nobody
// is reminded of it.
func TestQuestionTakenBackByCommand(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", tableFile, "settings.yaml", "version: 1\ntimezone: Europe/Lisbon\n")
	run(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		ana.Says("a table please")
		w.Advance(time.Minute)
		key := event.Key{Account: "bot", Peer: ana.ID()}
		w.Ask(event.Request{Key: key, Wish: event.WishTakeOver, Owner: "ines"}) // who calls her
		w.Advance(10 * time.Minute)
		w.Ask(event.Request{Key: key, Wish: event.WishGiveBack})
		w.Advance(time.Minute)
		ana.Says("thank you for calling")
		ana.ExpectsNothing(4 * time.Hour)
	})
}

// Nor is one that has become too late in a pause, and was withdrawn.
func TestQuestionThatBecameTooLate(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", tableFile, "settings.yaml", "version: 1\ntimezone: Europe/Lisbon\n")
	run(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		ana.Says("a table please")
		w.Advance(time.Minute)
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishPause, Action: "table"})
		w.Advance(7 * time.Hour)
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishGoOn, Action: "table"})
		ana.ExpectsNothing(5 * time.Hour)
	})
}
