package record

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// ErrNoSets is the error of asking a file for sets: a bot alone reads its folder itself.
var ErrNoSets = errors.New("rules are published in a database of PostgreSQL, for all who share it; with a file the bot reads its folder itself")

// ArrivingError is the error of working on a database into which accounts are still on their way.
type ArrivingError struct {
	Accounts []event.Account
	From     string
}

// Error names them, and tells what to do.
func (e *ArrivingError) Error() string {
	return fmt.Sprintf("what was to be moved into it from %s has not arrived as a whole (%s): run nectar move again, which goes on where it stopped, "+
		"or take back what is here with nectar move --cancel", e.From, AccountNames("account", e.Accounts))
}

// AccountNames names the first of some accounts.
func AccountNames(noun string, accounts []event.Account) string {
	const most = 5
	if len(accounts) != 1 {
		noun += "s"
	}
	var names []string
	for _, a := range accounts[:min(len(accounts), most)] {
		names = append(names, string(a))
	}
	text := noun + " " + strings.Join(names, ", ")
	if more := len(accounts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ErrLostCommits is the error of a commit to a database that has lost earlier ones, although it had said that they were
// stored: a copy of it was put in its place.
var ErrLostCommits = errors.New("the database has lost what it had stored: a copy that was behind, or is old, has taken its place")

// ErrNotSealed is of a change of key that is to be finished before all is sealed with the fresh key.
var ErrNotSealed = errors.New("not all is encrypted with the new key yet")

// Errors of opening that a person can do something about.
var (
	ErrInUse   = errors.New("another process runs on this database: stop it first, or give this one a database of its own")
	ErrNewer   = errors.New("the database was written by a newer version: run that version, or start with a new file")
	ErrOlder   = errors.New("the database was written by an older version: start the bot once, which brings it up to date")
	ErrForeign = errors.New("the file is a database of another program: name another file")
	// ErrOtherServer is the error of a database that is on another server than before: it may be a copy, and the original may be alive.
	ErrOtherServer = errors.New("the database was on another server: it is a copy that was put back elsewhere, a clone, or of a new version of PostgreSQL, and the " +
		"one there may be alive; make sure that no bot works on that one any more, and then say nectar restored, or nectar restored --nothing-lost")
	// ErrNone is the error of opening for reading when there is no database at the path, or the URL.
	ErrNone = errors.New("there is none yet: start the bot once, or name another file")
	// ErrFilesOnly is the error of asking a server for something that only a file has, or that is not done for servers in this version.
	ErrFilesOnly = errors.New("not for PostgreSQL in this version")
)

// ErrNoAccounts is the error of reading accounts of a database that cannot have any.
var ErrNoAccounts = errors.New("accounts stand in a database of PostgreSQL alone")

// AccountChangedError says that an account is not any more what somebody saw who wants to change it.
type AccountChangedError struct{ Account event.Account }

// Error names it.
func (e *AccountChangedError) Error() string {
	return fmt.Sprintf("somebody else has changed the account %s meanwhile", e.Account)
}
