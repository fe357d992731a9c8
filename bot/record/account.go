package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// StoredAccount is an account that stands in the database, instead of in a file, so that every worker finds it there. Its settings are
// read by bot/config.
type StoredAccount struct {
	Account  event.Account
	Settings string          // the settings of the account, as JSON
	SignIn   platform.Secret // the credentials that it signs in with; sealed in the database
	// Person names the platform and the user that it signs in as: no two accounts may have the same. Only a hash of it is stored, so it is
	// not read back.
	Person platform.Secret
	State  string
	Why    string // why it is in that state, in the words of a person; it is sealed
	At     time.Time
	By     string
	// Version is the number of its last change; 0 for an account that is not stored.
	Version int64
	// Broken is why SignIn cannot be decrypted; nil when it can.
	Broken error
	// StateOnly is for storing: Settings and SignIn stay as they are.
	StateOnly bool
}

// AccountRemoved is the state of an account that was taken out. Its row stays, to tell who did that, and when.
const AccountRemoved = "removed"

// StoredAccountQuery says which stored accounts are wanted; the zero value is all that were not taken out.
type StoredAccountQuery struct {
	Shards   []int           // only of these
	Accounts []event.Account // only these
	Since    int64           // only what has changed after the change of this number
	Removed  bool            // also accounts that were taken out
	Bare     bool            // without what is sealed
}
