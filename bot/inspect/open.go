package inspect

import (
	"context"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// Open opens the database at path, or at the URL of a database of PostgreSQL. A bot must have made it. The errors are record.ErrNone,
// record.ErrOlder, record.ErrNewer, record.ErrForeign, or those of the file system and the database with what can be done about
// them.
func Open(ctx context.Context, path string, key platform.Secret) (Inspector, error) {
	d, err := store.OpenInspector(ctx, path, key)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// OpenReader opens it for reading alone. The errors are those of Open.
func OpenReader(ctx context.Context, path string, key platform.Secret) (Reader, error) {
	r, err := store.OpenReader(ctx, path, key)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Of returns what a store that bot.OpenStore has opened, or a worker has, lets people look at. Closing it closes the store.
func Of(st bot.Store) Reader { return st.(Reader) }
