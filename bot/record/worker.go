package record

import (
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// ErrNameTaken is of a worker whose name another one has.
var ErrNameTaken = errors.New("another worker of this name is running: give each a name of its own")

// ErrWentBack is of a board that has lost what it had confirmed.
var ErrWentBack = errors.New("the database has lost what it had confirmed about this worker: a copy that was behind, or is old, has taken its place")

// WorkerReport is what a worker says of itself now and then.
type WorkerReport struct {
	Has   []string
	Loads map[int]int64 // what each of its shards costs, in whatever all workers measure alike
	// Judged is how it stands, and its accounts, in a form of its own; RunWorker sets it.
	Judged string
}

// Decision is who has decided something, why, and when.
type Decision struct {
	By, Why string
	At      time.Time
}

// AccountPrefix begins what a worker has that can serve an account.
const AccountPrefix = "account "

// HasAccount is what a worker has that can serve an account. As long as one has it, the account's shard is for those that have it, too:
// one whose settings are older, or newer, leaves no account alone.
func HasAccount(name event.Account) string { return AccountPrefix + string(name) }
