package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// TurnRow is a turn that no event started, as it is stored: of a timer or of a person's decision.
type TurnRow struct {
	Account   event.Account
	ID        string // of its trigger: "timer:…", "decision:…"
	Peer      platform.UserID
	HandledAt time.Time
	Record    event.DecisionRecord
	Timer     *TimerRow // of a timer that has had no turn yet; else nil
}

// Recorded is a turn as it was: what started it, what was recorded for it, and what it decided.
type Recorded struct {
	Event   *EventRow // nil for a turn that no event started
	Turn    *TurnRow  // nil for an event's
	Facts   []event.Fact
	Actions []event.Action // as they are now, by key; those that have names last
}

// Trigger returns the id of what started the turn.
func (r *Recorded) Trigger() string {
	if r.Event != nil {
		return r.Event.ID.String()
	}
	return r.Turn.ID
}

// HandledAt returns when the turn was stored; of an event that waits, when it was seen.
func (r *Recorded) HandledAt() time.Time {
	switch {
	case r.Event == nil:
		return r.Turn.HandledAt
	case r.Event.HandledAt.IsZero():
		return r.Event.SeenAt
	}
	return r.Event.HandledAt
}

// TurnQuery says which turns of timers are wanted.
type TurnQuery struct {
	Account event.Account
	Peer    platform.UserID // 0: of everybody
	Timer   string          // the name of the timers
	Rule    string          // that decided; "" for any
	Outcome string          // in upper or lower case; "" for any
	Since   time.Time       // handled then or later
	Limit   int
}
