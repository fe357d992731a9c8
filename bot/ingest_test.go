package bot

import (
	"context"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/record"
)

// What one person's conversation has to try again does not keep the others from being read, nor does what waits
// and is noteStored, up to a bound; what is read faster than it is handled does.
func TestRoomForBatches(t *testing.T) {
	t.Parallel()
	in := &ingest{}
	number := 0
	next := func(n int) (events []event.Event) {
		for range n {
			number++
			events = append(events, event.Event{Account: "main", ID: event.ID{Source: event.Messages, Number: int64(number)}})
		}
		return events
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // whoever would have to wait gets an error
	waits := func(what string, want bool) {
		t.Helper()
		if err := in.wait(ended); (err != nil) != want {
			t.Errorf("%s: the poller waits: %v, want %v", what, err != nil, want)
		}
	}
	old := next(2 * maxPolled)
	for _, e := range old {
		in.notePending(e.ID)
	}
	waits("what is tried again", false)
	cursor := record.Cursor{Account: "main", Source: event.Messages}
	var first []event.Event
	var track *track
	for room := maxWaiting; room > 0; room -= maxPolled {
		batch := poll.Batch{Cursor: cursor, Events: next(maxPolled)}
		fresh, its, _ := in.admitBatch(batch, nil, 0)
		if len(fresh) != maxPolled {
			t.Errorf("%d events are admitted, want %d", len(fresh), maxPolled)
		}
		waits("while the lanes are full", true)
		if first == nil {
			first, track = fresh, its
			in.notePending(first[0].ID) // it counts once, as before
			for _, e := range old {
				in.noteLeft(e.ID)
			}
			waits("what was tried again has left", true)
		}
		for _, e := range fresh {
			in.notePersisted(e.ID, its)
		}
		waits("what waits is stored", room == maxPolled)
	}
	if track.left != 0 {
		t.Errorf("a batch waits for %d events that are stored", track.left)
	}
	in.noteLeft(first[0].ID)
	waits("one event has had its turn", false)
}
