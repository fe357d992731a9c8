package rules

import "github.com/nectar-bot/nectar/handlers/text"

// Listed is a rule, or a conversation, as lists of rules show it.
type Listed struct {
	text.At
	ID           string
	Status       Status
	When         []When
	Conversation bool
}

// Listed returns the rules and conversations in the order in which they are tried.
func (v *Version) Listed() []Listed {
	all := make([]Listed, len(v.rules))
	for i, r := range v.rules {
		all[i] = Listed{At: r.at, ID: r.id, Status: r.status, When: r.whens, Conversation: r.talk != nil}
	}
	return all
}
