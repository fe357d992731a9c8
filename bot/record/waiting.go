package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Waiting is somebody who waits: neither an answer nor a person of ours has dealt with their last words, for any reason.
type Waiting struct {
	Key   event.Key
	Since time.Time    // when the first of the words was said that wait
	Said  time.Time    // when the last ones were said
	Words event.ID     // the event of the last ones
	Why   event.Reason // WaitsUnanswered and so on
	// Lasts says that a person of ours has to see to it: an answer of the bot does not end it.
	Lasts bool
	Later time.Time // somebody of ours has put it off until then; zero: nobody has
}
