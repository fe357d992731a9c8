package sqlite

import (
	"context"
	"fmt"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Statement is a prepared statement of a connection. The values of its parameters are
// added one after another, then it runs.
type Statement struct {
	text   string
	conn   *Conn
	Handle uintptr
	values int32
	err    error // of adding values
}

// Prepare prepares a statement.
func (c *Conn) Prepare(text string) (_ *Statement, err error) {
	s := &Statement{text: text, conn: c}
	s.Handle, err = c.call(text, func(text, cell uintptr) int32 {
		return sqlite3.Xsqlite3_prepare_v2(c.TLS, c.DB, text, -1, cell, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, err)
	}
	return s, nil
}

// Close gives the statement back; nil is none.
func (s *Statement) Close() {
	if s != nil && s.Handle != 0 {
		sqlite3.Xsqlite3_finalize(s.conn.TLS, s.Handle)
		s.Handle = 0
	}
}

// Int adds a number.
func (s *Statement) Int(v int64) {
	s.values++
	s.check(sqlite3.Xsqlite3_bind_int64(s.conn.TLS, s.Handle, s.values, v))
}

// Str adds a text.
func (s *Statement) Str(v string) {
	s.values++
	if p := s.hold(v); s.err == nil {
		s.check(sqlite3.Xsqlite3_bind_text(s.conn.TLS, s.Handle, s.values, p, int32(len(v)), 0))
	}
}

// Sealed adds bytes.
func (s *Statement) Sealed(v []byte) {
	s.values++
	if p := s.hold(string(v)); s.err == nil {
		s.check(sqlite3.Xsqlite3_bind_blob(s.conn.TLS, s.Handle, s.values, p, int32(len(v)), 0))
	}
}

func (s *Statement) hold(v string) uintptr {
	p, err := s.conn.hold(v)
	if err != nil {
		s.err = err
	}
	return p
}

func (s *Statement) check(code int32) {
	if code != sqlite3.SQLITE_OK && s.err == nil {
		s.err = s.conn.failure(code)
	}
}

// Each executes the statement and calls f, if there is one, with each row, whose values number, word and bytes
// tell. It returns the number of rows that were changed.
func (s *Statement) Each(f func()) (int64, error) {
	changed, err := int64(0), s.err
	if err == nil {
		code := sqlite3.Xsqlite3_step(s.conn.TLS, s.Handle)
		for ; f != nil && code == sqlite3.SQLITE_ROW; code = sqlite3.Xsqlite3_step(s.conn.TLS, s.Handle) {
			f()
		}
		if code == sqlite3.SQLITE_DONE {
			changed = int64(sqlite3.Xsqlite3_changes(s.conn.TLS, s.conn.DB))
		} else {
			err = s.conn.failure(code)
		}
		sqlite3.Xsqlite3_reset(s.conn.TLS, s.Handle)
	}
	s.values, s.err = 0, nil
	s.conn.release()
	if err != nil {
		verb, _, _ := strings.Cut(s.text, "(")
		return 0, fmt.Errorf("%.30s: %w", verb, err)
	}
	return changed, nil
}

// Rows executes the statement, and calls f with each row, until it fails.
func (s *Statement) Rows(ctx context.Context, f func() error) error {
	err := s.err
	for n := 1; err == nil; n++ {
		code := sqlite3.Xsqlite3_step(s.conn.TLS, s.Handle)
		if code == sqlite3.SQLITE_DONE {
			break
		}
		switch {
		case code != sqlite3.SQLITE_ROW:
			err = s.conn.failure(code)
		case n%1024 == 0 && ctx.Err() != nil:
			err = context.Cause(ctx)
		default:
			err = f()
		}
	}
	sqlite3.Xsqlite3_reset(s.conn.TLS, s.Handle)
	s.values, s.err = 0, nil
	s.conn.release()
	return err
}

// Number returns a number of the row that each or rows is at, counted from 0.
func (s *Statement) Number(i int) int64 {
	return sqlite3.Xsqlite3_column_int64(s.conn.TLS, s.Handle, int32(i))
}

// Word returns a text of the row that each or rows is at.
func (s *Statement) Word(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_text(s.conn.TLS, s.Handle, int32(i)))
}

// Bytes returns the bytes of the row that each or rows is at, until the next one.
func (s *Statement) Bytes(i int) []byte {
	p := sqlite3.Xsqlite3_column_blob(s.conn.TLS, s.Handle, int32(i))
	n := sqlite3.Xsqlite3_column_bytes(s.conn.TLS, s.Handle, int32(i))
	if p == 0 || n == 0 {
		return nil
	}
	return libc.GoBytes(p, int(n))
}

// Columns returns how many values the row has that rows is at.
func (s *Statement) Columns() int {
	return int(sqlite3.Xsqlite3_column_count(s.conn.TLS, s.Handle))
}

// Kind tells what the value is: neither is a number, or NULL.
func (s *Statement) Kind(i int) (isText, isBytes bool) {
	kind := sqlite3.Xsqlite3_column_type(s.conn.TLS, s.Handle, int32(i))
	return kind != sqlite3.SQLITE_INTEGER && kind != sqlite3.SQLITE_NULL && kind != sqlite3.SQLITE_BLOB, kind == sqlite3.SQLITE_BLOB
}
