package store

import "github.com/nectar-bot/nectar/bot/internal/sqlite"

const (
	updateNumber = `INSERT INTO writer (writer, number) VALUES (?, ?) ON CONFLICT (writer) DO UPDATE SET number = excluded.number`
	selectNumber = `SELECT number FROM writer WHERE writer = ?`
)

// When a COMMIT fails, SQLite knows at once what it left behind: the transaction is over, and a reader sees it or does not.
// One that is not seen may stand in the log as a whole, when the log could not be synced after it: then the next commit
// writes over it. A crash before that brings it back, and then counts as a crash after the commit: nothing was done
// meanwhile that the store does not know.

// isStored reports whether number is that of the last group that was stored.
func (a *applier) isStored(number int64) (bool, error) {
	if a.conn.InTransaction() { // or it would see what is not committed
		if err := a.rollback.do(); err != nil {
			return false, sqlite.ExplainError(err)
		}
	}
	last, err := a.lastNumber()
	return last == number, err
}

// lastNumber returns the number of the last group that was stored; 0 for none.
func (a *applier) lastNumber() (last int64, err error) {
	_, err = a.counted.int(a.writer).each(func() { last = a.counted.columnNumber(0) })
	return last, sqlite.ExplainError(err)
}
