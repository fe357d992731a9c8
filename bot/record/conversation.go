package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
)

// ConversationRow is a conversation as it is stored.
type ConversationRow struct {
	conversation.State
	ChangedAt time.Time
}

// Tally is how many turns a rule decided in an hour that ended alike.
type Tally struct {
	Rule    string // "": of turns that no rule decided
	Outcome string // as in a decision record
	Hour    time.Time
	Count   int
	Last    time.Time // when the last of them was handled
}
