package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
)

// Write is one unit of a commit: all of it is stored, or nothing. It must not be changed any more once
// it was given to Commit.
type Write struct {
	Turn    *Turn         // a turn that has decided
	Pending []event.Event // events that wait for their turn; those stored already stay as they are
	Attempt *Attempt      // a try of a turn that failed
	Marks   []outbox.Mark
	Orphans []event.Timer // timers that wait until Adopt; those that are gone, or were set anew, stay as they are
	// Cursors are those of the lists that the write's events came from, where a cursor must not be behind its events: they
	// are stored with the write or not at all, above what Later has queued of the same lists.
	Cursors []record.Cursor
	// Known is what is known of an account from then on, in the place of what was by the same name.
	Known *Known
	// Suspect is what is known from then on of a trigger that may have ended its process.
	Suspect *Suspect

	// Done is called once, in the order of the commits, from a goroutine of the store; never from
	// within Commit. It may commit and mark, but must not wait for the store.
	Done func(Receipt)

	begins   []event.Account // a term of each
	meta     *metaMark
	session  *tokens
	progress *sealProgress
	adopted  *adoption
	pulled   *pulling
	rules    *savedRules
	calls    *calls
	erase    *erasing
	body     conversationBody // of the turn's conversation
	unfit    error            // why it can never be stored
	lazy     bool             // nobody waits for it
	looks    bool             // it stores nothing, and finds out whether anything can be stored
}

// Receipt says what became of a write.
type Receipt struct {
	// Err says why nothing was stored: ErrStale, ErrEnded, ErrUnfit, a DeniedError, or an error of the
	// database, with which the same write may succeed later. With an unclear.Error, which only a store that is
	// closed tells, it may be stored all the same.
	Err error
	// Dropped: the trigger had been handled before; nothing was stored.
	Dropped bool
	// Denied lists the indices of the turn's actions that must not leave: a limit forbade them, and
	// they are stored as withdrawn, or an action of their key was stored before.
	Denied []int
}

// ErrStale is the receipt of a turn that was computed on a conversation that is not the stored one:
// an earlier turn of its lane failed, or somebody else changed the conversation. The lane has to load
// it and run the turn again.
var ErrStale = errors.New("the conversation has changed since the turn began")

// ErrEnded is the receipt of marks that want an action to leave which has ended meanwhile, or is gone:
// it must not leave.
var ErrEnded = outbox.ErrEnded

// ErrUnfit is the receipt of a write that cannot be stored, now or later: a value that is no JSON, or
// one that the database does not take.
var ErrUnfit = errors.New("this cannot be stored")

// DeniedError is the receipt of a turn when one of its own limit uses was denied. The lane has to run it
// again without that use.
type DeniedError struct{ Limit string }

// Error names the limit.
func (e *DeniedError) Error() string { return "the limit " + e.Limit + " is used up" }

// Turn is the outcome of a turn.
type Turn struct {
	// Trigger is what started the turn. It is marked as handled; when it was handled before, the turn is dropped.
	Trigger event.Trigger
	// Conversation is the changed conversation with its next version; nil when it did not change.
	Conversation *conversation.State
	Timers       []event.Timer // set; one with a zero Due is cancelled
	Actions      []record.Action
	Facts        []event.Fact // what is recorded for the trigger already stays as it is
	Record       event.DecisionRecord
	At           time.Time
	Sequence     *Sequence
	// Withdraw says why the conversation's earlier actions that are due are withdrawn; "" leaves them.
	Withdraw string
	// Retry and RetryTimers are quarantined events and timers that wait for their turn again, late, with no
	// tries behind them. The turn is stale when one of them is not quarantined any more.
	Retry       []event.Event
	RetryTimers []event.Timer
	// LimitUses are those of the whole turn: all of them are granted, or nothing of the turn is stored, and
	// the receipt's error is a DeniedError.
	LimitUses []event.LimitUse
	// LimitUseKey is the key of the action that LimitUses belong to: when it ends otherwise than done, those with
	// GiveBack are given back. Without one they belong to the trigger, for good.
	LimitUseKey string
	Entries     []event.Entry // an entry that is in its list already, by its key, stays as it is
	DropLists   []string      // lists of the account of which nothing stays but Entries
	Notices     []event.Notice
	// Known is what is known of the account from then on, in the place of what was by the same names; see Reader.Known.
	Known      []event.Fact
	Deliveries []event.Event // they wait for their turn from then on; what is stored already stays as it is
	// Values are values of the account that the turn has read, or changes. When one of them has another version by now, the
	// turn is stale.
	Values []ValueUse
	// Masks replace the texts of stored events, also that of the trigger.
	Masks []Mask
	// Resume lets what was due when a pause began go on with this turn; nil for nothing.
	Resume *Resume
	// Wait says what the turn means for who waits; zero for nothing.
	Wait Wait
	// Ignore says whether the peer is left alone from now on; nil leaves that as it is.
	Ignore *bool
}

