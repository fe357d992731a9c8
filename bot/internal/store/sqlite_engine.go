package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// fileEngine is a file of SQLite as the writer sees it.
type fileEngine struct {
	*applier
	conn   *sqlite.Conn
	place  *sqlite.Place // where it was opened
	taken  *takenError   // it is not there any more
	long   longLog
	writer int64 // the store that makes the commits, in a file
}

const (
	updateNumber = `INSERT INTO writer (writer, number) VALUES (?, ?) ON CONFLICT (writer) DO UPDATE SET number = excluded.number`
	selectNumber = `SELECT number FROM writer WHERE writer = ?`
)

// newFileEngine opens the connection that writes.
func newFileEngine(path string, pragmas []string, keep time.Duration, v *seal.Vault) (*fileEngine, error) {
	c, err := sqlite.Open(path, pragmas)
	if err != nil {
		return nil, err
	}
	f := &fileEngine{applier: newApplier(), conn: c}
	f.way, f.vault, f.keep.keep, f.keep.unread = f, v, keep, true
	if f.place, err = sqlite.PlaceOf(path); err != nil {
		return nil, errors.Join(err, f.close())
	}
	for _, st := range f.all() {
		if err := st.prepare(c, v); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	return f, nil
}

func (f *fileEngine) close() error {
	for _, st := range f.all() {
		st.close()
	}
	return f.conn.Close()
}

func (f *fileEngine) goTo(int) {}

func (f *fileEngine) mostWrites() int { return 400 }

func (f *fileEngine) waitsForAnswers() bool { return true }

func (f *fileEngine) checkpointAt(pages int32) error { return f.conn.CheckpointAt(pages) }

// apply stores a group in one transaction.
func (f *fileEngine) apply(g *group) (int, error) {
	if err := f.inPlace(); err != nil {
		return -1, err
	}
	err := f.begin.do()
	bad, committing := -1, false
	if err == nil {
		if bad, err = f.storeGroup(g); err == nil {
			// In the transaction that it numbers: so the number is stored exactly when the whole group is.
			err = f.count.int(f.writer).int(g.number).do()
		}
		if err == nil {
			committing = true
			err = f.commit.do()
		}
	}
	if err == nil {
		f.keep.lifted = false
		f.truncate()
		f.long.checkLog(f.place.Path, time.Now())
		return -1, nil
	}
	_ = f.rollback.do() // it fails where nothing was begun, or SQLite has done it already
	f.rolledBack()
	if bad < 0 {
		err = fmt.Errorf("commit %d writes: %w", len(g.writes), sqlite.ExplainError(err))
	}
	// Only a COMMIT may have been made although it failed. An error before it has left nothing, and need not be asked about.
	if committing {
		err = &unclear.Error{Err: err}
	}
	return bad, err
}

// truncate empties the log when that was asked for with the commit that was just made. Somebody who reads keeps it from
// that, and is not waited for.
func (f *fileEngine) truncate() {
	e := f.emptying
	if e == nil {
		return
	}
	f.emptying = nil
	f.conn.WaitFor(0)
	_, err := f.empty.each(func() { e.emptied = f.empty.columnNumber(0) == 0 })
	f.conn.WaitFor(busyTimeout)
	_ = f.checkpointAt(sqlite.UsualCheckpoint) // a shorter log is no fault
	e.emptied = e.emptied && err == nil
}

// When a COMMIT fails, SQLite knows at once what it left behind: the transaction is over, and a reader sees it or does not.
// One that is not seen may stand in the log as a whole, when the log could not be synced after it: then the next commit
// writes over it. A crash before that brings it back, and then counts as a crash after the commit: nothing was done
// meanwhile that the store does not know.

// isStored reports whether number is that of the last group that was stored.
func (f *fileEngine) isStored(number int64) (bool, error) {
	if f.conn.InTransaction() { // or it would see what is not committed
		if err := f.rollback.do(); err != nil {
			return false, sqlite.ExplainError(err)
		}
	}
	last, err := f.lastNumber()
	return last == number, err
}

// lastNumber returns the number of the last group that was stored; 0 for none.
func (f *fileEngine) lastNumber() (last int64, err error) {
	_, err = f.counted.int(f.writer).each(func() { last = f.counted.columnNumber(0) })
	return last, sqlite.ExplainError(err)
}
