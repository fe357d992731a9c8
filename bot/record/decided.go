package record

import "github.com/nectar-bot/nectar/bot/event"

// Action is an action with the limits that it needs: all of them are claimed, or none. One that is new and
// held claims nothing: its claims are stored with it, for Claims. One that has ended claims nothing.
type Action struct {
	event.Action
	LimitUses []event.LimitUse
	// Held: the action is not new but held, and a person has decided about it. The turn is stale when it
	// is not held any more. Its Claims were taken when it was new.
	Held bool
	// TakenBack: the action is not new but due, and a person has taken it back. The turn is stale when it is not due any more.
	TakenBack bool
	// Approval is, of an action that is new and held, what it waits for; with Held, its Verdict is what was decided. nil
	// for none.
	Approval *event.Approval
}
