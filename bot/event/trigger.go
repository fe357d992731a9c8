package event

import "github.com/nectar-bot/nectar/platform"

// TriggerKind says what started a turn.
type TriggerKind uint8

// The kinds of trigger.
const (
	ByEvent TriggerKind = iota + 1
	ByTimer
	ByRequest
	ByNudge
)

// Trigger is what starts a turn: an event, a timer that came due, a person's decision, or a nudge of
// the program's own.
type Trigger struct {
	Kind   TriggerKind
	Key    Key
	Event  Event  // ByEvent
	Timer  Timer  // ByTimer
	Choice string // ByRequest: what the person decided
	Nudge  *Nudge // ByNudge
	// Request is the stored request of the person, with ByRequest; nil when there was none.
	Request *Request
	Late    bool // a retry after quarantine: later events may have been handled already
}

// ID returns the trigger's stable name: the same cause has the same id after any restart.
func (t Trigger) ID() string {
	switch t.Kind {
	case ByTimer:
		return t.Timer.ID()
	case ByRequest:
		return "decision:" + t.Choice
	case ByNudge:
		return t.Nudge.id()
	case ByEvent:
	}
	return t.Event.ID.String()
}

// Peer is the other person of a conversation, as far as events tell.
type Peer struct {
	ID   platform.UserID
	Name string
	User string
}
