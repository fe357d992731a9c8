package record

import (
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// ErrNameTaken is the error of a worker that starts under the name of another one.
var ErrNameTaken = errors.New("another worker of this name is running: give each a name of its own")

// ErrWentBack is the error of a board that has lost what it had confirmed to this worker.
var ErrWentBack = errors.New("the database has lost what it had confirmed about this worker: a copy that was behind, or is old, has taken its place")

// WorkerReport is what a worker says of itself now and then.
type WorkerReport struct {
	Has   []string
	Loads map[int]int64 // what each of its shards costs, in a unit that all workers share
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

// HasAccount is the ability of a worker to serve an account. As long as one worker has it, only workers that have it get the account's shard:
// so a worker with older or newer settings leaves no account unserved.
func HasAccount(name event.Account) string { return AccountPrefix + string(name) }
