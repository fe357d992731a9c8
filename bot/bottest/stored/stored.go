// Package stored (nothing is promised of it) puts into a store what turns would have put there, for tests and benchmarks of what looks at it afterwards, and for
// the demo, whose bot begins with a past: they need a hundred thousand turns, and no bot that takes them.
//
//	stored.Commit(st, stored.Write{Turn: &stored.Turn{Trigger: trigger, At: now, Record: event.DecisionRecord{Outcome: bot.OutcomeHandled}}})
package stored

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

var errDropped = errors.New("it was stored already")

// Turn is a turn as it is committed.
type Turn struct {
	Trigger      event.Trigger
	Conversation *conversation.State // nil when it did not change
	Timers       []event.Timer
	Actions      []record.Action
	Facts        []event.Fact
	Entries      []event.Entry
	Notices      []event.Notice
	Known        []event.Fact // of the account from then on, in the place of what was by the same names
	Ignore       *bool        // whether the peer is left alone from now on; nil leaves that as it is
	Record       event.DecisionRecord
	At           time.Time
	Waits        *record.Waiting    // the person waits from then on; nil leaves that as it is
	DealtWith    platform.MessageID // a person of ours has dealt with what was written before this message; 0: with nothing
}

func (t *Turn) write() *store.Turn {
	if t == nil {
		return nil
	}
	turn := &store.Turn{
		Trigger: t.Trigger, Conversation: t.Conversation, Timers: t.Timers, Actions: t.Actions, Facts: t.Facts, Entries: t.Entries,
		Notices: t.Notices, Known: t.Known, Ignore: t.Ignore, Record: t.Record, At: t.At,
	}
	if w := t.Waits; w != nil {
		turn.Wait = store.Wait{Does: store.WaitBegins, Words: w.Words, Since: w.Since, Said: w.Said, Why: w.Why, Lasts: w.Lasts}
	}
	if t.DealtWith != 0 {
		turn.Wait = store.Wait{Does: store.WaitDealtWith, Words: event.ID{Source: event.Messages, Number: int64(t.DealtWith)}, Said: t.At}
	}
	return turn
}

// Attempt is a failed try of the turn of an event, or of a timer.
type Attempt struct {
	Event       event.Event
	Timer       *event.Timer // Event is zero then
	Tries       int
	Quarantined bool // this was the last try
	Record      event.DecisionRecord
	At          time.Time
}

func (a *Attempt) write() *store.Attempt {
	if a == nil {
		return nil
	}
	return &store.Attempt{Event: a.Event, Timer: a.Timer, Tries: a.Tries, Quarantined: a.Quarantined, Record: a.Record, At: a.At}
}

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
	x := store.Write{Turn: w.Turn.write(), Attempt: w.Attempt.write(), Pending: w.Pending, Orphans: w.Orphans, Cursors: w.Cursors}
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
