package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
)

// ConversationRow is a conversation as it is stored.
type ConversationRow struct {
	conversation.State
	ChangedAt time.Time
}

// ConversationQuery says which conversations are wanted.
type ConversationQuery struct {
	Account event.Account
	Owned   bool   // only those that a person or team has
	Owner   string // who has them; "": anybody
	// After is the last conversation of the page before; the wanted ones stand behind it, by the time of the takeover and the peer. nil: from
	// the first one on.
	After *conversation.State
	Limit int
}

// Tally is how many turns a rule decided in an hour that ended alike.
type Tally struct {
	Rule    string // "": of turns that no rule decided
	Outcome string // as in a decision record
	Hour    time.Time
	Count   int
	Last    time.Time // when the last of them was handled
}
