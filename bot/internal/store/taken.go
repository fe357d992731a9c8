package store

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot/internal/sqlite"
)

// takenError says that the file of the database was taken away while it was open, and where what was stored is now.
type takenError struct {
	path, saved string
	err         error // why it could not be saved, or its log not emptied
}

// Error says what to do.
func (e *takenError) Error() string {
	what := e.path + " was moved or deleted, or another file has taken its place, while the bot ran: "
	if e.saved == "" {
		return fmt.Sprintf("%swhat was stored is where that file is now, if it was moved, and could not be saved beside it: %v", what, e.err)
	}
	what = fmt.Sprintf("%swhat was stored until then is saved as %s; to go on with that, mv %s %s", what, e.saved, e.saved, e.path)
	if e.err != nil {
		what += fmt.Sprintf(", and delete %s-wal before: %v", e.path, e.err)
	}
	return what
}

// Unwrap returns why it could not be saved.
func (e *takenError) Unwrap() error { return e.err }

// inPlace returns a takenError when the file is not where it was opened. What is stored is saved then: the next start finds it there, and goes on
// as after a crash.
func (f *fileEngine) inPlace() error {
	if f.taken == nil && f.place.IsLeft() { //mutate:in-place
		f.taken = &takenError{path: f.place.Path}
		f.taken.saved, f.taken.err = f.place.Save(f.conn)
	}
	if f.taken == nil {
		return nil
	}
	return f.taken
}

// closeInPlace closes the connection that writes, the last one. When the file is not in its place, the error is a takenError.
func (f *fileEngine) closeInPlace() error {
	if err := f.inPlace(); err != nil {
		sqlite.LeaveOpen(f.conn)
		return err
	}
	return f.close()
}