// Resume is the end of a pause: of the account or, with Rule, of what a rule decided and was held for that. What has become
// too late is withdrawn, with its uses of limits given back; the rest is due.
type Resume struct{ Rule string }

// Mask is what is stored as the text of an event instead of what was said.
type Mask struct {
	Event event.ID
	Text  string
}

// Attempt is a failed try of the turn of an event, or of a timer. One of a timer that is gone, or was set anew,
// leaves nothing behind.
type Attempt struct {
	Event event.Event
	Timer *event.Timer // of a timer's turn; Event is zero then
	// Request is that of a request's turn; Event is zero then, and only what was recorded is stored.
	Request *event.Request
	// Tries is 0 for a try that is not counted: only what it recorded is stored.
	Tries       int
	Quarantined bool // this was the last try: the conversation goes on without it
	Facts       []event.Fact
	Record      event.DecisionRecord
	At          time.Time
	Sequence    *Sequence
	Notices     []event.Notice
}

// Sequence ties the turns of a conversation that were computed on one another, and the tries between them:
// when one of them is not stored, those after it are refused with ErrStale. Make a new one after loading
// the conversation.
type Sequence struct {
	broken bool // belongs to the writer
}

// isEmpty reports whether there is nothing to store: somebody only waits for what came before.
func (w *Write) isEmpty() bool {
	return w.Turn == nil && w.Attempt == nil && w.session == nil && w.begins == nil && w.progress == nil && w.adopted == nil && w.pulled == nil && w.Known == nil && w.meta == nil && w.rules == nil && w.erase == nil && w.calls == nil && w.Suspect == nil && !w.looks &&
		len(w.Pending)+len(w.Marks)+len(w.Orphans)+len(w.Cursors) == 0
}

// sequenceOf returns the sequence of the write's turn or try; nil for none.
func (w *Write) sequenceOf() *Sequence {
	switch {
	case w.Turn != nil:
		return w.Turn.Sequence
	case w.Attempt != nil:
		return w.Attempt.Sequence
	}
	return nil
}

// prepare does what can be done before the writer's goroutine gets the write.
func (w *Write) prepare() {
	t := w.Turn
	if t == nil {
		return
	}
	switch t.Trigger.Kind {
	case event.ByEvent, event.ByTimer, event.ByRequest, event.ByNudge:
	default:
		w.unfit = fmt.Errorf("%w: a trigger of kind %d", ErrUnfit, t.Trigger.Kind)
		return
	}
	for i := range t.Actions {
		if p := t.Actions[i].Priority; p > event.Broadcast {
			w.unfit = fmt.Errorf("%w: an action of priority %d", ErrUnfit, p)
			return
		}
	}
	if t.Conversation != nil {
		if err := w.body.encode(t.Conversation); err != nil {
			w.unfit = fmt.Errorf("%w: encode the conversation of %s with %d: %w", ErrUnfit, t.Trigger.Key.Account, t.Trigger.Key.Peer, err)
		}
	}
}
