package remote

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
)

// Line is the connection to a server that writes. A group goes over it ahead of the answers: what a statement changes is
// guessed where that is nearly always the same, and looked at when the answers have come. It belongs to one goroutine.
type Line interface {
	Connect(ctx context.Context) error
	// TakeLock takes the lock of the process that runs on the store. It is the connection's; workers have it together.
	TakeLock(ctx context.Context, locks int64, together bool) error
	// Prepare prepares statements: all in one trip.
	Prepare(ctx context.Context, texts []string) ([]Statement, error)
	// Exec runs a statement outside of a group, and returns its rows.
	Exec(ctx context.Context, text string, args ...int64) ([][]int64, error)

	// Begin begins a group.
	Begin(ctx context.Context)
	// GoTo says whose statements are sent from now on: the index of a write, or NoWrite.
	GoTo(write int)
	// IsGuessing reports whether the answers of the write under way are guessed.
	IsGuessing() bool
	// End waits for the answers to all that was sent of a group. The error is ErrWrongGuess, or a BlamedError.
	End() error
	// Commit makes it last. The error is an unclear.Error unless the server has said no.
	Commit(ctx context.Context) error
	// Close ends what is sent ahead, also when it has failed.
	Close() error
	// InTransaction reports whether a transaction is under way all the same.
	InTransaction() bool
	// NoteWrongGuesses notes of which writes the guesses were wrong, and after some tries that all answers are waited for. Forgive begins to guess again.
	NoteWrongGuesses(tries int)
	GuessAgain()

	// IsCut reports whether there is no connection, and Cut gives it up.
	IsCut() bool
	Cut(ctx context.Context)
	// GiveUp gives the connection, and with it the lock, back.
	GiveUp(ctx context.Context)
}

// Statement is a statement of a line. The values of its parameters are added one after another, then it is sent.
type Statement interface {
	Int(v int64)
	Str(v string)
	AddSealed(v []byte)
	AddWords(v bind.Words)
	AddNumbers(v bind.Numbers)

	// Send sends the statement ahead. f, if there is one, is called with the number of rows that it has changed.
	Send(f func(changed int64)) error
	// SendGuessed sends the statement ahead, if it may be guessed that it changes something; false when it is not sent.
	SendGuessed() bool
	// SendAndWait sends the statement, and waits for its answer and all before. Then Next goes from row to row, and behind the last one Changed tells how
	// many rows it has changed.
	SendAndWait() error
	Next() bool
	RowsChanged() (int64, error)
	// ColumnNumber and Word return what the row has to which Next went.
	ColumnNumber(i int) int64
	ColumnWord(i int) string
}

// NoWrite stands for the index of a write for what belongs to none.
const NoWrite = -1

// Patience is how long a connection may take for what it is asked for. The server itself gives up before.
const Patience = 20 * time.Second

// ErrWrongGuess is the error of a group in which a guess was wrong: nothing of it is stored by then.
var ErrWrongGuess = errors.New("a statement changed nothing")

// BlamedError is an error of the database with the write that is to blame.
type BlamedError struct {
	Write int
	Err   error
}

// Error tells the error.
func (b *BlamedError) Error() string { return b.Err.Error() }

// Unwrap returns the error.
func (b *BlamedError) Unwrap() error { return b.Err }
