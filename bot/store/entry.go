package store

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Entry is what stands in one of an account's lists: a lead, a person not to write to. A list has one
// entry of a key.
type Entry struct {
	Account event.Account
	List    string
	Key     string
	Peer    platform.UserID
	Trigger string // the id of the trigger that led to it; "" for a person
	Text    string
	Data    json.RawMessage // nil for none
	At      time.Time
}

// ListCount is how many entries a list has.
type ListCount struct {
	List    string
	Entries int
}

// Everybody is whom a notice tells that concerns all teams.
const Everybody = "*"

// Notice is something that people of ours are to be told.
type Notice struct {
	Account event.Account
	ID      string // stable, so that a turn that is committed twice tells nothing twice
	Who     string // whom to tell
	Text    string
	Peer    platform.UserID // whom it is about
	At      time.Time
	SentAt  time.Time // zero: not sent yet
	Private bool      // Text is for them alone: logs do not show it
	Kind    string    // what it is about; "" for what a program says
	Details []byte    // who it is about, what they said, what is asked, JSON; nil for nothing more
	Reached []byte    // what became of it at each address, JSON; nil for nothing yet

	// List and Key name an entry of the same turn: the notice is told only when that is new. Empty: always. They are
	// not stored.
	List, Key string
}
