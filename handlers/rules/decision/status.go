package decision

import (
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Status is a step of the ladder of trust.
type Status string

// The steps, from the most careful one on.
const (
	Paused Status = "paused" // not looked at
	Watch  Status = "watch"  // decides and records, does nothing
	Ask    Status = "ask"    // prepares everything; a person approves
	Live   Status = "live"   // acts
)

// FromText reads a status.
func (s *Status) FromText(n text.Node) text.Problems {
	return textfile.OneOf(n, s, Paused, Watch, Ask, Live)
}

// Acts reports whether something may leave, now or once a person approves.
func (s Status) Acts() bool { return s == Ask || s == Live }

// Listed is a rule, or a conversation, as lists of rules show it.
type Listed struct {
	text.At
	ID           string
	Status       Status
	Conversation bool
	Always       bool // it is asked before any step
}
