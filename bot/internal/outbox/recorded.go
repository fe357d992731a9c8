package outbox

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// The request of an action stands in the recorder's file from before its first byte leaves until its end is stored. So after a death of the
// process what is sending, and is not there, has not left: it leaves at once.

// departs tells by an error that a request of an action must not leave now; otherwise it is recorded that it does.
func (b *Account) departs(ctx context.Context, it *delivery) error {
	if err := b.wanted(ctx, it); err != nil {
		return err
	}
	if it.slot == 0 { //mutate:recorder-departs
		it.slot = b.dispatcher.cfg.Recorder.Begin(recorder.OnWire, string(it.Account), it.Key)
	}
	return nil
}

// unrecord notes that no request of an action is on its way any more, and that none has had an effect.
func (b *Account) unrecord(it *delivery) {
	b.dispatcher.cfg.Recorder.Clear(it.slot)
	it.slot = 0
}

// lastLeft tells of actions that the last incarnation has left open, by position, which of them may have left.
func (b *Account) lastLeft(open []event.Action) []bool {
	left := make([]bool, len(open))
	// What this incarnation has sent in an earlier term, the report of the last one cannot know.
	_, again := b.dispatcher.served.LoadOrStore(b.cfg.Account, true)
	behind := map[orderingKey]bool{}
	for i := len(open) - 1; i >= 0; i-- {
		key := keyOf(&open[i])
		// What is before one of its queue that has left has left, too, whatever the file says.
		left[i] = again || behind[key] || b.dispatcher.cfg.Last.HasLeft(string(open[i].Account), open[i].Key) //mutate:recorder-left
		behind[key] = left[i]
	}
	return left
}

// recordAgain records what may still be on its way of an earlier incarnation, or lets what cannot be leave at once.
func (b *Account) recordAgain(it *delivery, left bool) {
	if !it.inDoubt {
		return
	}
	if left {
		it.slot = b.dispatcher.cfg.Recorder.Begin(recorder.OnWire, string(it.Account), it.Key) //mutate:recorder-again
		return
	}
	Enter(&it.Action, event.StateSending)
	it.inDoubt = false
}
