package move

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/platform"
)

// side is a database as a move sees it. All goes over one connection, and nobody else runs on it meanwhile. Statements are
// SQLite's, see forPostgres. Numbers are int64, texts are strings, and what is sealed is bytes.
type side interface {
	// name is what people call the database.
	name() string
	vault() *seal.Vault
	// tableColumns returns those of a table, in their order.
	tableColumns(ctx context.Context, table string) ([]string, error)
	// queryRows runs a statement, and returns its rows.
	queryRows(ctx context.Context, text string, args ...any) ([][]any, error)
	// begin begins a transaction in which nobody else changes anything, commit makes it last, and back takes it back.
	begin(ctx context.Context) error
	commit(ctx context.Context) error
	rollback(ctx context.Context) error
	// excludeOthers lets nobody else change anything until the end of the transaction: no inspector either.
	excludeOthers(ctx context.Context) error
	// read calls f with each row of an account, in the order of keys.
	read(ctx context.Context, t *movedTable, account event.Account, f func(*movedRow) error) error
	// fillTable begins to store rows of a table, each with put, and filled returns when they are there. Nothing else is asked in
	// between. The transaction is begun by then.
	fillTable(ctx context.Context, t *movedTable) error
	put(t *movedTable, account event.Account, row *movedRow) error
	endFilling() error
	// analyzeTables lets the database find out what it needs to know of tables that have grown at once.
	analyzeTables(ctx context.Context, tables []movedTable)
	close(ctx context.Context) error
}

// role is what a database is in a move.
type role int

const (
	looked role = iota // at: nothing is changed, and a bot may run on it
	left
	entered
)

// openSide opens a database for a move. Of one that is looked at and not there, it returns nil.
func openSide(ctx context.Context, path string, key platform.Secret, r role) (s side, err error) {
	if remote.IsURL(path) {
		s, err = openPostgresSide(ctx, path, key, r)
	} else {
		s, err = openFileSide(ctx, path, key, r)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", titleOf(path), sqlite.ExplainError(postgres.ExplainError(err)))
	}
	return s, nil
}

// titleOf names a database for people who may read it elsewhere, or later.
func titleOf(path string) string {
	if remote.IsURL(path) {
		return remote.NameOf(path)
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// openVault returns the vault of a database, if it opens all that is sealed there.
func openVault(ctx context.Context, db seal.Querier, key platform.Secret) (*seal.Vault, error) {
	v, err := seal.OpenVault(ctx, db, key)
	if err != nil {
		return nil, err
	}
	shut := v.IsClosed()
	if !shut {
		if shut, err = v.ShutOut(ctx, db); err != nil {
			return nil, err
		}
	}
	switch {
	case shut && v.Secret.IsGiven():
		return nil, seal.ErrSealed
	case shut:
		return nil, seal.ErrNoKey
	}
	return v, nil
}

// atOnce runs something in one transaction. around is called with the commit.
func atOnce(ctx context.Context, s side, around func(commit func() error) error, do func() error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := do(); err != nil {
		return errors.Join(err, s.rollback(context.WithoutCancel(ctx)))
	}
	return around(func() error { return s.commit(ctx) })
}

// numberOr returns the number of the first row; another one when there is no row.
func numberOr(rows [][]any, other int64) int64 {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return other
	}
	return bind.NumberOf(rows[0][0])
}
