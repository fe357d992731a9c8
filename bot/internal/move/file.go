package move

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// fileSide is a file as a move sees it.
type fileSide struct {
	path  string
	lock  *flock.Flock // nil when it is only looked at
	db    *sql.DB      // reads keys
	conn  *sqlite.Conn
	keys  *seal.Vault
	into  *sqlite.Statement // stores rows
	known map[string]*sqlite.Statement
}

func openFileSide(ctx context.Context, path string, key platform.Secret, r role) (_ side, err error) {
	if _, err := os.Stat(path); err != nil && r != entered {
		if r == looked && errors.Is(err, os.ErrNotExist) {
			return nil, nil //nolint:nilnil // there is none
		}
		return nil, fmt.Errorf("%w: %w", record.ErrNone, err)
	}
	s := &fileSide{path: path, known: map[string]*sqlite.Statement{}}
	defer func() {
		if err != nil {
			_ = s.close(ctx) // the first error says it all
		}
	}()
	if r != looked {
		if s.lock, err = sqlite.TakeFile(ctx, path, false); err != nil {
			return nil, err
		}
	}
	if err := s.open(ctx, key, r); err != nil {
		return nil, err
	}
	settings := sqlite.WritingPragmas(false)
	switch r {
	case looked:
		settings = sqlite.ReadingPragmas()
	case entered:
		settings = append(settings, "cache_size(-16384)") // indexes of what comes in the order of another key
	case left:
	}
	s.conn, err = sqlite.Open(path, settings)
	return s, err
}

// open brings the file up to date, and reads its keys.
func (s *fileSide) open(ctx context.Context, key platform.Secret, r role) (err error) {
	settings := sqlite.WritingPragmas(false)
	if r == looked {
		settings = sqlite.ReadingPragmas()
	}
	if s.db, err = sqlite.OpenDB(s.path, settings, 1); err != nil {
		return err
	}
	if r == looked {
		err = sqlite.CheckVersion(ctx, s.db)
	} else if err = sqlite.Migrate(ctx, s.db); err == nil {
		err = sqlite.KeepLog(ctx, s.db)
	}
	if err == nil && r == entered {
		err = seal.UnlockFile(ctx, s.db, key, false)
	}
	if err == nil {
		s.keys, err = openVault(ctx, s.db, key)
	}
	return err
}

func (s *fileSide) name() string       { return titleOf(s.path) }
func (s *fileSide) vault() *seal.Vault { return s.keys }

func (s *fileSide) tableColumns(ctx context.Context, table string) ([]string, error) {
	rows, err := s.queryRows(ctx, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, table)
	return firstWords(rows), err
}

// firstWords returns the first text of each row.
func firstWords(rows [][]any) (all []string) {
	for _, row := range rows {
		all = append(all, bind.WordOf(row[0]))
	}
	return all
}

// prepared returns a statement with the values of its parameters.
func (s *fileSide) prepared(text string, args ...any) (*sqlite.Statement, error) {
	st := s.known[text]
	if st == nil {
		var err error
		if st, err = s.conn.Prepare(text); err != nil {
			return nil, err
		}
		s.known[text] = st
	}
	for _, a := range args {
		switch v := a.(type) {
		case int64:
			st.Int(v)
		case []byte:
			st.AddSealed(v)
		default:
			st.Str(bind.WordOf(v))
		}
	}
	return st, nil
}

func (s *fileSide) queryRows(ctx context.Context, text string, args ...any) (all [][]any, err error) {
	st, err := s.prepared(text, args...)
	if err != nil {
		return nil, err
	}
	var row movedRow
	return all, st.EachRow(ctx, func() error {
		row.scan(st)
		one := make([]any, len(row.values))
		for i := range row.values {
			switch v := &row.values[i]; {
			case v.sealed:
				one[i] = append([]byte{}, v.text...)
			case v.isText:
				one[i] = string(v.text)
			default:
				one[i] = v.number
			}
		}
		all = append(all, one)
		return nil
	})
}

func (s *fileSide) run(ctx context.Context, text string) error {
	_, err := s.queryRows(ctx, text)
	return err
}

func (s *fileSide) begin(ctx context.Context) error     { return s.run(ctx, `BEGIN IMMEDIATE`) }
func (s *fileSide) commit(ctx context.Context) error    { return s.run(ctx, `COMMIT`) }
func (s *fileSide) rollback(ctx context.Context) error  { return s.run(ctx, `ROLLBACK`) }
func (s *fileSide) excludeOthers(context.Context) error { return nil } // a transaction that writes is the only one

func (s *fileSide) read(ctx context.Context, t *movedTable, account event.Account, f func(*movedRow) error) error {
	st, err := s.prepared(t.read(), int64(account.Shard()), string(account))
	if err != nil {
		return err
	}
	var row movedRow
	return st.EachRow(ctx, func() error {
		row.scan(st)
		if err := row.open(s.keys, t, account); err != nil {
			return err
		}
		return f(&row)
	})
}

func (s *fileSide) fillTable(_ context.Context, t *movedTable) (err error) {
	s.into, err = s.prepared(t.insert())
	return err
}

func (s *fileSide) put(t *movedTable, account event.Account, row *movedRow) error {
	row.seal(s.keys, t, account)
	for i := range row.values {
		switch v := &row.values[i]; {
		case v.sealed:
			s.into.AddSealed(v.text)
		case v.isText:
			s.into.Str(string(v.text))
		default:
			s.into.Int(v.number)
		}
	}
	_, err := s.into.Each(nil)
	return err
}

func (s *fileSide) endFilling() error { return nil }

func (s *fileSide) analyzeTables(context.Context, []movedTable) {} // its plans do not depend on that

func (s *fileSide) close(context.Context) error {
	var errs []error
	for _, st := range s.known {
		st.Close()
	}
	if s.conn != nil {
		errs = append(errs, s.conn.Close())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Unlock())
	}
	return errors.Join(errs...)
}

// scan reads all values of the row that a statement is at. Texts are good until the next one.
func (r *movedRow) scan(s *sqlite.Statement) {
	n := s.ColumnCount()
	if cap(r.values) < n {
		r.values = make([]movedValue, n)
	}
	r.values = r.values[:n]
	for i := range r.values {
		if isText, isBytes := s.Kind(i); isText || isBytes {
			r.values[i] = movedValue{isText: true, sealed: isBytes, text: s.Bytes(i)}
		} else {
			r.values[i] = movedValue{number: s.ColumnNumber(i)}
		}
	}
}
