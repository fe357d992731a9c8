package store

import (
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

// remote is a statement of a line, with the values of its parameters as they are added.
type remote struct {
	line  *line
	name  string
	text  string
	types []uint32 // of the parameters

	values [][]byte

	row     [][]byte // the one that each is at
	columns []pgconn.FieldDescription
}

// next returns the type of the parameter that is added next.
func (r *remote) next() uint32 { return r.types[len(r.values)] }

// add adds what was written into the room of the line behind from.
func (r *remote) add(from int) {
	room := r.line.room
	r.values = append(r.values, room[from:len(room):len(room)])
}

func (r *remote) int(v int64) {
	t, from := r.next(), len(r.line.room)
	r.line.room = appendInt(r.line.room, t, v)
	r.add(from)
}

func (r *remote) str(v string) {
	t, from := r.next(), len(r.line.room)
	r.line.room = appendText(r.line.room, t, v)
	r.add(from)
}

func (r *remote) bytes(v []byte) {
	from := len(r.line.room)
	r.line.room = append(r.line.room, v...)
	r.add(from)
}

func (r *remote) words(v bind.Words) {
	t, from := r.next(), len(r.line.room)
	r.line.room = appendWords(r.line.room, t, v)
	r.add(from)
}

// send sends the statement ahead. f is called with the number of rows that it has changed.
func (r *remote) send(f func(changed int64)) { r.queue(sending{of: r, write: r.line.write, then: f}) }

// guess sends the statement ahead, if it may be guessed that it changes something; false when it is not sent.
func (r *remote) guess() bool {
	if !r.line.guesses() {
		return false
	}
	r.queue(sending{of: r, write: r.line.write, sure: true})
	return true
}

// each sends the statement, and waits for its answer and all before; see statement.each.
func (r *remote) each(f func()) (int64, error) {
	r.queue(sending{of: r, write: r.line.write})
	return r.line.receive(f)
}

func (r *remote) queue(s sending) {
	l := r.line
	l.pipe.SendQueryPrepared(r.name, r.values, binaryFormat, binaryFormat)
	l.sent = append(l.sent, s)
	r.values, l.room = r.values[:0], l.room[:0]
}

// number returns a number of the row that each is at.
func (r *remote) number(i int) int64 { return readInt(r.row[i]) }

// word returns a text of the row that each is at.
func (r *remote) word(i int) string {
	text, _ := decode(r.columns[i].DataTypeOID, r.row[i]).(string)
	return text
}
