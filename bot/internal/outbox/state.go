package outbox

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// Transition is one way of an action from a state to another. docs/architecture/actions.md has a diagram of them.
type Transition struct {
	From, To event.State // from "" it is decided
	Why      string
}

// Transitions are all there are.
var Transitions = []Transition{
	{"", event.StateDue, "decided"},
	{"", event.StateSending, "decided, and may leave at once"},
	{"", event.StateHeld, "decided on ask, or by a rule that is paused"},
	{"", event.StateWithdrawn, "decided, and not wished"},
	{event.StateDue, event.StateSending, "its time and its place have come"},
	{event.StateDue, event.StateWithdrawn, "taken back, too late, or its limit is used up"},
	{event.StateSending, event.StateDone, "the platform shows the wished result"},
	{event.StateSending, event.StateRefused, "the platform says no"},
	{event.StateSending, event.StateInDoubt, "it left, and no answer arrived"},
	{event.StateSending, event.StateHeld, "it waits for a person, or cannot leave"},
	{event.StateSending, event.StateDue, "it goes back before it left"},
	{event.StateSending, event.StateWithdrawn, "taken back, too late, or a later wish took its place"},
	{event.StateSending, event.StateDead, "nobody knows its verb"},
	{event.StateInDoubt, event.StateDone, "it is found"},
	{event.StateInDoubt, event.StateSending, "it is proven not to have happened"},
	{event.StateInDoubt, event.StateRefused, "what it owes is refused"},
	{event.StateInDoubt, event.StateHeld, "nobody can tell"},
	{event.StateHeld, event.StateDue, "a person releases it"},
	{event.StateHeld, event.StateDone, "a person approves what only concerns us"},
	{event.StateHeld, event.StateWithdrawn, "a person drops it, or too late"},
}

// MayBecome reports whether an action may go from a state to another in one step.
func MayBecome(from, to event.State) bool {
	for i := range Transitions {
		if t := &Transitions[i]; t.From == from && t.To == to {
			return true
		}
	}
	return from == to
}

// Strict lets a transition panic that is not in the table: tests set it before anything runs. Without it only what has ended does, since it
// could leave once more; for the rest a bot that ends again and again is worse than a table that lacks a line.
var Strict bool

// ChangeState is the only way of an action in memory to another state. One that is not in the table is a mistake of ours.
func ChangeState(a *event.Action, to event.State) {
	if a.State != to && (Strict || a.State.Final()) && !MayBecome(a.State, to) {
		panic(fmt.Sprintf("outbox: an action %q that is %q becomes %v", a.Key, a.State, to))
	}
	if a.State != to {
		a.State, a.Why = to, "" // it was why it had come to where it stood
	}
}

// changeState takes an item to another state, with the reason; "" for none.
func (d *delivery) changeState(to event.State, why event.Reason) {
	ChangeState(&d.Action, to)
	reason.Set(&d.Action, why)
	d.noteStayed()
}

// enterText is changeState with a reason that is told in words which others have written.
func (d *delivery) enterText(to event.State, code event.ReasonCode, text string) {
	ChangeState(&d.Action, to)
	reason.SetText(&d.Action, code, text)
	d.noteStayed()
}

// noteStayed takes back that an item was to leave, when it has gone elsewhere before a request of it left.
func (d *delivery) noteStayed() {
	switch d.State {
	case event.StateDue, event.StateHeld, event.StateWithdrawn, event.StateDead:
		if d.Tries == 0 && !d.earlier {
			d.LeftAt = time.Time{}
		}
	default:
	}
}
