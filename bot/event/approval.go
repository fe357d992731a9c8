package event

import (
	"encoding/json"
	"time"
)

// NeedsApproval is why an action is held that a person has to approve.
const NeedsApproval = "needs approval"

// Approval is what an action waits for that a person of ours has to approve, what waits with it, and what became of it.
type Approval struct {
	// Group is the key of the first of the actions that wait together: a decision about one of them is a decision about
	// all.
	Group string
	// Within is how long somebody may approve it, as people are told, and Expires until when; both zero for ever.
	Within  time.Duration
	Expires time.Time
	// Effects is what else happens when it is approved. Of a group, the first action has them.
	Effects Effects
	// Verdict is what was decided; zero while it waits.
	Verdict Verdict
}

// Expired reports whether an approval that was given at a time came too late.
func (a *Approval) Expired(given time.Time) bool {
	return !a.Expires.IsZero() && given.After(a.Expires)
}

// Verdict is what was decided about an action that was held.
type Verdict struct {
	Ruling Ruling
	By     string // who decided; "" when nobody said so, or nobody did
	At     time.Time
}

// Ruling is a decision in one word.
type Ruling string

// The rulings. Their values are stored; they never change.
const (
	Released Ruling = "released" // it was approved, or let go
	Edited   Ruling = "edited"   // it was released with another text
	Dropped  Ruling = "dropped"  // it was refused, or taken back
	Expired  Ruling = "expired"  // nobody approved it in time
)

// Effects are what a turn wants to happen beside its actions, once these are approved. They are stored as JSON.
type Effects struct {
	Labels   []string     `json:"labels,omitempty"`
	Unlabels []string     `json:"unlabels,omitempty"`
	Entries  []HeldEntry  `json:"entries,omitempty"`
	Notices  []HeldNotice `json:"notices,omitempty"`
	Handoff  *HeldHandoff `json:"handoff,omitempty"`
	Leaves   string       `json:"leaves,omitempty"` // the conversation leaves the flow with a name that begins so
	Timers   []HeldTimer  `json:"timers,omitempty"`
	Stamps   []Stamp      `json:"stamps,omitempty"`
}

// None reports whether there are no effects.
func (e *Effects) None() bool {
	return len(e.Labels)+len(e.Unlabels)+len(e.Entries)+len(e.Notices)+len(e.Timers)+len(e.Stamps) == 0 && e.Handoff == nil && e.Leaves == ""
}

// HeldEntry is an entry of a list that waits. Trigger is what led to it.
type HeldEntry struct {
	List    string          `json:"list"`
	Key     string          `json:"key"`
	Trigger string          `json:"trigger"`
	Text    string          `json:"text,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// HeldNotice is a notice that waits.
type HeldNotice struct {
	Who     string `json:"who"`
	Text    string `json:"text"`
	Private bool   `json:"private,omitempty"`
	Kind    string `json:"kind,omitempty"` // what it is about
	// Details are what is told beside the text; nil for nothing more.
	Details json.RawMessage `json:"details,omitempty"`
	Summary bool            `json:"-"` // the text says no more than who has said what
	Urgent  bool            `json:"-"` // as its Details say
}

// HeldHandoff gives the conversation to a team, for a while or, with For 0, until it is given back.
type HeldHandoff struct {
	To  string        `json:"to"`
	For time.Duration `json:"for,omitempty"` // nanoseconds
}

// HeldTimer is a timer that is set when the approval comes, to a time After that; 0 cancels the timer.
type HeldTimer struct {
	Name  string          `json:"name"`
	After time.Duration   `json:"after,omitempty"` // nanoseconds
	Data  json.RawMessage `json:"data,omitempty"`
	Stamp string          `json:"stamp,omitempty"` // a field of Data that becomes the time of the approval
}

// Stamp is a place in a conversation's values that becomes the time of the approval: the name of the value,
// "plugin/name", and the fields in it, from outside in.
type Stamp struct {
	Value string   `json:"value"`
	Path  []string `json:"path"`
}
