package outbox

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// The request of an action stands in the recorder's file from before its first byte leaves until its end is stored. So after a death of the
// process what is sending, and is not there, has not left: it leaves at once.

// recordDeparture tells by an error that a request of an action must not leave now; otherwise it is recorded that it does.
func (a *Account) recordDeparture(ctx context.Context, d *delivery) error {
	if err := a.checkWanted(ctx, d); err != nil {
		return err
	}
	if d.slot == 0 { //mutate:recorder-departs
		d.slot = a.dispatcher.cfg.Recorder.Begin(recorder.OnWire, string(d.Account), d.Key)
	}
	return nil
}

// recordNoRequest notes that no request of an action is on its way any more, and that none has had an effect.
func (a *Account) recordNoRequest(d *delivery) {
	a.dispatcher.cfg.Recorder.Clear(d.slot)
	d.slot = 0
}

// lastLeft tells of actions that the last incarnation has left open, by position, which of them may have left.
func (a *Account) lastLeft(open []event.Action) []bool {
	left := make([]bool, len(open))
	// What this incarnation has sent in an earlier term, the report of the last one cannot know.
	_, again := a.dispatcher.served.LoadOrStore(a.cfg.Account, true)
	behind := map[orderingKey]bool{}
	for i := len(open) - 1; i >= 0; i-- {
		key := keyOf(&open[i])
		// What is before one of its queue that has left has left, too, whatever the file says.
		left[i] = again || behind[key] || a.dispatcher.cfg.Last.HasLeft(string(open[i].Account), open[i].Key) //mutate:recorder-left
		behind[key] = left[i]
	}
	return left
}

// recordAgain records what may still be on its way of an earlier incarnation, or lets what cannot be leave at once.
func (a *Account) recordAgain(d *delivery, left bool) {
	if !d.inDoubt {
		return
	}
	if left {
		d.slot = a.dispatcher.cfg.Recorder.Begin(recorder.OnWire, string(d.Account), d.Key) //mutate:recorder-again
		return
	}
	ChangeState(&d.Action, event.StateSending)
	d.inDoubt = false
}
