package move

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// errWhole is the error of calling off a move when the accounts may have left the source already.
var errWhole = errors.New("all of it has arrived: run nectar move again, which takes a moment")

// CancelMove takes away what has come into a database with moves that were interrupted, and returns the accounts: they go
// on living where they were.
func CancelMove(ctx context.Context, path string, key platform.Secret) (_ []event.Account, err error) {
	s, err := openSide(ctx, path, key, entered)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	arriving, err := store.MarksOf[store.ArrivingMark](ctx, s.queryRows, store.ArrivingKey)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name(), err)
	}
	tables, err := movedTables(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	accounts := slices.Sorted(maps.Keys(arriving))
	for _, a := range accounts {
		if arriving[a].Whole {
			return nil, fmt.Errorf("the account %s came into %s from %s: %w", a, s.name(), arriving[a].From, errWhole)
		}
	}
	for _, a := range accounts {
		err := atOnce(ctx, s, func(commit func() error) error { return commit() }, func() error {
			if err := clearAccount(ctx, s, tables, a); err != nil {
				return err
			}
			_, err := s.queryRows(ctx, store.DeleteMark, store.ArrivingKey+string(a))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("call off the move of the account %s into %s: %w", a, s.name(), sqlite.ExplainError(postgres.ExplainError(err)))
		}
	}
	return accounts, nil
}
