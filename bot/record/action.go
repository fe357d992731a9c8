package record

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// ActionQuery says which actions are wanted.
type ActionQuery struct {
	Account event.Account
	Peer    platform.UserID // 0: of everybody
	// State is due, sending, in doubt or held: a state in which an action has not ended. Without one, the
	// actions of Peer are wanted, in any state.
	State event.State
	// After is the last action of the page before; the wanted ones stand behind it, by times, priority, position and key. nil: from the first
	// one on.
	After *event.Action
	Limit int
}

// ActionCount is how many actions of a verb ended in a state.
type ActionCount struct {
	Verb    event.Verb
	State   event.State
	Actions int
	Why     event.Reason `json:",omitempty"` // of what a limit has held back: which one; these count apart
}
