package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// EventCount is how many events of a kind were seen, and of how many people.
type EventCount struct {
	Kind           event.Kind
	Events, People int
}

// The states of an event.
const (
	EventPending     = "pending"     // waits for its turn
	EventHandled     = "handled"     // had its turn
	EventQuarantined = "quarantined" // failed too often: a person may let it be tried again
)

// EventRow is an event as it is stored.
type EventRow struct {
	event.Event
	State     string
	Tries     int
	Late      bool // it was quarantined, and a person let it have its turn again
	HandledAt time.Time
	Record    event.DecisionRecord
}

// EventQuery says which events are wanted.
type EventQuery struct {
	Account event.Account
	Peer    platform.UserID // 0: of everybody
	State   string          // EventPending or EventQuarantined; "" for any
	Since   time.Time       // seen then or later; zero: whenever
	// Rule is the rule that decided. Outcome is how the event stands: its state, or the outcome in its decision record, in upper or lower
	// case. Each is "" for any; with one of them, State does not count.
	Rule, Outcome string
	// Source limits the query to events of one source, those with the highest numbers first, or of snapshots those that were seen last. 0 is
	// events of all sources, those that were seen last first. It does not go with Peer and State.
	Source event.Source
	// After is the last event of the page before, and AfterSeen when it was seen: the wanted events stand behind it. Zero: from the first one
	// on. A query with After but without Peer and State has to have a Source.
	After     event.ID
	AfterSeen time.Time
	Limit     int
}
