package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/record"
)

// LockClass is the first number of all locks of ours in a database: "Nect".
const LockClass = 0x4e656374

// How the lock is taken.
const (
	// A process without a lease has the lock for itself, workers share it.
	takeAlone    = `SELECT pg_try_advisory_lock($1::int, $2::int)::int`
	TakeTogether = `SELECT pg_try_advisory_lock_shared($1::int, $2::int)::int`
)

const (
	lockTries = 10 // the server may still be about to notice that the last process is gone
	lockPause = 50 * time.Millisecond
)

// TakeLock takes the lock of the process that runs on the store. It is the connection's: as long as that lives, nobody else has it, but
// workers have it together.
func (l *Line) TakeLock(ctx context.Context, locks int64, together bool) error {
	take := takeAlone
	if together {
		take = TakeTogether
	}
	for tries := 0; ; tries++ {
		rows, err := l.Exec(ctx, take, LockClass, locks)
		switch {
		case err != nil:
			return fmt.Errorf("lock it: %w", err)
		case rows[0][0] == 1: //mutate:server-lock
			return nil
		case tries == lockTries:
			return record.ErrInUse
		}
		_ = lifecycle.Sleep(ctx, lockPause)
	}
}

// GiveUp gives the connection, and with it the lock, back.
func (l *Line) GiveUp(ctx context.Context) {
	if !l.IsCut() { // the server may be about to notice for a while that a connection is closed
		unlock, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, _ = l.Exec(unlock, `SELECT pg_advisory_unlock_all()`)
	}
	l.Cut(ctx)
}
