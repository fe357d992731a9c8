package campaigns

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Book says what became of slots, or what is prepared for them.
type Book map[SlotID]Entry

// Entry is a slot in the book.
type Entry struct {
	State  State           `json:"state"`
	Minute time.Time       `json:"minute"` // that the plan shows
	At     time.Time       `json:"at,omitzero"`
	Item   string          `json:"item,omitempty"`
	Post   platform.PostID `json:"post,omitempty"`
	Renew  bool            `json:"renew,omitempty"`
	Row    platform.RowID  `json:"row,omitempty"` // of the post on our own page when it was decided; 0: it was not shown there
	Why    string          `json:"why,omitempty"` // why it stayed empty

	// Of what is prepared: a hash of the words that people saw, and what became of the approval.
	Words    string    `json:"words,omitempty"`
	Prepared time.Time `json:"prepared,omitzero"`
	Until    time.Time `json:"until,omitzero"`    // when it is too late, as people were shown it
	Approved time.Time `json:"approved,omitzero"` // when the person gave it
	Refused  time.Time `json:"refused,omitzero"`
	By       string    `json:"by,omitempty"`

	// What was remembered before, for when it does not come about.
	Was   *Use      `json:"was,omitempty"`
	Last  time.Time `json:"last,omitzero"`
	Turns int       `json:"turns,omitempty"`
}

// State is where a slot stands.
type State string

// The states of a slot. Their values are stored; they never change.
const (
	Prepared State = "prepared" // held for a person
	Going    State = "going"    // decided: it waits for its minute, or is on its way
	Done     State = "done"     // published
	Would    State = "would"    // would have been published, but for the status watch
	Empty    State = "empty"    // skipped, or refused by the platform
)

// Open reports whether something may still become of the slot.
func (s State) Open() bool { return s == Prepared || s == Going }

// hasHappened reports whether the slot was used: there is none beside it.
func (s State) hasHappened() bool { return s == Going || s == Done || s == Would }

// Decided reports whether the slot is over for decide.
func (s State) Decided() bool { return s != Prepared }
