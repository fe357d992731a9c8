package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// NoticeQuery says which notices are wanted.
type NoticeQuery struct {
	Account event.Account // of it, and of the whole bot; "": of all
	Since   time.Time     // then or later
	// After is the last notice of the page before; the wanted ones stand behind it, by time, account and id. nil: from the first one on.
	After *event.Notice
	Limit int
}
