package bot

import (
	"context"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/poll"
)

// What one person's conversation has to try again does not keep the others from being read; what is read
// faster than it is handled does.
func TestRoomForBatches(t *testing.T) {
	t.Parallel()
	in := newIngest()
	id := func(n int) event.ID { return event.ID{Source: event.Messages, Number: int64(n)} }
	ended, cancel := context.WithCancel(t.Context())
	cancel() // whoever would have to wait gets an error
	for n := range 2 * maxSeen {
		in.again(eventKey{"main", id(n)})
	}
	if err := in.wait(ended); err != nil {
		t.Errorf("what is tried again stops the pollers: %v", err)
	}
	batch := poll.Batch{Cursor: poll.Cursor{Account: "main", Source: event.Messages}}
	for n := range maxSeen {
		batch.Events = append(batch.Events, event.Event{Account: "main", ID: id(2*maxSeen + n)})
	}
	if fresh, _, _ := in.admit(batch, nil, 0); len(fresh) != maxSeen {
		t.Errorf("%d events are admitted, want %d", len(fresh), maxSeen)
	}
	if in.wait(ended) == nil {
		t.Error("nobody waits while the lanes are full")
	}
	in.again(eventKey{"main", id(2 * maxSeen)}) // it counts once, as before
	for n := range 2 * maxSeen {
		in.landed("main", id(n))
	}
	if in.wait(ended) == nil {
		t.Error("what is tried again made room when it left")
	}
	in.landed("main", id(2*maxSeen))
	if err := in.wait(ended); err != nil {
		t.Errorf("the pollers wait though there is room: %v", err)
	}
}
