package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// Line is the connection to PostgreSQL that writes. A group goes over it ahead of the answers: what a statement changes is
// guessed where that is nearly always the same, and looked at when the answers have come. It belongs to one goroutine.
type Line struct {
	Config *pgconn.Config
	Conn   *pgconn.PgConn // nil when it is cut

	// Of the group under way.
	pipe    *pgconn.Pipeline
	synced  bool
	sent    []sending
	write   int          // the one whose statements are sent
	waiting map[int]bool // writes of which nothing is guessed, since a guess was wrong
	waitAll bool
	wrong   []int  // writes of which a guess was wrong
	room    []byte // for what is sent next
}

// sending is a statement whose answer has not been looked at.
type sending struct {
	of    *Statement
	write int
	sure  bool // it was guessed that it changes something
	then  func(changed int64)
}

// maxGuesses is how often a group is stored anew with guesses.
const maxGuesses = 3

// Connect makes the connection.
func (l *Line) Connect(ctx context.Context) error {
	conn, err := pgconn.ConnectConfig(ctx, l.Config)
	if err != nil {
		return explainUnreachable(err)
	}
	l.Conn = conn
	return nil
}

// Prepare prepares statements: all in one trip.
func (l *Line) Prepare(ctx context.Context, texts []string) (all []remote.Statement, err error) {
	pipe := l.Conn.StartPipeline(ctx)
	for i, text := range texts {
		pipe.SendPrepare(nameOf(i), forPostgres(text), nil)
	}
	err = pipe.Sync()
	for i := 0; i < len(texts) && err == nil; i++ {
		var got any
		if got, err = pipe.GetResults(); err != nil {
			err = fmt.Errorf("prepare %q: %w", texts[i], err)
		} else if d, ok := got.(*pgconn.StatementDescription); ok {
			all = append(all, &Statement{line: l, name: nameOf(i), text: texts[i], types: d.ParamOIDs})
		}
	}
	if cerr := pipe.Close(); err == nil {
		err = cerr
	}
	return all, err
}

func nameOf(i int) string { return fmt.Sprint("w", i) }

// Cut gives the connection up. What was under way on it ends by itself, one way or the other.
func (l *Line) Cut(ctx context.Context) {
	if l.Conn == nil {
		return
	}
	l.pipe = nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // also when the time of what was under way is over
	defer cancel()
	_ = l.Conn.Close(ctx) // it is of no use any more
	l.Conn = nil
}

// IsCut reports whether there is no connection.
func (l *Line) IsCut() bool { return l.Conn == nil || l.Conn.IsClosed() }

// Begin begins a group.
func (l *Line) Begin(ctx context.Context) {
	l.pipe, l.synced, l.sent, l.wrong, l.write = l.Conn.StartPipeline(ctx), false, l.sent[:0], l.wrong[:0], remote.NoWrite
}

// GoTo says whose statements are sent from now on.
func (l *Line) GoTo(write int) { l.write = write }

// IsGuessing reports whether the answers of the write under way are guessed.
func (l *Line) IsGuessing() bool {
	return l.write != remote.NoWrite && !l.waitAll && !l.waiting[l.write]
}

// End waits for the answers to all that was sent of a group. Then nothing is under way.
func (l *Line) End() error {
	if err := l.sync(); err != nil {
		return err
	}
	if err := l.readAnswers(0); err != nil {
		return err
	}
	if err := l.forgetSent(); err != nil {
		return err
	}
	return l.Close()
}

// sync lets the server answer all, and after an error listen again.
func (l *Line) sync() error {
	if l.synced {
		return nil
	}
	l.synced = true
	return l.pipe.Sync()
}

// Close ends what is sent ahead, also when it has failed.
func (l *Line) Close() error {
	if l.pipe == nil {
		return nil
	}
	_ = l.sync() // or Close tells the same
	err := l.pipe.Close()
	l.pipe = nil
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Severity != fatal {
		return nil // it has been told before
	}
	return err
}

// flush sends what stands ahead, and lets the server answer it.
func (l *Line) flush() error {
	l.pipe.SendFlushRequest()
	return l.pipe.Flush()
}

