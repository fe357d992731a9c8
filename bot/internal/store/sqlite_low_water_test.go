package store_test

import (
	"math"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// What stands above all cursors of its source was numbered absurdly: it stays, however old it is, and what comes with
// ordinary numbers is no older than what was deleted.
func TestRetentionBelowAbsurdNumbers(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	const absurd = math.MaxInt64 - 10
	w.must(at(says(turnOf(message(7, 1)), "plain", in(event.StateDone, 900)), noon), at(says(turnOf(message(7, 2)), "strange", in(event.StateDone, absurd)), noon))
	for n := range int64(4) {
		w.must(at(turnOf(message(7, absurd+n)), noon))
	}
	takeover := event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: ana, Peer: 7}, Choice: "takeover/9223372036854775800"}
	w.must(at(turnBy(takeover), noon))
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, Peer: 7, ID: 901}, record.Cursor{Account: ana, Source: event.Messages, ID: 1})
	w.live(noon.Add(12 * day))
	w.same("floors", []string{"0 900", "1 2"}, column(t, path, `SELECT source || ' ' || number FROM floor WHERE account = 'ana' ORDER BY source`))
	w.same("events", 4, rows(t, path, "event"))
	w.same("turns", 1, rows(t, path, "turn"))
	w.same("actions", []string{"strange"}, column(t, path, `SELECT text FROM action WHERE account = 'ana'`))
	w.must(at(turnOf(message(7, 1000)), noon.Add(12*day)))
	own, err := w.ForgottenUpTo(w.Context(), ana)
	w.same("forgotten", []any{platform.MessageID(900), nil}, []any{own, err})
}

// A low-water mark that an earlier version raised to an absurd number is lowered with the cursor that is set back.
func TestLowWaterSetBack(t *testing.T) {
	t.Parallel()
	w, path := keeping(t)
	for _, source := range []event.Source{event.Messages, event.Notifs} {
		w.QueueCursors(record.Cursor{Account: ana, Source: source, ID: math.MaxInt64})
	}
	w.same("error", nil, w.MarkNow(w.Context()))
	for _, source := range []int{0, 1, 2} {
		change(t, path, `INSERT INTO floor SELECT shard, account, $1, 9223372036854775806 FROM cursor WHERE source = 1`, source)
	}
	w.restart()
	e := message(7, 51)
	w.handled(map[event.ID]bool{e.ID: true}, e.ID) // so it seems
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 50, Back: true}, record.Cursor{Account: ana, Source: event.Notifs, ID: 40, Back: true})
	w.same("error", nil, w.MarkNow(w.Context()))
	w.same("floors", []string{"0 50", "1 50", "2 40"}, column(t, path, `SELECT source || ' ' || number FROM floor WHERE account = 'ana' ORDER BY source`))
	w.handled(map[event.ID]bool{}, e.ID)
	w.must(turnOf(e))
	own, err := w.ForgottenUpTo(w.Context(), ana)
	w.same("forgotten", []any{platform.MessageID(50), nil}, []any{own, err})
}
