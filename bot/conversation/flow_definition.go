package conversation

import (
	"context"
	"encoding/json"
	"time"
)

// Signal names a move: what a state's handler, a timeout or a person's decision calls for. Declare signals as
// constants, so that the compiler finds the misspelt ones.
type Signal string

// Signals that a handler may return besides those of its flow's transitions.
const (
	// Stay keeps the state as it is, waiting for the next answer. Its timeout starts anew.
	Stay Signal = ""
	// Pass says that what came is not for the flow: it takes the way it would take without one. The data stay as
	// they were.
	Pass Signal = "(pass)"
	// TimedOut is the signal of a timeout unless FlowState.OnTimeout names another.
	TimedOut Signal = "timeout"
)

// Anywhere as the start of a transition stands for every state that is not final and has no transition of its own for
// the signal.
const Anywhere = "*"

// Definition is what a flow is made of.
type Definition[T, D any] struct {
	// States in the order in which people should read them.
	States []FlowState[T, D]

	// Transitions are all moves. There is one at most for a state and a signal.
	Transitions []Transition[T, D]

	// Start is the state of a new instance. Defaults to the first of States.
	Start string

	// Version is that of D. Raise it when D changes so that old data no longer decode. Defaults to 1.
	Version int

	// Migrate makes the data of another version into those of this one. Required when Version is above 1. It is also
	// asked about higher versions, those of a program that was rolled back, and may refuse them.
	Migrate func(version int, data json.RawMessage) (D, error)

	// Renamed leads from states that earlier programs had, and may have left conversations in, to states of today.
	Renamed map[string]string
}

// FlowState is one place where a conversation can stand. All functions get the context of the step, with what middleware has put there, the turn and
// the data, may change the data, and may run again for the same trigger: they collect actions on the turn and touch nothing else. An error makes the
// whole step not happen.
type FlowState[T, D any] struct {
	// Name is kept with each conversation: letters, digits, "-", "_" and ".". See Definition.Renamed.
	Name string

	// Enter runs when the state is entered, also from itself. It usually asks something. Optional.
	Enter func(ctx context.Context, t T, d *D) error

	// Handle reads what came from the person and returns the signal to move on with, or Stay, or Pass. Without it
	// everything passes, and the state waits for Fire or its timeout.
	Handle func(ctx context.Context, t T, d *D) (Signal, error)

	// Timeout is how long the state waits for the person, counted from the last answer that it handled. 0: for ever.
	Timeout time.Duration

	// OnTimeout is the signal that the timeout gives. Defaults to TimedOut.
	OnTimeout Signal

	// Reminders say something while the state waits, each once, in their order, and before the Timeout; an answer that it handled begins them anew. The
	// state stays. Who waits in it already when a program brings the first timer of the state is not reminded. Optional.
	Reminders []Reminder[T, D]

	// Final ends the flow when entered. A final state may have an Enter and nothing else.
	Final bool
}

// Reminder says something to a person who has not answered.
type Reminder[T, D any] struct {
	// After is counted as FlowState.Timeout is: from the last answer that the state handled. Of reminders that are due at once, after an outage,
	// the last one is said, and where the timeout is over, too, none.
	After time.Duration
	// Say says it. It is a function of a state like Enter.
	Say func(ctx context.Context, t T, d *D) error
}

// Transition is a move from one state to another, or to itself: that enters it again.
type Transition[T, D any] struct {
	From string // a state, or Anywhere
	On   Signal
	To   string

	// Guard must hold for the move, else the state stays. It only reads. Optional.
	Guard func(ctx context.Context, t T, d *D) bool
}

// nextDue returns how long after it began to wait the state has something to do, when so many of its reminders were said; 0 for never.
func (s *FlowState[T, D]) nextDue(reminded int) time.Duration {
	if reminded < len(s.Reminders) {
		return s.Reminders[reminded].After
	}
	return s.Timeout
}

// timeoutSignal returns the signal of the state's timeout, "" when it has none.
func (s *FlowState[T, D]) timeoutSignal() Signal {
	switch {
	case s.Timeout <= 0:
		return ""
	case s.OnTimeout != "":
		return s.OnTimeout
	default:
		return TimedOut
	}
}

// expand returns the transitions with Anywhere written out, ordered by state.
func (def *Definition[T, D]) expand() []Transition[T, D] {
	var out []Transition[T, D]
	for _, s := range def.States {
		own := map[Signal]bool{}
		for _, tr := range def.Transitions {
			if tr.From == s.Name {
				own[tr.On] = true
			}
		}
		for _, tr := range def.Transitions {
			if tr.From == s.Name || tr.From == Anywhere && !s.Final && !own[tr.On] {
				tr.From = s.Name
				out = append(out, tr)
			}
		}
	}
	return out
}
