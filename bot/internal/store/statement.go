package store

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/internal/reason"
)

// statement is a prepared statement of a database. The values of its parameters are
// added one after another, then it runs.
type statement struct {
	text   string
	vault  *seal.Vault       // seals values on their way
	file   *sqlite.Statement // nil where the database is PostgreSQL
	remote remote.Statement  // nil where it is a file
}

func (s *statement) prepare(c *sqlite.Conn, v *seal.Vault) (err error) {
	s.file, err = c.Prepare(s.text)
	s.vault = v
	return err
}

func (s *statement) close() { s.file.Close() }

// int adds a number.
func (s *statement) int(v int64) *statement {
	if s.remote != nil {
		s.remote.Int(v)
	} else {
		s.file.Int(v)
	}
	return s
}

// bool adds 1 or 0.
func (s *statement) bool(v bool) *statement {
	if v {
		return s.int(1)
	}
	return s.int(0)
}

// at adds a time.
func (s *statement) at(v time.Time) *statement { return s.int(bind.Micros(v)) }

// str adds a text.
func (s *statement) str(v string) *statement {
	if s.remote != nil {
		s.remote.Str(v)
	} else {
		s.file.Str(v)
	}
	return s
}

// sealed adds bytes.
func (s *statement) sealed(v []byte) *statement {
	if s.remote != nil {
		s.remote.Bytes(v)
	} else {
		s.file.Sealed(v)
	}
	return s
}

// secret adds a text that stands at p, sealed where there is a key. An empty one never is.
func (s *statement) secret(p seal.Cell, text string) *statement {
	if text != "" && s.vault.Seals() { //mutate:sealed
		return s.sealed(s.vault.Seal(p, text))
	}
	return s.str(text)
}

// words adds a list of texts.
func (s *statement) words(v bind.Words) *statement {
	if s.remote != nil {
		s.remote.Words(v)
		return s
	}
	return s.str(v.JSON())
}

// numbers adds a list of numbers.
func (s *statement) numbers(v bind.Numbers) *statement {
	s.remote.Numbers(v) // nobody has needed one of a file
	return s
}

// run executes the statement, and returns the number of rows it changed.
func (s *statement) run() (int64, error) { return s.each(nil) }

// do executes the statement, whatever it changes.
func (s *statement) do() error {
	if s.remote != nil {
		s.remote.Send(nil)
		return nil
	}
	_, err := s.each(nil)
	return err
}

// usual is run for a statement that nearly always changes something. A database that is far away is not waited for: the
// group is stored anew, and each answer waited for, when it turns out that nothing was changed.
func (s *statement) usual() (int64, error) {
	if s.remote != nil && s.remote.Guess() {
		return 1, nil
	}
	return s.each(nil)
}

// then executes the statement, and calls f with the number of rows that it changed once that is known, before the group
// is stored.
func (s *statement) then(f func(changed int64)) error {
	if s.remote != nil {
		s.remote.Send(f)
		return nil
	}
	n, err := s.each(nil)
	if err == nil {
		f(n)
	}
	return err
}

// each executes the statement and calls f, if there is one, with each row, whose values number and word
// tell. It returns the number of rows that were changed.
func (s *statement) each(f func()) (int64, error) {
	if s.remote == nil {
		return s.file.Each(f)
	}
	if err := s.remote.Ask(); err != nil {
		return 0, err
	}
	for s.remote.Next() {
		if f != nil {
			f()
		}
	}
	return s.remote.Changed()
}

// number returns a number of the row that each is at, counted from 0.
func (s *statement) number(i int) int64 {
	if s.remote != nil {
		return s.remote.Number(i)
	}
	return s.file.Number(i)
}

// word returns a text of the row that each is at.
func (s *statement) word(i int) string {
	if s.remote != nil {
		return s.remote.Word(i)
	}
	return s.file.Word(i)
}

// key adds the key of an account.
func (s *statement) key(account event.Account) *statement {
	return s.int(int64(account.Shard())).str(string(account))
}

// occurrence adds the key of a timer, and its occurrence.
func (s *statement) occurrence(t *event.Timer) *statement {
	return s.key(t.Key.Account).int(int64(t.Key.Peer)).str(t.Name).int(t.Occurrence)
}

// event adds the first columns of an event's row.
func (s *statement) event(e *event.Event) *statement {
	return s.key(e.Account).int(int64(e.ID.Source)).int(e.ID.Number).int(int64(e.Peer)).str(string(e.Kind)).
		str(e.Name).str(e.User).secret(seal.EventText.OfEvent(e.Account, e.ID), e.Text).secret(seal.EventImage.OfEvent(e.Account, e.ID), e.Image).int(int64(e.Post)).str(string(e.Subject)).at(e.SeenAt).at(e.NotBefore)
}

// because adds a reason in words, and as its code.
func (s *statement) because(why event.Reason) *statement {
	return s.str(reason.Sentence(why)).str(string(why))
}

// heldFor adds the reason that heldForIt asks for: its code, and the words in which it was stored before there were codes.
func (s *statement) heldFor(why event.Reason) *statement {
	return s.str(string(why)).str(reason.Sentence(why))
}

// mark adds what changes of an action, and its key.
func (s *statement) mark(m *outbox.Mark) *statement { return s.change(m).key(m.Account).str(m.Key) }

// change adds what a mark changes of an action.
func (s *statement) change(m *outbox.Mark) *statement {
	return s.str(string(m.State)).int(int64(m.Priority)).int(m.Position).int(m.ReconcileFrom).int(m.Result).int(int64(m.Tries)).str(m.Reason).
		at(m.Due).at(m.LeftAt).at(m.EndedAt).str(string(m.Why))
}

// record adds the columns of a decision record but for its reason, which stands last in every table; two of them stand at these places.
func (s *statement) record(t *event.DecisionRecord, note, before seal.Cell) *statement {
	return s.str(t.Route).str(storedOutcome(t.Outcome)).secret(note, t.Note).str(t.Rule).str(t.Version).secret(before, string(t.Before))
}

// eventRecord adds the columns of an event's decision record.
func (s *statement) eventRecord(e *event.Event, t *event.DecisionRecord) *statement {
	return s.record(t, seal.EventNote.OfEvent(e.Account, e.ID), seal.EventBefore.OfEvent(e.Account, e.ID)).str(string(t.Why))
}
