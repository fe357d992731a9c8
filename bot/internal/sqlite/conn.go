package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Conn is a connection, above all the one that writes. It calls the database without a driver in between:
// a turn hands over some fifty values, and through the driver their way costs a third of the turn. It
// belongs to one goroutine at a time, and needs no locks of SQLite's.
type Conn struct {
	TLS *libc.TLS
	DB  uintptr

	// Texts on their way into the database: one block, and what did not fit into it.
	block uintptr
	bytes []byte // the block
	used  int
	more  []uintptr
}

const blockSize = 64 << 10

// sqliteError is an error of the database, with its extended code.
type sqliteError struct {
	code    int
	message string
}

// Error tells the message and the code.
func (e *sqliteError) Error() string { return fmt.Sprintf("%s (%d)", e.message, e.code) }

// Open opens the file, which exists, and sets it up.
func Open(path string, pragmas []string) (_ *Conn, err error) {
	c := &Conn{TLS: libc.NewTLS()}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.block = libc.Xmalloc(c.TLS, blockSize); c.block == 0 {
		return nil, errNoMemory()
	}
	c.bytes = libc.GoBytes(c.block, blockSize)
	if path, err = filepath.Abs(path); err != nil { // a relative one could have a meaning of its own to SQLite
		return nil, err
	}
	if err := c.open(path); err != nil {
		return nil, err
	}
	if sqlite3.Xsqlite3_db_readonly(c.TLS, c.DB, 0) != 0 { // it opens nevertheless
		return nil, &sqliteError{sqlite3.SQLITE_READONLY, "attempt to write a readonly database"}
	}
	sqlite3.Xsqlite3_extended_result_codes(c.TLS, c.DB, 1)
	for _, p := range pragmas {
		if err := c.Exec("PRAGMA " + p); err != nil {
			return nil, fmt.Errorf("set %s: %w", p, err)
		}
	}
	return c, nil
}

// open opens the file. One that does not open leaves a handle all the same, which knows why.
func (c *Conn) open(path string) error {
	_, err := c.call(path, func(name, place uintptr) int32 {
		code := sqlite3.Xsqlite3_open_v2(c.TLS, name, place, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
		c.DB = libc.AtomicLoadPUintptr(place)
		return code
	})
	return err
}

// call calls f with a text as C has it, and a place for the handle that it may return.
func (c *Conn) call(text string, f func(text, place uintptr) int32) (uintptr, error) {
	t, err := libc.CString(text)
	if err != nil {
		return 0, errNoMemory()
	}
	defer libc.Xfree(c.TLS, t)
	place := libc.Xcalloc(c.TLS, 1, 8)
	if place == 0 {
		return 0, errNoMemory()
	}
	defer libc.Xfree(c.TLS, place)
	if code := f(t, place); code != sqlite3.SQLITE_OK {
		return 0, c.failure(code)
	}
	return libc.AtomicLoadPUintptr(place), nil
}

// Exec runs a text whose rows nobody wants.
func (c *Conn) Exec(text string) error {
	_, err := c.call(text, func(text, _ uintptr) int32 { return sqlite3.Xsqlite3_exec(c.TLS, c.DB, text, 0, 0, 0) })
	return err
}

// InTransaction reports whether a transaction is under way.
func (c *Conn) InTransaction() bool { return sqlite3.Xsqlite3_get_autocommit(c.TLS, c.DB) == 0 }

// CheckpointAt sets how long the log may be, in pages, before it is brought into the file.
func (c *Conn) CheckpointAt(pages int32) { sqlite3.Xsqlite3_wal_autocheckpoint(c.TLS, c.DB, pages) }

// WaitFor sets how many milliseconds a lock is waited for.
func (c *Conn) WaitFor(milliseconds int32) {
	sqlite3.Xsqlite3_busy_timeout(c.TLS, c.DB, milliseconds)
}

// failure makes an error of a result that the connection returned last.
func (c *Conn) failure(code int32) error {
	text := libc.GoString(sqlite3.Xsqlite3_errstr(c.TLS, code))
	if c.DB != 0 {
		if said := libc.GoString(sqlite3.Xsqlite3_errmsg(c.TLS, c.DB)); said != text && sqlite3.Xsqlite3_errcode(c.TLS, c.DB) == code {
			text += ": " + said
		}
	}
	return &sqliteError{int(code), text}
}

func errNoMemory() error { return &sqliteError{sqlite3.SQLITE_NOMEM, "out of memory"} }

// hold keeps a text where the database can read it, until release.
func (c *Conn) hold(text string) (uintptr, error) {
	if c.used+len(text) <= blockSize {
		p := c.block + uintptr(c.used)
		c.used += copy(c.bytes[c.used:], text)
		return p, nil
	}
	if len(text) > sqlite3.SQLITE_MAX_LENGTH {
		return 0, &sqliteError{sqlite3.SQLITE_TOOBIG, "string or blob too big"}
	}
	p, err := libc.CString(text)
	if err != nil {
		return 0, errNoMemory()
	}
	c.more = append(c.more, p)
	return p, nil
}

// release forgets the texts.
func (c *Conn) release() {
	c.used = 0
	for _, p := range c.more {
		libc.Xfree(c.TLS, p)
	}
	c.more = c.more[:0]
}

// Close closes the connection. Statements that were left open would keep its files open.
func (c *Conn) Close() error {
	c.release()
	code := int32(sqlite3.SQLITE_OK)
	if c.DB != 0 {
		code = sqlite3.Xsqlite3_close_v2(c.TLS, c.DB)
	}
	libc.Xfree(c.TLS, c.block)
	c.DB, c.block, c.bytes = 0, 0, nil
	var err error
	if code != sqlite3.SQLITE_OK {
		err = c.failure(code)
	}
	c.TLS.Close()
	return err
}
