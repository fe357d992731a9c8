package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// NoticeQuery says which notices are wanted.
type NoticeQuery struct {
	Account event.Account // of it, and of the whole bot; "": of all
	Since   time.Time     // then or later
	// After is the notice of the list behind which those stand that are wanted: where it stands by its time, account and id. nil: from the first
	// one on.
	After *event.Notice
	Limit int
}
