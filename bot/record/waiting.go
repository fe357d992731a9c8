package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Waiting is somebody whose last words nobody of ours, and no answer to them, has dealt with, whatever the reason.
type Waiting struct {
	Key   event.Key
	Since time.Time    // when the first of the words was said that wait
	Said  time.Time    // when the last ones were said
	Words event.ID     // the event of the last ones
	Why   event.Reason // WaitsUnanswered and so on
	// Lasts says that a person of ours has to see to it, whatever the bot says later.
	Lasts bool
	Later time.Time // somebody of ours has put it off until then; zero: nobody has
}
