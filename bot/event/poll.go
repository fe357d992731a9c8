package event

import "time"

// Backlog says what becomes of what was there before the first start of an account.
type Backlog uint8

// The ways to treat the backlog.
const (
	Skip   Backlog = iota // nothing of it becomes an event
	Unread                // what the platform counts as unread becomes events
)

// Mode says whether get_messages is done without.
type Mode uint8

// The modes. A deployment without get_messages shows of each chat no more than its last message.
const (
	// Auto does without where get_messages never worked and answered twice in a row that it does not
	// exist. That is kept across restarts by the snapshot cursor of the account.
	Auto   Mode = iota
	Always      // always do without
	Never       // never do without
)

// PollResult says what a cycle did.
type PollResult struct {
	Events int // delivered
	Calls  int // of the platform
	// Late is how many of the events only a sweep found: nothing in the chat list had shown them.
	Late int
	// Began is when the cycle did.
	Began time.Time
}
