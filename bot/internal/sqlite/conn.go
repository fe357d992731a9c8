package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"zombiezen.com/go/sqlite"
)

// Conn is a connection, above all the one that writes. It calls the database without database/sql in between:
// a turn hands over some fifty values, and through that their way costs a third of the turn. It
// belongs to one goroutine at a time, and needs no locks of SQLite's.
type Conn struct {
	DB *sqlite.Conn
}

// Open opens the file, which exists, and sets it up.
func Open(path string, pragmas []string) (_ *Conn, err error) {
	if path, err = filepath.Abs(path); err != nil { // a relative one could have a meaning of its own to SQLite
		return nil, err
	}
	db, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, plainError(err)
	}
	c := &Conn{db}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.checkWritable(); err != nil {
		return nil, err
	}
	for _, p := range pragmas {
		if err := c.Exec("PRAGMA " + p); err != nil {
			return nil, fmt.Errorf("set %s: %w", p, err)
		}
	}
	return c, nil
}

// checkWritable refuses a file that can only be read: SQLite opens it nevertheless, and fails with the first write. It does
// not wait for another process that writes meanwhile.
func (c *Conn) checkWritable() error {
	c.WaitFor(0)
	err := c.Exec(`DELETE FROM ` + versionTable + ` WHERE 0`)
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultReadOnly {
		return err
	}
	return nil // what else is wrong shows when it is used
}

// Exec runs a text and ignores its rows.
func (c *Conn) Exec(text string) error {
	for text != "" {
		stmt, rest, err := c.DB.PrepareTransient(text)
		for more := err == nil; more; {
			more, err = stmt.Step()
		}
		if stmt != nil {
			_ = stmt.Finalize() // it repeats the error of the last step
		}
		if err != nil {
			return plainError(err)
		}
		text = text[len(text)-rest:]
	}
	return nil
}

// InTransaction reports whether a transaction is under way.
func (c *Conn) InTransaction() bool { return !c.DB.AutocommitEnabled() }

// CheckpointAt sets how long the log may be, in pages, before it is brought into the file.
func (c *Conn) CheckpointAt(pages int32) error {
	return c.Exec("PRAGMA wal_autocheckpoint = " + strconv.Itoa(int(pages)))
}

// WaitFor sets how many milliseconds a lock is waited for.
func (c *Conn) WaitFor(milliseconds int32) {
	c.DB.SetBusyTimeout(time.Duration(milliseconds) * time.Millisecond)
}

// plainError is an error of the database without the names of the calls that it came through, with its extended code.
func plainError(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Errorf("%w (%d)", err, sqlite.ErrCode(err))
}

// Close closes the connection. All its statements have to be closed before.
func (c *Conn) Close() error {
	if err := c.DB.Close(); err != nil {
		return plainError(err)
	}
	return nil
}
