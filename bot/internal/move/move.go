package move

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// Errors of a move that a person can do something about.
var (
	errSameDatabase = errors.New("it would be moved into itself: name another database, the last one is where all goes")
	errNothing      = errors.New("there is no account in it")
	errMovedTwice   = errors.New("it is named twice")
	errUnsteady     = errors.New("it changes all the time: nobody may work on it meanwhile")
)

// PresentError is the error of moving accounts into a database in which they are already, or from two databases at once.
type PresentError struct {
	Accounts []event.Account
	In       []string // what the databases are called
}

// Error names them, and tells what to do.
func (e *PresentError) Error() string {
	verb := "is"
	if len(e.Accounts) > 1 {
		verb = "are"
	}
	text := fmt.Sprintf("the %s %s in %s", record.AccountNames("account", e.Accounts), verb, strings.Join(e.In, " and in "))
	if len(e.In) == 1 {
		return text + " already, and nobody can tell which memory is the right one: move only others, with --account, or move it out of there first"
	}
	return text + ", and nobody can tell which memory is the right one: name only one of the two, or pick accounts with --account"
}

// Move takes accounts with all that is kept of them into another database. When it was interrupted, at any moment, it can
// be asked for again, and goes on. Until all has arrived and was compared, the accounts run where they were, and
// from then on where they are now: never in both, nor in one that has only a part. The errors are those of Open, MovedError,
// ArrivingError and PresentError.
func Move(ctx context.Context, o record.MoveOptions) (_ record.Moved, err error) {
	m := &mover{MoveOptions: o, named: map[string]bool{}}
	if m.Around == nil {
		m.Around = func(commit func() error) error { return commit() }
	}
	if m.Say == nil {
		m.Say = func(record.MoveProgress) {}
	}
	if m.Step == 0 {
		m.Step = moveStep
	}
	defer func() { err = errors.Join(err, m.close(ctx)) }()
	if err := m.open(ctx); err != nil {
		return record.Moved{}, err
	}
	if err := m.planMove(ctx); err != nil {
		return record.Moved{}, err
	}
	moved := m.moved()
	if !m.Dry {
		m.said.All = moved.Rows()
		err = m.run(ctx)
	}
	return moved, err
}

// moveStep is how many rows are stored together, usually.
const moveStep = 50_000

// mover moves accounts.
type mover struct {
	record.MoveOptions
	from   []*leaving
	to     side
	tables []movedTable
	sums   summer
	named  map[string]bool // versions of rules that rows name, of the database that is moved now
	said   record.MoveProgress

	arriving map[event.Account]store.ArrivingMark // as the target had them at first
	gone     map[event.Account]store.GoneMark     // the same
}

// leaving is a database that accounts leave.
type leaving struct {
	side
	accounts []*traveller
	finished []*traveller    // that have left, and are not known there yet
	remains  []event.Account // that have left before, and of which something is still here
	whole    bool
	before   bool
	gone     map[event.Account]store.GoneMark
}

// traveller is an account on its way.
type traveller struct {
	account event.Account
	rows    int64
	mark    store.ArrivingMark
	fresh   bool // nothing of it is there yet
	sums    []rowSum
}

// open opens the databases.
func (m *mover) open(ctx context.Context) error {
	if slices.ContainsFunc(m.From, func(path string) bool { return isSame(path, m.To) }) {
		return fmt.Errorf("%s: %w", remote.NameOf(m.To), errSameDatabase)
	}
	for i, path := range m.From {
		if slices.ContainsFunc(m.From[:i], func(other string) bool { return isSame(path, other) }) {
			return fmt.Errorf("%s: %w", remote.NameOf(path), errMovedTwice)
		}
		r := left
		if m.Dry {
			r = looked
		}
		s, err := openSide(ctx, path, m.Key, r)
		if err == nil && s == nil {
			err = fmt.Errorf("open %s: %w", titleOf(path), record.ErrNone)
		}
		if err != nil {
			return err
		}
		m.from = append(m.from, &leaving{side: s})
	}
	r := entered
	if m.Dry {
		r = looked
	}
	var err error
	if m.to, err = openSide(ctx, m.To, m.Key, r); err != nil {
		return err
	}
	m.tables, err = movedTables(ctx, m.from[0], m.to)
	return err
}

// isSame reports whether two paths, or URLs, are of one database, as far as they tell.
func isSame(a, b string) bool {
	if remote.IsURL(a) || remote.IsURL(b) {
		return a == b
	}
	return fileOf(a) == fileOf(b)
}

func fileOf(path string) string {
	path, err := sqlite.FileBehind(path)
	if err != nil {
		return path
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path
}

func (m *mover) close(ctx context.Context) error {
	var errs []error
	for _, f := range m.from {
		errs = append(errs, f.close(ctx))
	}
	if m.to != nil {
		errs = append(errs, m.to.close(ctx))
	}
	return errors.Join(errs...)
}

// moved tells what was moved.
func (m *mover) moved() record.Moved {
	r := record.Moved{To: titleOf(m.To)}
	for _, f := range m.from {
		x := record.MovedFrom{Name: f.name(), Whole: f.whole, Before: f.before}
		for _, t := range slices.Concat(f.finished, f.accounts) {
			x.Accounts = append(x.Accounts, record.MovedAccount{Account: t.account, Rows: t.rows})
		}
		r.From = append(r.From, x)
	}
	return r
}

// run moves what was planned.
func (m *mover) run(ctx context.Context) error {
	for _, f := range m.from { // what an interrupted move has left to be done
		err := m.finishAccounts(ctx, f, f.finished)
		if err == nil {
			err = m.clearLeft(ctx, f, f.remains)
		}
		if err != nil {
			return fmt.Errorf("move %s: %w", f.name(), sqlite.ExplainError(postgres.ExplainError(err)))
		}
	}
	if err := m.announceArrival(ctx); err != nil {
		return fmt.Errorf("move into %s: %w", m.to.name(), sqlite.ExplainError(postgres.ExplainError(err)))
	}
	for _, f := range m.from {
		if f.before {
			continue
		}
		if err := m.leave(ctx, f); err != nil {
			return fmt.Errorf("move %s into %s: %w", f.name(), m.to.name(), sqlite.ExplainError(postgres.ExplainError(err)))
		}
	}
	return nil
}

// leave moves the accounts of a database.
func (m *mover) leave(ctx context.Context, f *leaving) error {
	clear(m.named)
	for _, t := range f.accounts {
		m.said.Account = t.account
		if err := m.carryAccount(ctx, f, t); err != nil {
			return fmt.Errorf("the account %s: %w", t.account, err)
		}
	}
	if err := m.copyShared(ctx, f); err != nil {
		return err
	}
	if m.said.Done >= moveStep {
		m.to.analyzeTables(ctx, m.tables)
	}
	if err := m.noteArrived(ctx, f); err != nil {
		return err
	}
	if err := m.leaveSource(ctx, f); err != nil {
		return err
	}
	return m.finishAccounts(ctx, f, f.accounts)
}
