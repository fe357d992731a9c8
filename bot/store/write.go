package store

import (
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/outbox"
	"github.com/nectar-bot/nectar/bot/poll"
)

// Write is one unit of a commit: all of it is stored, or nothing.
type Write struct {
	Turn    *Turn         // a turn that has decided
	Pending []event.Event // events that wait for their turn
	Attempt *Attempt      // a try of a turn that failed
	Marks   []outbox.Mark
	Cursors []poll.Cursor

	session *sealedSession

	// Done is called once, from the writer, in the order of the commits.
	Done func(Receipt)
}

// Receipt says what became of a write.
type Receipt struct {
	Err error // nothing was stored
	// Dropped: the trigger had been handled before; nothing was stored.
	Dropped bool
	// Denied lists the indices of the turn's actions that a limit forbade. They are stored as
	// withdrawn.
	Denied []int
}

// ErrStale is the receipt of a turn that was computed on a conversation that is not the stored one:
// an earlier turn of its lane failed, or somebody else changed the conversation. The lane has to load
// it and run the turn again.
var ErrStale = errors.New("the conversation has changed since the turn began")

// Turn is the outcome of a turn.
type Turn struct {
	Trigger event.Trigger
	// Conversation is the changed conversation with its next version; nil when it did not change.
	Conversation *conversation.State
	Timers       []event.Timer // set; one with a zero Due is cancelled
	Actions      []Action
	Facts        []event.Fact
	Trace        Trace
	At           time.Time
	Lane         *Lane
	// Withdraw says why the conversation's actions that are due are withdrawn; "" leaves them.
	Withdraw string
}

// Action is an action with the limits that it needs.
type Action struct {
	event.Action
	Claims []event.Claim
}

// Trace says why a turn decided what it decided.
type Trace struct {
	Route   string // the route that handled the trigger; "" for none
	Outcome string // handled, unmatched, late, quarantined …
	Note    string // what a person should know about it, one line
}

// Attempt is a failed try of an event's turn.
type Attempt struct {
	Event       event.Event
	Tries       int
	Quarantined bool // this was the last try: the conversation goes on without it
	Facts       []event.Fact
	Trace       Trace
	At          time.Time
}

// Lane ties the turns of a conversation that were computed on one another: when one of them is not
// stored, those after it are refused with ErrStale. Make a new one after loading the conversation.
type Lane struct {
	broken bool // belongs to the writer
}
