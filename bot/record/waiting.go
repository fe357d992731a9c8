package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Why somebody waits.
const (
	WaitsUnanswered event.ReasonCode = "words.unanswered"   // outcome: of the turn that had the last words
	WaitsOwned      event.ReasonCode = "conversation.owned" // owner: the person or team that has the conversation
	WaitsCalled     event.ReasonCode = "rule.calls"         // rule: which leaves it to a person of ours
	WaitsFailed     event.ReasonCode = "answer.failed"      // action: what was to be said; state: what became of it
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

// WaitingQuery says which of those who wait on an account are wanted: those who have waited longest first.
type WaitingQuery struct {
	Account event.Account
	Now     time.Time // who is put off until later than that is left out
	Limit   int
}
