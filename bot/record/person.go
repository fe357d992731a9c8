package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Held is an action that was held, with what it waits for.
type Held struct {
	event.Action
	event.Approval
}

// Person is all that is kept of a person by an account.
type Person struct {
	Key          event.Key
	Ignored      time.Time           // since when the bot leaves the person alone; zero when it does not
	Conversation *conversation.State // nil for none
	Events       []EventRow          // in the order of their ids
	Turns        []TurnRow           // of timers and decisions, by id
	Actions      []event.Action      // by key
	Approvals    []Held              // of the actions with this person, without these
	Timers       []TimerRow
	Entries      []event.Entry
	Notices      []event.Notice
	Facts        []TriggerFact
	LimitUses    []LimitUseRow  // of limits that count the person
	Strays       []event.Action // copies of messages and posts that may be on the platform; Key is the stray's id
	Requests     []event.Request
	// Marks counts what is left of somebody who was forgotten, so that nothing comes again: ids and states, without
	// what was said.
	Marks int
}

// TriggerFact is a fact with the id of the trigger that it was recorded for.
type TriggerFact struct {
	Trigger string
	event.Fact
}

// LimitUseRow is a use of a limit.
type LimitUseRow struct {
	Limit, Scope string
	Claimant     string // the key of an action, or the id of a trigger
	At           time.Time
}

// Rows counts what is kept, without marks.
func (p *Person) Rows() int {
	n := len(p.Events) + len(p.Turns) + len(p.Actions) + len(p.Timers) + len(p.Entries) + len(p.Notices) + len(p.Facts) + len(p.LimitUses) +
		len(p.Strays) + len(p.Requests)
	if p.Conversation != nil {
		n++
	}
	return n
}

// Names returns the names and user names under which the person is known, the latest ones first.
func (p *Person) Names() (name, user string) {
	if c := p.Conversation; c != nil {
		name, user = c.Name, c.User
	}
	for i := len(p.Events) - 1; i >= 0 && (name == "" || user == ""); i-- {
		if e := &p.Events[i]; name == "" {
			name = e.Name
		}
		if e := &p.Events[i]; user == "" {
			user = e.User
		}
	}
	return name, user
}

// Ignored is a person who is left alone.
type Ignored struct {
	Peer  platform.UserID
	Since time.Time
}
