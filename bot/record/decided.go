package record

import "github.com/nectar-bot/nectar/bot/event"

// Action is an action with the limits that it needs: all of them are granted, or none. A new action that is held
// uses no limit yet: its limit uses are stored with it, for LimitUses. An action that has ended uses no limit.
type Action struct {
	event.Action
	LimitUses []event.LimitUse
	// Held: the action is not new but held, and a person has decided about it. The turn is stale when it
	// is not held any more. Its LimitUses were taken when it was new.
	Held bool
	// TakenBack: the action is not new but due, and a person has taken it back. The turn is stale when it is not due any more.
	TakenBack bool
	// Approval is, of an action that is new and held, what it waits for; with Held, its Verdict is what was decided. nil
	// for none.
	Approval *event.Approval
}
