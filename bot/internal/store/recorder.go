package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
)

// What a database is, and how often it was opened by a process to work on it, stands in its table meta.
const (
	upsertDatabase  = `INSERT INTO meta (key, value) VALUES ('database', ?) ON CONFLICT (key) DO UPDATE SET value = value RETURNING value`
	selectMetaValue = `SELECT CASE key WHEN 'start' THEN CAST(value AS INTEGER) + 1 ELSE value END FROM meta WHERE key = ?`
	upsertStart     = `INSERT INTO meta (key, value) VALUES ('start', '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING value`
)

// SkipStart leaves out a start in a database that an account comes into. What the recorder's file beside it says of the account is from before it
// lived elsewhere, and so the file says nothing.
func SkipStart(ctx context.Context, ask markReader) error {
	rows, err := ask(ctx, isAway, "start", "", "")
	if err != nil || len(rows) == 0 {
		return err
	}
	n, err := strconv.ParseInt(bind.WordOf(rows[0][1]), 10, 64)
	if err != nil {
		return err
	}
	_, err = ask(ctx, UpsertMark, "start", strconv.FormatInt(n+1, 10)) //mutate:recorder-moved
	return err
}

// countStart counts a start of a bot. For another program it counts nothing, and returns what the next start will be.
func countStart(ctx context.Context, db *sql.DB, noBot bool) (recorder.Incarnation, error) {
	if !noBot {
		return raiseStart(ctx, db)
	}
	i := recorder.Incarnation{Start: 1}
	for key, dst := range map[string]any{"database": &i.Database, "start": &i.Start} {
		if err := db.QueryRowContext(ctx, selectMetaValue, key).Scan(dst); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return i, err
		}
	}
	return i, nil
}

// raiseStart counts a start. Before the file says the same: where the process dies in between, the file is that of the incarnation before the last
// one, and says nothing.
func raiseStart(ctx context.Context, db *sql.DB) (i recorder.Incarnation, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return i, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err = tx.QueryRowContext(ctx, upsertDatabase, rand.Text()).Scan(&i.Database); err != nil {
		return i, err
	}
	if err = tx.QueryRowContext(ctx, upsertStart).Scan(&i.Start); err != nil {
		return i, err
	}
	return i, tx.Commit()
}

// openRecorder begins the file beside the database. Without one the bot works, too: then nothing is known after a death.
func (s *Database) openRecorder(o *Options, number int64) {
	path := recorderOf(o.Path)
	s.folder = filepath.Dir(path)
	m := s.machine
	i := s.incarnation
	i.Boot, i.Version = m.Boot, Version()
	var err error
	if s.recorder, s.last, err = recorder.Open(path, i, number, m); err != nil {
		o.Log.Warn("the file that tells what was under way when a process dies cannot be made; after a death actions are in doubt for longer", "err", err)
		return
	}
	sqlite.GiveToFolder(path)
}

// leaveRecorder leaves the file to the next bot, and returns what it says. Where it is of a later state than the database, which is a copy then, it must
// not: what is stored from now on would hide that, and the file would be believed.
func (s *Database) leaveRecorder(ctx context.Context, o *Options, number int64) (*recorder.Report, error) {
	p, err := recorder.Read(recorderOf(o.Path), s.machine)
	if err != nil || !p.IsLater(&s.incarnation, number) {
		return p, nil // there may be none, or nobody can read it
	}
	db, err := sqlite.OpenDB(o.Path, sqlite.WritingPragmas(o.Fast), 1)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it is stored
	if s.incarnation, err = raiseStart(ctx, db); err == nil {
		s.openRecorder(o, number)
	}
	return p, err
}

// Version is that of the program.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return cmp.Or(info.Main.Version, "(devel)")
})

// Recorder is the file beside the database that tells what was under way when a process dies; nil on a server, and where it cannot be made.
func (s *Database) Recorder() *recorder.Recorder { return s.recorder }

// Machine is what the store runs on.
func (m *memory) Machine() recorder.Machine { return m.machine }

// LastReport is what the last incarnation has left in the file; nil where nothing is known of it.
func (s *Database) LastReport() *recorder.Report { return s.last }
