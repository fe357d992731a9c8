package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// TimerRow is a timer as it is stored.
type TimerRow struct {
	DueTimer
	State   string       // TimerWaiting and so on
	TriedAt time.Time    // zero before its first try
	Note    string       // of the last try that failed
	Why     event.Reason // of the last try that failed, for programs
	User    string       // the peer's user name, as far as the conversation tells
}

// TimerQuery says which timers are wanted.
type TimerQuery struct {
	Account event.Account
	Peer    platform.UserID // 0: of everybody
	State   string          // TimerWaiting, TimerQuarantined or TimerOrphaned
	Since   time.Time       // due then or later; zero: whenever
	Until   time.Time       // due then or before
	// After is the last timer of the page before; the wanted ones stand behind it, by due time, peer and name. nil: from the first one on.
	After *event.Timer
	Limit int
}

// The states of a timer.
const (
	TimerWaiting     = "waiting"     // waits for its time, or its turn
	TimerQuarantined = "quarantined" // failed too often: a person may let it be tried again
	TimerOrphaned    = "orphaned"    // the program has no route for it: it waits for a version that has one
)

// DueTimer is a timer that waits for its turn.
type DueTimer struct {
	event.Timer
	Tries int  // that failed
	Late  bool // it was quarantined, and a person let it have its turn again
}

// TimerCount is how many people have a timer of a name.
type TimerCount struct {
	Account     event.Account
	Name        string
	People      int
	Quarantined int // of them
	Orphaned    int // of them
}
