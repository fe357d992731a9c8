package record

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// MoveOptions says what is moved where.
type MoveOptions struct {
	// From are the databases that accounts leave: paths of files, or URLs, as in bot.StoreOptions. To is the one that they come into.
	From []string
	To   string
	// Key is the secret key of all databases: it opens what is sealed in the sources, and the target seals with its own key, if it has one.
	Key platform.Secret
	// Accounts are those that are moved; none: all.
	Accounts []event.Account
	// Dry lets nothing be changed: it is only told what would be moved. A bot may run meanwhile.
	Dry bool
	// Say is told how far it is, now and then.
	Say func(MoveProgress)
	// Step is how many rows are stored together; 0 for what is usual.
	Step int
	// Around is called with each commit, and makes it or returns an error, as a disk would. For tests.
	Around func(commit func() error) error
}

// MoveProgress is how far a move is.
type MoveProgress struct {
	Account event.Account
	All     int64 // rows, of all accounts
	Done    int64 // rows that are in the target
	Checked int64 // those that were compared
}

// Moved is what was moved, or would be.
type Moved struct {
	To   string // what the database is called
	From []MovedFrom
}

// MovedFrom is what has left a database.
type MovedFrom struct {
	Name     string
	Accounts []MovedAccount
	// Whole tells that nothing is left in it: what it was then stays as it is. Of accounts that go alone nothing stays.
	Whole bool
	// Before tells that it had gone there before.
	Before bool
}

// MovedAccount is an account with the rows of its own.
type MovedAccount struct {
	Account event.Account
	Rows    int64
}

// Rows returns how many rows all accounts have.
func (m *Moved) Rows() (all int64) {
	for i := range m.From {
		for _, a := range m.From[i].Accounts {
			all += a.Rows
		}
	}
	return all
}
