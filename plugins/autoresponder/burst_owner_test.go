package autoresponder_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// What one of ours has answered while the bot waited for the rest of it is hers. What is written once the bot has the conversation again is not.
func TestBurstAnsweredByHand(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", `version: 1
name: test
status: live
rules:
  - id: hours
    when: message
    merge_messages: 3m
    if: { text: { any_word: open } }
    then: [{ reply: "At nine." }]
    limits: { per_person: 9 per 1h }
  - id: terrace
    when: message
    merge_messages: 3m
    if: { text: { any_word: terrace } }
    then: [{ reply: "It is heated." }]
    limits: { per_person: 9 per 1h }
`, "settings.yaml", "version: 1\ntimezone: Europe/Lisbon\n")
	tests := []struct {
		name  string
		deals func(w *bottest.World, ana *bottest.Person) // one of ours does, and the bot has the conversation again
		says  string
		hears string
	}{
		{"she writes", func(w *bottest.World, ana *bottest.Person) {
			w.Account("bot").Tells(ana, "Hi Ana, it is!")
			w.Advance(10 * time.Minute)
			w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: event.WishGiveBack})
		}, "are you open on Sunday, too?", "At nine."},
		{"she calls", func(w *bottest.World, ana *bottest.Person) {
			w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: event.WishTakeOver, Owner: "ines"})
			w.Advance(10 * time.Minute)
			w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: event.WishGiveBack})
		}, "are you open on Sunday, too?", "At nine."},
		{"nobody does", func(*bottest.World, *bottest.Person) {}, "and are you open on Sunday?", "At nine.\n\nIt is heated."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			run(t, dir, tuesday, func(w *bottest.World) {
				ana := w.Person("ana")
				w.Advance(time.Minute)
				ana.Says("is the terrace warm?")
				w.Advance(time.Minute)
				test.deals(w, ana)
				w.Advance(time.Minute)
				ana.Says(test.says)
				ana.Expects(test.hears)
				ana.ExpectsNothing(3 * time.Hour)
			})
		})
	}
}
