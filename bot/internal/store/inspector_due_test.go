package store_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Of very many actions of one person that are due the first to leave comes first, whatever its key is.
func TestFirstOfManyThatAreDue(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	const many = 1200
	turn := turnOf(message(7, 1))
	for i := range many {
		says(turn, "text", due(noon.Add(time.Duration(many-i)*time.Minute)), func(a *record.Action) { a.Position = int64(i) })
	}
	says(turn, "first", due(noon), func(a *record.Action) { a.Key, a.Position = "message:1/zzz", many })
	f.must(turn)
	d := openInspector(t, f.path)
	f.same("first", []string{"first"}, d.actions(record.ActionQuery{Account: ana, State: event.StateDue, Peer: 7, Limit: 1}))
}
