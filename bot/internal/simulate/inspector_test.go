package simulate_test

import (
	"context"
	"database/sql"
	"errors"

	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// inspect lets somebody look at what the bot keeps and ask for something, as the commands do: also between
// two incarnations.
func (s *simulation) inspect(ctx context.Context, f func(d inspect.Inspector) error) (err error) {
	d, err := store.OpenInspector(ctx, s.present(), s.key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return f(d)
}

// inDatabase lets somebody change what the bot keeps: also between two incarnations.
func (s *simulation) inDatabase(ctx context.Context, f func(ctx context.Context, db *sql.DB) error) (err error) {
	db, err := sql.Open("sqlite", s.present())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return f(ctx, db)
}

// present returns where the database of the present incarnation is, or of the next one.
func (s *simulation) present() string {
	if s.incarnation != nil && !s.incarnation.power.out.Load() {
		return s.incarnation.power.from
	}
	return s.database(s.incarnations + 1)
}