// readAnswers reads the answers to what was sent, but for the last ones, as many as are to be left.
func (l *Line) readAnswers(left int) error {
	for i := range l.sent[:len(l.sent)-left] {
		s := &l.sent[i]
		r, err := l.beginAnswer(s)
		if err != nil {
			return err
		}
		tag, err := r.Close() // nobody has asked for its rows
		if err != nil {
			return s.blameWrite(err)
		}
		switch changed := tag.RowsAffected(); {
		case s.then != nil:
			s.then(changed)
		case s.sure && changed == 0: //mutate:wrong-guess
			// The other answers are read all the same: each wrong guess that is known by now costs no try of its own.
			l.wrong = append(l.wrong, s.write)
		}
	}
	return nil
}

// forgetSent forgets what was sent, when all of it is answered. It reports whether a guess was wrong.
func (l *Line) forgetSent() error {
	l.sent = l.sent[:0]
	if len(l.wrong) > 0 {
		return remote.ErrWrongGuess
	}
	return nil
}

// beginAnswer begins to read the answer to a statement.
func (l *Line) beginAnswer(s *sending) (*pgconn.ResultReader, error) {
	got, err := l.pipe.GetResults()
	if err != nil {
		return nil, s.blameWrite(err)
	}
	r, ok := got.(*pgconn.ResultReader)
	if !ok {
		return nil, s.blameWrite(fmt.Errorf("the server answers with %T", got))
	}
	return r, nil
}

// blameWrite says of an error of which write it is.
func (s *sending) blameWrite(err error) error {
	verb, _, _ := strings.Cut(s.of.text, "(")
	return &remote.BlamedError{Write: s.write, Err: fmt.Errorf("%.30s: %w", verb, err)}
}

// NoteWrongGuesses notes of which writes the guesses were wrong, and after some tries that all answers are waited for.
func (l *Line) NoteWrongGuesses(tries int) {
	if l.waiting == nil {
		l.waiting = map[int]bool{}
	}
	for _, w := range l.wrong {
		l.waiting[w] = true
	}
	// What stands behind a wrong guess was sent because of it, so its answers say little, and the next guess may be wrong again.
	l.waitAll = tries >= maxGuesses
}

// GuessAgain begins to guess again.
func (l *Line) GuessAgain() {
	clear(l.waiting)
	l.waitAll = false
}

// Exec runs a statement outside of a group, and returns its rows.
func (l *Line) Exec(ctx context.Context, text string, args ...int64) ([][]int64, error) {
	values, types := make([][]byte, len(args)), make([]uint32, len(args))
	for i, v := range args {
		values[i], types[i] = AppendInt(nil, TypeInt8, v), TypeInt8
	}
	r := l.Conn.ExecParams(ctx, text, values, types, binaryFormat, binaryFormat).Read()
	if r.Err != nil {
		return nil, r.Err
	}
	rows := make([][]int64, len(r.Rows))
	for i, row := range r.Rows {
		for _, v := range row {
			rows[i] = append(rows[i], ReadInt(v))
		}
	}
	return rows, nil
}

// Commit makes the group last that has ended.
func (l *Line) Commit(ctx context.Context) error { return Commit(ctx, l.Conn) }

// InTransaction reports whether a transaction is under way.
func (l *Line) InTransaction() bool { return l.Conn.TxStatus() != 'I' }

// Commit makes a transaction last. The error is an unclear.Error unless the server has said no.
func Commit(ctx context.Context, conn *pgconn.PgConn) error {
	ctx, cancel := context.WithTimeout(ctx, remote.Patience)
	defer cancel()
	results, err := conn.Exec(ctx, `COMMIT`).ReadAll()
	pg, said := errors.AsType[*pgconn.PgError](err)
	switch {
	// Nothing can be concluded from FATAL: the server may end a connection between making the commit and saying so.
	case said && pg.Severity != fatal: // the transaction is over, and was not made
		return err
	case err != nil:
		return &unclear.Error{Err: err} //mutate:lost-answer
	// COMMIT of a transaction that has failed is answered by ROLLBACK, and by no error.
	case len(results) != 1 || results[0].CommandTag.String() != "COMMIT":
		return errors.New("the server has rolled back what was to be committed")
	}
	return nil
}
