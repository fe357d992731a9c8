package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// StoredAccount is an account that stands in the database, instead of in a file, so that every worker finds it there. What it says is
// for others to read; see bot/config.
type StoredAccount struct {
	Account  event.Account
	Settings string          // what it says of itself, as JSON
	SignIn   platform.Secret // what it signs in with; it is sealed
	// Person is where, and as whom, it signs in: no two accounts may have the same. It is kept as a hash alone, and not read back.
	Person platform.Secret
	State  string
	Why    string // it is in that state, in somebody's words; it is sealed
	At     time.Time
	By     string
	// Version is the number of the change that made it what it is; 0 for one that is not there.
	Version int64
	// Broken is why what it signs in with cannot be opened.
	Broken error
	// StateOnly is for storing: what it says, and signs in with, stays as it is.
	StateOnly bool
}

// AccountRemoved is the state of one that was taken out. It is kept for who did that, and when.
const AccountRemoved = "removed"

// StoredAccountQuery is which stored accounts are wanted; the zero value is all that were not taken out.
type StoredAccountQuery struct {
	Shards   []int           // only of these
	Accounts []event.Account // only these
	Since    int64           // only what has changed after the change of this number
	Removed  bool            // those that were taken out, too
	Bare     bool            // without what is sealed
}
