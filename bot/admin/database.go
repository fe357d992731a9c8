package admin

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/move"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// HeadSize is how many bytes of a file IsHead wants.
const HeadSize = sqlite.HeadSize

// IsHead reports whether a file that begins with head, of HeadSize bytes, is a database of a bot, or a copy of one.
func IsHead(head []byte) bool { return sqlite.IsHead(head) }

// Compact writes the database at path anew, without what was deleted, and clears its log away. Nobody may be at work
// on it. The errors are those of bot.OpenStore, and record.ErrFilesOnly.
func Compact(ctx context.Context, path string) error { return store.Compact(ctx, path) }

// Passes reports whether an error of a database is one that goes away by itself, as far as it tells: the server is away, or is too busy.
func Passes(err error) bool { return postgres.IsTransient(err) }

// ServerOf looks at the settings of the server of the database at a URL, as they are for the user that it names.
func ServerOf(ctx context.Context, url string) (record.Server, error) {
	return board.ServerOf(ctx, url)
}

// Move takes accounts with all that is kept of them into another database. When it was interrupted, at any moment, it can
// be asked for again, and goes on. Until all has arrived and was compared, the accounts run where they were, and
// from then on where they are now: never in both, nor in one that has only a part. The errors are those of bot.OpenStore and
// those of accounts that are in both.
func Move(ctx context.Context, o record.MoveOptions) (record.Moved, error) { return move.Move(ctx, o) }

// CancelMove takes away what has come into a database with moves that were interrupted, and returns the accounts: they go
// on living where they were.
func CancelMove(ctx context.Context, path string, key platform.Secret) ([]event.Account, error) {
	return move.CancelMove(ctx, path, key)
}

// Prepare brings the schema of a database of PostgreSQL up to date, or makes it, without a bot: also while workers run. The errors are
// those of OpenBoard.
func Prepare(ctx context.Context, url string) error {
	board, err := board.Open(ctx, url, board.Options{})
	if err != nil {
		return err
	}
	return board.Close()
}
