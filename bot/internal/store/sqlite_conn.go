package store

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot/internal/seal"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is a connection, above all the one that writes. It calls the database without a driver in between:
// a turn hands over some fifty values, and through the driver their way costs a third of the turn. It
// belongs to one goroutine at a time, and needs no locks of SQLite's.
type conn struct {
	tls   *libc.TLS
	db    uintptr
	vault *seal.Vault // seals values on their way

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

// openConn opens the file, which exists, and sets it up.
func openConn(path string, pragmas []string) (_ *conn, err error) {
	c := &conn{tls: libc.NewTLS(), vault: &seal.Vault{}}
	c.vault.Ring.Store(seal.NewRing())
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if c.block = libc.Xmalloc(c.tls, blockSize); c.block == 0 {
		return nil, errNoMemory()
	}
	c.bytes = libc.GoBytes(c.block, blockSize)
	if path, err = filepath.Abs(path); err != nil { // a relative one could have a meaning of its own to SQLite
		return nil, err
	}
	if err := c.open(path); err != nil {
		return nil, err
	}
	if sqlite3.Xsqlite3_db_readonly(c.tls, c.db, 0) != 0 { // it opens nevertheless
		return nil, &sqliteError{sqlite3.SQLITE_READONLY, "attempt to write a readonly database"}
	}
	sqlite3.Xsqlite3_extended_result_codes(c.tls, c.db, 1)
	for _, p := range pragmas {
		if _, err := c.call("PRAGMA "+p, c.execute); err != nil {
			return nil, fmt.Errorf("set %s: %w", p, err)
		}
	}
	return c, nil
}

// open opens the file. One that does not open leaves a handle all the same, which knows why.
func (c *conn) open(path string) error {
	_, err := c.call(path, func(name, place uintptr) int32 {
		code := sqlite3.Xsqlite3_open_v2(c.tls, name, place, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
		c.db = libc.AtomicLoadPUintptr(place)
		return code
	})
	return err
}

// call calls f with a text as C has it, and a place for the handle that it may return.
func (c *conn) call(text string, f func(text, place uintptr) int32) (uintptr, error) {
	t, err := libc.CString(text)
	if err != nil {
		return 0, errNoMemory()
	}
	defer libc.Xfree(c.tls, t)
	place := libc.Xcalloc(c.tls, 1, 8)
	if place == 0 {
		return 0, errNoMemory()
	}
	defer libc.Xfree(c.tls, place)
	if code := f(t, place); code != sqlite3.SQLITE_OK {
		return 0, c.failure(code)
	}
	return libc.AtomicLoadPUintptr(place), nil
}

// execute runs a text whose rows nobody wants, for call.
func (c *conn) execute(text, _ uintptr) int32 {
	return sqlite3.Xsqlite3_exec(c.tls, c.db, text, 0, 0, 0)
}

// failure makes an error of a result that the connection returned last.
func (c *conn) failure(code int32) error {
	text := libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, code))
	if c.db != 0 {
		if said := libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db)); said != text && sqlite3.Xsqlite3_errcode(c.tls, c.db) == code {
			text += ": " + said
		}
	}
	return &sqliteError{int(code), text}
}

func errNoMemory() error { return &sqliteError{sqlite3.SQLITE_NOMEM, "out of memory"} }

// hold keeps a text where the database can read it, until release.
func (c *conn) hold(text string) (uintptr, error) {
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
func (c *conn) release() {
	c.used = 0
	for _, p := range c.more {
		libc.Xfree(c.tls, p)
	}
	c.more = c.more[:0]
}

// close closes the connection. Statements that were left open would keep its files open.
func (c *conn) close() error {
	c.release()
	code := int32(sqlite3.SQLITE_OK)
	if c.db != 0 {
		code = sqlite3.Xsqlite3_close_v2(c.tls, c.db)
	}
	libc.Xfree(c.tls, c.block)
	c.db, c.block, c.bytes = 0, 0, nil
	var err error
	if code != sqlite3.SQLITE_OK {
		err = c.failure(code)
	}
	c.tls.Close()
	return err
}
