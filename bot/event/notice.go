package event

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Alarm is something that lasts and of which people of ours were told.
type Alarm struct {
	Account Account // "" for the whole bot
	Kind    string
	Subject string // what it is about; "" where the kind says it all
	Since   time.Time
}

// The kinds of notices that the bot itself leaves, see Notice.Kind, and what it tells apart among those of a kind, see Details.Why.
const (
	CallQuarantine = "quarantine" // something could not be handled
	CallSecondBot  = "second_bot" // another bot answers on the account
	CallRestored   = "restored"   // a copy of the database was put back
	CallHandoff    = "handoff"    // a conversation was given to a team
	CallWaiting    = "waiting"    // nobody has answered a person
	CallCrashed    = "crashed"    // the process had ended without being stopped

	WhyRivalStops  ReasonCode = "rival.stops"      // this bot has stopped for another one
	WhyRivalWarns  ReasonCode = "rival.warns"      // this one goes on, and the other one should stop by itself
	WhyRivalStays  ReasonCode = "rival.stays"      // this one goes on beside the other one
	WhyRivalGone   ReasonCode = "rival.gone"       // the other one has gone, and this one goes on
	WhyCopy        ReasonCode = "restored.copy"    // the database is older than what the bot has done
	WhyLooksCopied ReasonCode = "restored.looks"   // that looks so, and nobody has said it
	WhyRenumbered  ReasonCode = "restored.numbers" // the platform has numbered its messages anew
	WhyCrash       ReasonCode = "crashed.process"  // the whole bot
	WhyWorkerCrash ReasonCode = "crashed.worker"   // one of several workers; worker: its name
)

// Details are what a notice says beside its text.
type Details struct {
	Name string `json:"name,omitempty"` // of the person
	User string `json:"user,omitempty"` // without @

	Said string `json:"said,omitempty"` // what they wrote
	// Why tells notices of the same kind apart, for the text that people read; "" where the kind says it all.
	Why Reason `json:"why,omitempty"`
	// Since is since when the person waits, or something does not work; zero for neither. More is what the person wrote since then, and Told what
	// the bot has said to them.
	Since time.Time `json:"since,omitzero"`
	More  []string  `json:"more,omitempty"`
	Told  []string  `json:"told,omitempty"`

	Answer string `json:"answer,omitempty"` // what the bot would say
	Ask    string `json:"ask,omitempty"`    // what the reader is asked to do
	Do     string `json:"do,omitempty"`     // the command that does it; {who} stands for the person
	As     string `json:"as,omitempty"`     // the kind that it is as urgent as: a reminder of a handoff
	Urgent bool   `json:"urgent,omitempty"` // it rings in quiet hours, also when its kind does not
	Plain  bool   `json:"plain,omitempty"`  // the text says no more than the other fields
	Over   bool   `json:"over,omitempty"`   // what was told before has ended
}

// Encode returns the details as a Notice has them.
func (d *Details) Encode() []byte {
	encoded, err := json.Marshal(d)
	if err != nil {
		panic(err) // texts and truths always encode
	}
	return encoded
}

// Detailed returns what a notice says beside its text, as far as it can be read.
func (n *Notice) Detailed() Details {
	var d Details
	if json.Unmarshal(n.Details, &d) != nil {
		return Details{}
	}
	return d
}

// Everybody is the Who of a notice that all teams are told.
const Everybody = "*"

// Notice is something that people of ours are to be told.
type Notice struct {
	Account Account
	ID      string // stable, so that a turn that is committed twice tells nothing twice
	Who     string // whom to tell
	Text    string
	Peer    platform.UserID // whom it is about
	At      time.Time
	SentAt  time.Time // zero: not sent yet
	Private bool      // Text is for them alone: logs do not show it
	Kind    string    // what it is about, such as CallHandoff; "" for a notice of the program's own
	Details []byte    // who it is about, what they said, what is asked, JSON; nil for nothing more
	Reached []byte    // what became of it at each address, JSON; nil for nothing yet

	// List and Key name an entry of the same turn: the notice is told only when that is new. Empty: always. They are
	// not stored.
	List, Key string
}
