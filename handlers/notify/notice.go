package notify

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Notice is something that people of ours are told.
type Notice struct {
	ID      string
	Who     string // the team that it is for
	Kind    string // what it is about; "" for a text of a rule
	Account string
	Peer    int64 // the person that it is about; 0 for nobody
	At      time.Time
	Text    string // it may hold words of strangers
	Private bool   // Text, Said and Answer are for the eyes of people at the bot's machine

	event.Details
}

// Digest is what is told at once.
type Digest struct {
	Notices  []Notice // at least one, oldest first
	Urgent   bool     // it rings at night, too
	Accounts bool     // the bot has several accounts: commands name theirs
}
