package bot

import (
	"context"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Store is the memory of a bot. What it does is between the runtime and the plugins that come with it; whoever wants to look at what a bot
// keeps uses bot/inspect.
type Store interface{ store.Store }

// StoreOptions says how a store is opened.
type StoreOptions struct {
	// Path is the file of the database; it is made when it does not exist, for its owner alone. Or it is the URL of a
	// database of PostgreSQL, "postgres://…", which takes the driver: the program imports bot/postgres.
	Path string
	// Key encrypts sessions, and what people said. Without one they are stored in a file in the clear; a server takes nothing
	// without one.
	Key platform.Secret
	// ForgetSealed deletes what is encrypted with another key, in place of an error.
	ForgetSealed bool
	// Log takes one line per change of state. Defaults to nothing.
	Log *slog.Logger
	// Fast commits without waiting for the disk: a loss of power may lose the last commits, a crash
	// of the process does not. For tests and trials.
	Fast bool
	// Restored is what somebody has said of a database of PostgreSQL that has come to another server, so that it may be opened; nil for nothing. It
	// is noted there, and by nectar restored.
	Restored *record.Restored
	// Copy is a file, a copy of the database of an earlier time, that takes its place first; Restored has to say so, and where what was there goes.
	Copy string
	// NoBot is for a process that runs no bot, such as a command that looks after the database: what the last bot has left beside it stays
	// for the next one.
	NoBot bool
	// Keep is how long what is over is kept: events that were handled with their decision records and facts, turns,
	// actions that have ended, notices, and rules. At least 7 days; 0 keeps it for ever.
	Keep time.Duration
}

// OpenStore opens a store, and brings its schema up to date. The errors are record.ErrInUse, record.ErrNewer, record.ErrForeign, record.ErrOtherServer,
// *record.MovedError, *record.ArrivingError, or those of the file system and the database with what can be done about them. None of
// them repeats a URL.
func OpenStore(ctx context.Context, o StoreOptions) (Store, error) {
	s, err := store.Open(ctx, o.toStore())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// toStore returns them with what is nobody's else.
func (o StoreOptions) toStore() store.Options {
	return store.Options{
		Path: o.Path, Key: o.Key, ForgetSealed: o.ForgetSealed, Log: o.Log, Fast: o.Fast, Restored: o.Restored, Copy: o.Copy, NoBot: o.NoBot, Keep: o.Keep,
	}
}
