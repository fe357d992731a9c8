package conversation

import "time"

// Effects is what a step asks of its caller, besides keeping the instance.
type Effects struct {
	Outcome StepResult
	Signal  Signal // what moved, was blocked or was not heard; "" for none
	From    string // the state before; "" at the start
	To      string // the state now

	// Ended tells that the flow is over; the returned instance is the zero one.
	Ended bool

	// A flow has one timer, named Flow.Timer. SetTimer, when not zero, sets it to come due then, in place of what it
	// was set to. CancelTimer takes it away, if it is there. Never both.
	SetTimer    time.Time
	CancelTimer bool
}

// StepResult is how a step ended.
type StepResult uint8

// The outcomes.
const (
	// Moved: a state was entered.
	Moved StepResult = iota + 1
	// Stayed: the state handled what came and waits on.
	Stayed
	// Passed: what came is not for the flow.
	Passed
	// Blocked: the guard of the transition did not hold.
	Blocked
	// Unheard: the state has no transition for the signal.
	Unheard
	// NotDue: the timer that came is no longer that of the state.
	NotDue
	// Reminded: the person was reminded, and the state waits on.
	Reminded
	// Orphaned: the program knows neither the state nor a new name for it. The flow ended, so that the person is not
	// stuck in it.
	Orphaned
)

// String returns the outcome as decision records show it.
func (r StepResult) String() string {
	switch r {
	case Moved:
		return "moved"
	case Stayed:
		return "stayed"
	case Passed:
		return "passed"
	case Blocked:
		return "blocked"
	case Unheard:
		return "unheard"
	case NotDue:
		return "not due"
	case Reminded:
		return "reminded"
	case Orphaned:
		return "orphaned"
	default:
		return "none"
	}
}
