package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// What earlier versions stored as "moot" is obsolete for whoever reads it, and goes on being stored so.
func TestObsoleteIsStoredAsBefore(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	turn := turnOf(message(7, 1))
	turn.Record.Outcome = "obsolete"
	f.must(turn, turnOf(message(7, 2)))
	f.same("stored", []string{"moot", "handled"}, column(t, f.path, `SELECT outcome FROM event ORDER BY number`))
	d := openInspector(t, f.path)
	e, ok, err := d.Event(t.Context(), ana, event.ID{Source: event.Messages, Number: 1})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	f.same("read", "obsolete", e.Record.Outcome)
	for _, word := range []string{"obsolete", "Obsolete", "moot"} {
		f.same("found as "+word, []string{"message:1"}, d.events(record.EventQuery{Account: ana, Outcome: word, Limit: 9}))
	}
}
