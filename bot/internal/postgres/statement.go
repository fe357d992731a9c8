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

	answer *pgconn.ResultReader // the one that was asked for
	row    [][]byte             // the one that Next went to
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
	r.queue(sending{of: r, write: r.line.write, then: f})
}

// Guess sends the statement ahead, if it may be guessed that it changes something; false when it is not sent.
func (r *Statement) Guess() bool {
	if !r.line.Guesses() {
		return false
	}
	r.queue(sending{of: r, write: r.line.write, sure: true})
	return true
}

// Ask sends the statement, and waits for its answer and all before.
func (r *Statement) Ask() (err error) {
	r.queue(sending{of: r, write: r.line.write})
	if err := r.line.flush(); err != nil {
		return err
	}
	if err := r.line.answers(1); err != nil {
		return err
	}
	r.answer, err = r.line.answer(r.asked())
	return err
}

// asked is the statement as it was sent last.
func (r *Statement) asked() *sending { return &r.line.sent[len(r.line.sent)-1] }

// Next goes to the next row of the answer; false when there is none.
func (r *Statement) Next() bool {
	if !r.answer.NextRow() {
		return false
	}
	r.row = r.answer.Values()
	return true
}

// Changed returns how many rows the statement has changed, behind the last one of its answer.
func (r *Statement) Changed() (int64, error) {
	tag, err := r.answer.Close()
	r.row = nil
	if err != nil {
		return 0, r.asked().blame(err)
	}
	return tag.RowsAffected(), r.line.over()
}

func (r *Statement) queue(s sending) {
	l := r.line
	l.pipe.SendQueryPrepared(r.name, r.values, binaryFormat, binaryFormat)
	l.sent = append(l.sent, s)
	r.values, l.room = r.values[:0], l.room[:0]
}

// Number returns a number of the row that Next went to.
func (r *Statement) Number(i int) int64 { return ReadInt(r.row[i]) }

// Word returns a text of the row that Next went to.
func (r *Statement) Word(i int) string {
	text, _ := Decode(r.answer.FieldDescriptions()[i].DataTypeOID, r.row[i]).(string)
	return text
}
