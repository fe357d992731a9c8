// Package stored puts into a store what turns would have put there, for tests and benchmarks of what looks at it afterwards: they
// need a hundred thousand turns, and no bot that takes them.
//
//	stored.Commit(st, stored.Write{Turn: &stored.Turn{Trigger: trigger, At: now, Trace: event.DecisionRecord{Outcome: bot.OutcomeHandled}}})
package stored

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

var errDropped = errors.New("it was stored already")

// Turn is a turn as it is committed.
type Turn store.Turn

// Attempt is a failed try of a turn.
type Attempt store.Attempt

// Write is what a commit stores.
type Write struct {
	Turn    *Turn
	Attempt *Attempt
	Pending []event.Event   // that wait for their turn
	Orphans []event.Timer   // for which the program has no route
	Cursors []record.Cursor // how far sources were read
	Done    func(err error) // is called when it is stored, or is known to have failed; nil for nobody
}

// Commit queues a write. What is queued first is stored first; to close the store waits for all.
func Commit(st bot.Store, w Write) {
	x := store.Write{Turn: (*store.Turn)(w.Turn), Attempt: (*store.Attempt)(w.Attempt), Pending: w.Pending, Orphans: w.Orphans, Cursors: w.Cursors}
	if w.Done != nil {
		x.Done = func(r store.Receipt) {
			if r.Dropped {
				r.Err = errDropped
			}
			w.Done(r.Err)
		}
	}
	st.Commit(x)
}

// Mark stores how an action stands, and returns when it is stored.
func Mark(ctx context.Context, st bot.Store, a *event.Action) error {
	return st.MarkNow(ctx, outbox.MarkOf(a))
}
