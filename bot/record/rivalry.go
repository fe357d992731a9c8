package record

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Rivalry is how an account stands towards another bot that answers on it, with a memory of its own; see bot.RivalryOf.
type Rivalry struct {
	// Stopped is since when nothing of the account leaves, because of the other bot; zero while it is at work.
	Stopped time.Time `json:"stopped,omitzero"`
	// Answer is the message of ours that came second, for which it stopped.
	Answer platform.MessageID `json:"answer,omitempty"`
	// Proven tells that since then somebody else has answered what this bot held.
	Proven bool `json:"proven,omitempty"`
	// Seen is when another bot was last seen to answer; zero for never.
	Seen time.Time `json:"seen,omitzero"`
	// Spared is until when the account does not stop by itself.
	Spared time.Time `json:"spared,omitzero"`
	// Alone is how often it has gone on by itself since nobody else answered what it held.
	Alone int `json:"alone,omitempty"`
}
