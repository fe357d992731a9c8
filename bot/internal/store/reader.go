package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Reader reads a store, also while another process runs on it. All methods may be called at the same
// time; none of them holds the writer up.
type Reader struct {
	db     *sql.DB
	vault  *seal.Vault
	served served
	server bool // the database is PostgreSQL

	mu       sync.RWMutex         // guards the field below
	prepared map[string]*sql.Stmt // by their texts
}

const readers = 4 // connections

// StoreConnections is how many connections a store takes on a server.
const StoreConnections = readers + 2 // one that writes, and for a moment one that finds out whether a commit was made

// OpenReader opens the database at path, or at a URL, for reading alone. It must have been made by Open. What is sealed, and
// not with key, reads as "(sealed)". The errors are ErrNone, ErrOlder, ErrNewer, ErrForeign, or those of the file system and
// the database with what can be done about them.
func OpenReader(ctx context.Context, path string, key platform.Secret) (*Reader, error) {
	if remote.IsURL(path) {
		r, _, err := openPostgresReader(ctx, path, key)
		return r, err
	}
	r, err := openReader(ctx, path, key)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, sqlite.ExplainFile(path, err))
	}
	return r, nil
}

func openReader(ctx context.Context, path string, key platform.Secret) (*Reader, error) {
	if _, err := os.Stat(path); err != nil {
		if err := sqlite.NotBegunAnew(path); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", record.ErrNone, err)
	}
	db, err := sqlite.OpenDB(path, sqlite.ReadingPragmas(), readers)
	if err != nil {
		return nil, err
	}
	if err := sqlite.CheckVersion(ctx, db); err != nil {
		_ = db.Close() // the first error says it all
		return nil, err
	}
	return newReader(ctx, db, key)
}

// newReader makes a reader of connections, and closes them when it cannot.
func newReader(ctx context.Context, db *sql.DB, key platform.Secret) (_ *Reader, err error) {
	r := &Reader{db: db, prepared: map[string]*sql.Stmt{}}
	if r.vault, err = seal.OpenVault(ctx, db, key); err != nil {
		_ = db.Close()
		return nil, err
	}
	return r, nil
}

// Close closes the reader.
func (r *Reader) Close() error {
	return r.db.Close()
}
