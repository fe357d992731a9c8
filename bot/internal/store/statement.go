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

// statement is a prepared statement of a database. The values of its parameters are added one after another, then it runs.
type statement struct {
	text   string
	vault  *seal.Vault      // seals values on their way
	engine remote.Statement // as the file has it, or the server
}

func (s *statement) prepare(c *sqlite.Conn, v *seal.Vault) error {
	prepared, err := c.Prepare(s.text)
	if err != nil {
		return err
	}
	s.engine, s.vault = prepared, v
	return nil
}

// ofFile returns the statement as a file has it; nil where it is not prepared there.
func (s *statement) ofFile() *sqlite.Statement {
	prepared, _ := s.engine.(*sqlite.Statement)
	return prepared
}

func (s *statement) close() { s.ofFile().Close() }

// int adds a number.
func (s *statement) int(v int64) *statement {
	s.engine.Int(v)
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
func (s *statement) at(v time.Time) *statement { return s.int(bind.ToMicros(v)) }

// str adds a text.
func (s *statement) str(v string) *statement {
	s.engine.Str(v)
	return s
}

// addSealed adds bytes.
func (s *statement) addSealed(v []byte) *statement {
	s.engine.AddSealed(v)
	return s
}

// addSecret adds a text that stands at p, sealed where there is a key. An empty one never is.
func (s *statement) addSecret(p seal.Cell, text string) *statement {
	if text != "" && s.vault.IsSealing() { //mutate:sealed
		return s.addSealed(s.vault.Seal(p, text))
	}
	return s.str(text)
}

// addWords adds a list of texts.
func (s *statement) addWords(v bind.Words) *statement {
	s.engine.AddWords(v)
	return s
}

// addNumbers adds a list of numbers.
func (s *statement) addNumbers(v bind.Numbers) *statement {
	s.engine.AddNumbers(v)
	return s
}

// run executes the statement, and returns the number of rows it changed.
func (s *statement) run() (int64, error) { return s.each(nil) }

// do executes the statement, and does not count the rows that it changes.
func (s *statement) do() error { return s.engine.Send(nil) }

// runUsual is run for a statement that nearly always changes something. A database that is far away is not waited for: the
// group is stored anew, and each answer waited for, when it turns out that nothing was changed.
func (s *statement) runUsual() (int64, error) {
	if s.engine.SendGuessed() {
		return 1, nil
	}
	return s.each(nil)
}

// runThen executes the statement, and calls f with the number of rows that it changed once that is known, before the group is stored.
func (s *statement) runThen(f func(changed int64)) error { return s.engine.Send(f) }

// each executes the statement and calls f, if there is one, for each row; f reads its values with number and word.
// It returns the number of rows that were changed.
func (s *statement) each(f func()) (int64, error) {
	if err := s.engine.SendAndWait(); err != nil {
		return 0, err
	}
	for s.engine.Next() {
		if f != nil {
			f()
		}
	}
	return s.engine.RowsChanged()
}

// columnNumber returns a number of the row that each is at, counted from 0.
func (s *statement) columnNumber(i int) int64 { return s.engine.ColumnNumber(i) }

// columnWord returns a text of the row that each is at.
func (s *statement) columnWord(i int) string { return s.engine.ColumnWord(i) }

// key adds the key of an account.
func (s *statement) key(account event.Account) *statement {
	return s.int(int64(account.Shard())).str(string(account))
}

// addOccurrence adds the key of a timer, and its occurrence.
func (s *statement) addOccurrence(t *event.Timer) *statement {
	return s.key(t.Key.Account).int(int64(t.Key.Peer)).str(t.Name).int(t.Occurrence)
}

// addEvent adds the first columns of an event's row.
func (s *statement) addEvent(e *event.Event) *statement {
	return s.key(e.Account).int(int64(e.ID.Source)).int(e.ID.Number).int(int64(e.Peer)).str(string(e.Kind)).
		str(e.Name).str(e.User).addSecret(seal.EventText.OfEvent(e.Account, e.ID), e.Text).addSecret(seal.EventImage.OfEvent(e.Account, e.ID), e.Image).int(int64(e.Post)).str(string(e.Subject)).at(e.SeenAt).at(e.NotBefore)
}

// addReason adds a reason in words, and as its code.
func (s *statement) addReason(why event.Reason) *statement {
	return s.str(reason.SentenceOf(why)).str(string(why))
}

// heldFor adds the reason that heldForIt asks for: its code, and the words in which it was stored before there were codes.
func (s *statement) heldFor(why event.Reason) *statement {
	return s.str(string(why)).str(reason.SentenceBefore(why.Param("rule")))
}

// addMark adds what changes of an action, and its key.
func (s *statement) addMark(m *outbox.Mark) *statement {
	return s.addChange(m).key(m.Account).str(m.Key)
}

// addChange adds what a mark changes of an action.
func (s *statement) addChange(m *outbox.Mark) *statement {
	return s.str(string(m.State)).int(int64(m.Priority)).int(m.Position).int(m.ReconcileFrom).int(m.Result).int(int64(m.Tries)).str(m.Reason).
		at(m.Due).at(m.LeftAt).at(m.EndedAt).str(string(m.Why))
}

// addRecord adds the columns of a decision record but for its reason, which stands last in every table; two of them stand at these places.
func (s *statement) addRecord(t *event.DecisionRecord, note, before seal.Cell) *statement {
	return s.str(t.Route).str(storedOutcome(t.Outcome)).addSecret(note, t.Note).str(t.Rule).str(t.Version).addSecret(before, string(t.Before))
}

// eventRecord adds the columns of an event's decision record.
func (s *statement) eventRecord(e *event.Event, t *event.DecisionRecord) *statement {
	return s.addRecord(t, seal.EventNote.OfEvent(e.Account, e.ID), seal.EventBefore.OfEvent(e.Account, e.ID)).str(string(t.Why))
}
