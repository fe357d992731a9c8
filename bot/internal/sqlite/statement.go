package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"zombiezen.com/go/sqlite"
)

// Statement is a prepared statement of a connection. The values of its parameters are
// added one after another, then it runs.
type Statement struct {
	text   string
	conn   *Conn
	stmt   *sqlite.Stmt
	values int
	row    []byte // the bytes that were read of the row it is at

	// While it runs.
	ahead, more bool // it has gone to the row that Next will go to; there is one
	err         error
}

// errRow is the error of a statement that returns rows where nobody wants any.
var errRow = errors.New("another row available")

// Prepare prepares a statement.
func (c *Conn) Prepare(text string) (*Statement, error) {
	stmt, _, err := c.DB.PrepareTransient(text) // Prepare would give the same one to all that have this text
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, plainError(err))
	}
	return &Statement{text: text, conn: c, stmt: stmt}, nil
}

// Handle returns the statement as the engine has it, for tests.
func (s *Statement) Handle() *sqlite.Stmt { return s.stmt }

// Close gives the statement back; nil is none.
func (s *Statement) Close() {
	if s != nil && s.stmt != nil {
		_ = s.stmt.Finalize() // it repeats the error of the last step
		s.stmt = nil
	}
}

// Int adds a number.
func (s *Statement) Int(v int64) {
	s.values++
	s.stmt.BindInt64(s.values, v)
}

// Str adds a text.
func (s *Statement) Str(v string) {
	s.values++
	s.stmt.BindText(s.values, v)
}

// AddSealed adds bytes.
func (s *Statement) AddSealed(v []byte) {
	s.values++
	s.stmt.BindBytes(s.values, v)
}

// AddWords adds a list of texts.
func (s *Statement) AddWords(v bind.Words) { s.Str(v.AsJSON()) }

// AddNumbers adds a list of numbers.
func (s *Statement) AddNumbers(v bind.Numbers) { s.Str(v.AsJSON()) }

// step goes to the next row, if there is one.
func (s *Statement) step() (bool, error) {
	s.row = s.row[:0]
	more, err := s.stmt.Step()
	if err != nil {
		return false, plainError(err)
	}
	return more, nil
}

// reset makes the statement ready for other values. Its error repeats the one of the last step.
func (s *Statement) reset() {
	_ = s.stmt.Reset()
	s.values = 0
}

// SendAndWait executes the statement up to its first row. Then Next goes from row to row, and behind the last one RowsChanged tells how many rows were changed.
func (s *Statement) SendAndWait() error {
	s.more, s.err = s.step()
	s.ahead = true
	return nil // RowsChanged tells it
}

// Next goes to the next row; false when there is none.
func (s *Statement) Next() bool {
	if !s.ahead {
		s.more, s.err = s.step()
	}
	s.ahead = false
	return s.more
}

// RowsChanged ends the statement, and returns how many rows it has changed.
func (s *Statement) RowsChanged() (int64, error) {
	changed, err := int64(s.conn.DB.Changes()), s.err
	s.reset()
	if err != nil {
		verb, _, _ := strings.Cut(s.text, "(")
		return 0, fmt.Errorf("%.30s: %w", verb, err)
	}
	return changed, nil
}

// Each executes the statement and calls f for each row, which reads its values. It returns the number of rows that were changed. Without f a row is an
// error.
func (s *Statement) Each(f func()) (int64, error) {
	_ = s.SendAndWait()
	for s.Next() {
		if f == nil {
			s.err = errRow
			break
		}
		f()
	}
	return s.RowsChanged()
}

// Send executes the statement, and calls f, if there is one, with the number of rows that were changed.
func (s *Statement) Send(f func(changed int64)) error {
	changed, err := s.Each(nil)
	if err == nil && f != nil {
		f(changed)
	}
	return err
}

// SendGuessed does nothing: what a file says is not waited for.
func (s *Statement) SendGuessed() bool { return false }

// EachRow executes the statement, and calls f with each row, until it fails.
func (s *Statement) EachRow(ctx context.Context, f func() error) error {
	defer s.reset()
	for n := 1; ; n++ {
		switch more, err := s.step(); {
		case err != nil:
			return err
		case !more:
			return nil
		case n%1024 == 0 && ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if err := f(); err != nil {
			return err
		}
	}
}

// ColumnNumber returns a number of the row that each or rows is at, counted from 0.
func (s *Statement) ColumnNumber(i int) int64 { return s.stmt.ColumnInt64(i) }

// ColumnWord returns a text of the row that each or rows is at.
func (s *Statement) ColumnWord(i int) string { return s.stmt.ColumnText(i) }

// Bytes returns the bytes of the row that each or rows is at, until the next one.
func (s *Statement) Bytes(i int) []byte {
	n, at := s.stmt.ColumnLen(i), len(s.row)
	if n == 0 {
		return nil
	}
	s.row = slices.Grow(s.row, n)[:at+n] // what was read of this row stays where it is
	s.stmt.ColumnBytes(i, s.row[at:])
	return s.row[at : at+n : at+n]
}

// ColumnCount returns how many values the row has that rows is at.
func (s *Statement) ColumnCount() int { return s.stmt.ColumnCount() }

// Kind tells what the value is: neither is a number, or NULL.
func (s *Statement) Kind(i int) (isText, isBytes bool) {
	kind := s.stmt.ColumnType(i)
	return kind == sqlite.TypeText || kind == sqlite.TypeFloat, kind == sqlite.TypeBlob
}
