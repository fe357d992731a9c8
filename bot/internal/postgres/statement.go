package postgres

import (
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

// Statement is a statement of a line, with the values of its parameters as they are added.
type Statement struct {
	line  *Line
	name  string
	text  string
	types []uint32 // of the parameters

	values [][]byte

	row     [][]byte // the one that each is at
	columns []pgconn.FieldDescription
}

// next returns the type of the parameter that is added next.
func (r *Statement) next() uint32 { return r.types[len(r.values)] }

// add adds what was written into the room of the line behind from.
func (r *Statement) add(from int) {
	room := r.line.room
	r.values = append(r.values, room[from:len(room):len(room)])
}

// Int adds a number.
func (r *Statement) Int(v int64) {
	t, from := r.next(), len(r.line.room)
	r.line.room = AppendInt(r.line.room, t, v)
	r.add(from)
}

// Str adds a text.
func (r *Statement) Str(v string) {
	t, from := r.next(), len(r.line.room)
	r.line.room = AppendText(r.line.room, t, v)
	r.add(from)
}

// Bytes adds bytes.
func (r *Statement) Bytes(v []byte) {
	from := len(r.line.room)
	r.line.room = append(r.line.room, v...)
	r.add(from)
}

// Words adds a list of texts.
func (r *Statement) Words(v bind.Words) {
	t, from := r.next(), len(r.line.room)
	r.line.room = appendWords(r.line.room, t, v)
	r.add(from)
}

// Numbers adds a list of numbers.
func (r *Statement) Numbers(v bind.Numbers) {
	t, from := r.next(), len(r.line.room)
	r.line.room = appendNumbers(r.line.room, t, v)
	r.add(from)
}

// Send sends the statement ahead. f is called with the number of rows that it has changed.
func (r *Statement) Send(f func(changed int64)) {
	r.queue(sending{of: r, write: r.line.Write, then: f})
}

// Guess sends the statement ahead, if it may be guessed that it changes something; false when it is not sent.
func (r *Statement) Guess() bool {
	if !r.line.Guesses() {
		return false
	}
	r.queue(sending{of: r, write: r.line.Write, sure: true})
	return true
}

// Each sends the statement, and waits for its answer and all before; see statement.each.
func (r *Statement) Each(f func()) (int64, error) {
	r.queue(sending{of: r, write: r.line.Write})
	return r.line.receive(f)
}

func (r *Statement) queue(s sending) {
	l := r.line
	l.pipe.SendQueryPrepared(r.name, r.values, binaryFormat, binaryFormat)
	l.sent = append(l.sent, s)
	r.values, l.room = r.values[:0], l.room[:0]
}

// Number returns a number of the row that each is at.
func (r *Statement) Number(i int) int64 { return ReadInt(r.row[i]) }

// Word returns a text of the row that each is at.
func (r *Statement) Word(i int) string {
	text, _ := Decode(r.columns[i].DataTypeOID, r.row[i]).(string)
	return text
}
