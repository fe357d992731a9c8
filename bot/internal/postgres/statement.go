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
func (s *Statement) next() uint32 { return s.types[len(s.values)] }

// add adds what was written into the room of the line behind from.
func (s *Statement) add(from int) {
	room := s.line.room
	s.values = append(s.values, room[from:len(room):len(room)])
}

// Int adds a number.
func (s *Statement) Int(v int64) {
	t, from := s.next(), len(s.line.room)
	s.line.room = AppendInt(s.line.room, t, v)
	s.add(from)
}

// Str adds a text.
func (s *Statement) Str(v string) {
	t, from := s.next(), len(s.line.room)
	s.line.room = AppendText(s.line.room, t, v)
	s.add(from)
}

// AddSealed adds bytes.
func (s *Statement) AddSealed(v []byte) {
	from := len(s.line.room)
	s.line.room = append(s.line.room, v...)
	s.add(from)
}

// AddWords adds a list of texts.
func (s *Statement) AddWords(v bind.Words) {
	t, from := s.next(), len(s.line.room)
	s.line.room = appendWords(s.line.room, t, v)
	s.add(from)
}

// AddNumbers adds a list of numbers.
func (s *Statement) AddNumbers(v bind.Numbers) {
	t, from := s.next(), len(s.line.room)
	s.line.room = appendNumbers(s.line.room, t, v)
	s.add(from)
}

// Send sends the statement ahead. f, if there is one, is called with the number of rows that it has changed.
func (s *Statement) Send(f func(changed int64)) error {
	s.queue(sending{of: s, write: s.line.write, then: f})
	return nil
}

// SendGuessed sends the statement ahead, if it may be guessed that it changes something; false when it is not sent.
func (s *Statement) SendGuessed() bool {
	if !s.line.IsGuessing() {
		return false
	}
	s.queue(sending{of: s, write: s.line.write, sure: true})
	return true
}

// SendAndWait sends the statement, and waits for its answer and all before.
func (s *Statement) SendAndWait() (err error) {
	s.queue(sending{of: s, write: s.line.write})
	if err := s.line.flush(); err != nil {
		return err
	}
	if err := s.line.readAnswers(1); err != nil {
		return err
	}
	s.answer, err = s.line.beginAnswer(s.asked())
	return err
}

// asked is the statement as it was sent last.
func (s *Statement) asked() *sending { return &s.line.sent[len(s.line.sent)-1] }

// Next goes to the next row of the answer; false when there is none.
func (s *Statement) Next() bool {
	if !s.answer.NextRow() {
		return false
	}
	s.row = s.answer.Values()
	return true
}

// RowsChanged returns how many rows the statement has changed, behind the last one of its answer.
func (s *Statement) RowsChanged() (int64, error) {
	tag, err := s.answer.Close()
	s.row = nil
	if err != nil {
		return 0, s.asked().blameWrite(err)
	}
	return tag.RowsAffected(), s.line.forgetSent()
}

func (s *Statement) queue(other sending) {
	l := s.line
	l.pipe.SendQueryPrepared(s.name, s.values, binaryFormat, binaryFormat)
	l.sent = append(l.sent, other)
	s.values, l.room = s.values[:0], l.room[:0]
}

// ColumnNumber returns a number of the row that Next went to.
func (s *Statement) ColumnNumber(i int) int64 { return ReadInt(s.row[i]) }

// ColumnWord returns a text of the row that Next went to.
func (s *Statement) ColumnWord(i int) string {
	text, _ := Decode(s.answer.FieldDescriptions()[i].DataTypeOID, s.row[i]).(string)
	return text
}
