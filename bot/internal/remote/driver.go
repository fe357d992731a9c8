package remote

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// Driver is what speaks to servers.
type Driver struct {
	// Parse reads the URL of a database. The error repeats nothing of it.
	Parse func(url string) (Database, error)
	// OpenBoard opens the board in the database at a URL, for a worker that needs so many connections besides.
	OpenBoard func(ctx context.Context, url string, connections int) (Board, error)
	// CheckServer finds out whether a database lives on the server on which it lived, and OnOtherServer whether it does not; see bot/internal/board.
	CheckServer   func(ctx context.Context, db *sql.DB, accepted *record.Restored) error
	OnOtherServer func(ctx context.Context, db *sql.DB) (other bool, untold string, err error)
	// Explain adds to an error of the server what a person can do about it.
	Explain func(err error) error
	// What an error is like: it goes away by itself, it stays until a person does something, it lies in what was to be stored, the server itself has
	// told it.
	Passes, Stays, IsDataFault, IsTold func(err error) bool
	// ConstraintOf returns the name of the constraint, or the unique index, that an error is about; "" when it is about none.
	ConstraintOf func(err error) string
}

// Board is where workers meet.
type Board interface {
	lease.Board
	// TellsDeath reports whether people are to be told that a worker has died.
	TellsDeath(ctx context.Context, again time.Duration) (bool, error)
	// NoteLoss keeps all workers from going on, since a worker has found that the database has lost what it had confirmed.
	NoteLoss(ctx context.Context, worker string) error
	Close() error
}

// Errors of opening a database on a server.
var (
	ErrNoDriver = errors.New(`it names a database of PostgreSQL, and this program has no driver for one: add the line import _ "github.com/nectar-bot/nectar/bot/postgres" to it`)
	// ErrKey is the error of opening one without a key: others keep its disks, and its copies.
	ErrKey = errors.New("what is kept on a server is always encrypted: set NECTAR_SECRET_KEY to the output of: openssl rand -base64 32")
)

// driver is the one of the program; nil without one.
var driver *Driver

// Register brings a driver. It is for the beginning of a program.
func Register(d Driver) { driver = &d }

// IsURL reports whether a text is the URL of a database of PostgreSQL, as far as its beginning tells.
func IsURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// Parse reads the URL of a database.
func Parse(url string) (Database, error) {
	if driver == nil {
		return nil, ErrNoDriver
	}
	return driver.Parse(url)
}

// CheckURL tells in one line what is wrong with the URL of a database, without a word of it.
func CheckURL(url string) error {
	_, err := Parse(url)
	return err
}

// NameOf names the database at a path, or at a URL, without who uses it and how: for people, and for logs.
func NameOf(path string) string {
	if !IsURL(path) {
		return path
	}
	d, err := Parse(path)
	if err != nil {
		return "the database" // nothing in it can be trusted not to be a password
	}
	return d.Name()
}

// OpenBoard opens the board in the database at a URL, for a worker that needs so many connections besides.
func OpenBoard(ctx context.Context, url string, connections int) (Board, error) {
	if driver == nil {
		return nil, fmt.Errorf("open the database: %w", ErrNoDriver)
	}
	return driver.OpenBoard(ctx, url, connections)
}

// CheckServer finds out whether a database lives on the server on which it lived, and notes where it does. accepted is what somebody has said of it, if
// it lives on another server; without that the error is record.ErrOtherServer.
func CheckServer(ctx context.Context, db *sql.DB, accepted *record.Restored) error {
	return driver.CheckServer(ctx, db, accepted)
}

// OnOtherServer reports whether a database has come to another server. Where the server does not tell which one it is, untold says why.
func OnOtherServer(ctx context.Context, db *sql.DB) (other bool, untold string, err error) {
	return driver.OnOtherServer(ctx, db)
}

// ExplainError adds to an error of the server what a person can do about it.
func ExplainError(err error) error {
	if driver == nil || err == nil {
		return err
	}
	return driver.Explain(err)
}

// IsTransient reports whether an error of a database is one that goes away by itself, as far as it tells: the server is away, or is too busy.
func IsTransient(err error) bool { return driver != nil && driver.Passes(err) }

// IsPermanent reports whether an error of a database stays as it is until a person does something: another key, another name or password, another
// version.
func IsPermanent(err error) bool { return driver != nil && driver.Stays(err) }

// IsDataFault reports whether an error of a statement lies in what was to be stored, not in the server.
func IsDataFault(err error) bool { return driver != nil && driver.IsDataFault(err) }

// IsTold reports whether the server itself has told an error, so that the connection is still there.
func IsTold(err error) bool { return driver != nil && driver.IsTold(err) }

// ConstraintOf returns the name of the constraint, or the unique index, that an error is about; "" when it is about none.
func ConstraintOf(err error) string {
	if driver == nil {
		return ""
	}
	return driver.ConstraintOf(err)
}

// reworded are statements that a server has in words of its own, by SQLite's.
var reworded = map[string]string{}

// AddRewordings notes statements that a server has in words of its own, by SQLite's, and returns them. It is for the variables of a package.
func AddRewordings(words map[string]string) map[string]string {
	maps.Copy(reworded, words)
	return words
}

// RewordingOf returns the words of a statement of SQLite's that a server has in words of its own.
func RewordingOf(text string) (words string, ok bool) {
	words, ok = reworded[text]
	return words, ok
}
