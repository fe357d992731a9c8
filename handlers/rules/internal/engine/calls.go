package engine

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// CallsPeople reports whether anything that acts calls people of ours.
func (v *Version) CallsPeople() bool {
	return slices.ContainsFunc(v.rules, func(r *rule) bool { return r.status.Acts() && r.callsPeople() })
}

func (r *rule) callsPeople() bool {
	calls := func(a grammar.Act) bool { return a.Notify != nil || a.Handoff != nil }
	return r.tooMany != nil || slices.ContainsFunc(r.acts, calls) || r.led != nil && slices.ContainsFunc(r.led.Conversation.Steps, func(s grammar.Step) bool {
		return s.Handoff != nil || slices.ContainsFunc(s.Then, calls)
	})
}
