package bot

import "github.com/nectar-bot/nectar/bot/event"

// Route returns the name of the route, or "flow/name" of the flow, that handles the turn; "" while none
// does. It is for middleware.
func (t *Turn) Route() string { return t.route }

// Decided returns the actions that the turn has collected so far. It is for middleware.
func (t *Turn) Decided() []event.Action {
	actions := make([]event.Action, len(t.actions))
	for i := range t.actions {
		actions[i] = t.actions[i].Action
	}
	return actions
}

// Amend applies options to all actions that the turn has collected so far. It is for middleware that
// puts a limit on what handlers decide.
func (t *Turn) Amend(options ...Option) {
	for i := range t.actions {
		for _, o := range options {
			o(t, &t.actions[i])
		}
	}
}

// Checkpoint returns a function that takes back what the turn decides from here on: actions, timers,
// changes of the conversation and of values, notes. What was read stays read. It is for middleware that goes on after
// its handler has failed.
func (t *Turn) Checkpoint() (restore func()) {
	was := *t
	return func() {
		facts, known, words, route, values := t.facts, t.known, t.words, t.route, valuesAsRead(t.values, was.values)
		*t = was
		t.facts, t.known, t.words, t.route, t.values = facts, known, words, route, values
	}
}
