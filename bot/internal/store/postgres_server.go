package store

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

// serverEvery is how often the server of the database is checked. What is noted about it has to be true when the server dies: whether commits wait for a
// standby can change without any connection being cut.
const serverEvery = 10 * time.Second

// CheckServer implements Store. A file is where it is.
func (s *Database) CheckServer(ctx context.Context) error {
	if s.engine == nil {
		return nil
	}
	err := remote.CheckServer(ctx, s.db, nil)
	switch {
	case errors.Is(err, record.ErrOtherServer):
		s.engine.elsewhere.Store(true)
		_ = s.commitNow(ctx, Write{looks: true}) // it fails, and lets the writer end
		return err
	case err == nil:
		err = s.lookBack(ctx)
	}
	return remote.ExplainError(err)
}

// watchServer looks on which server the database lives, until the context ends.
func (s *Database) watchServer(ctx context.Context) {
	tick := time.NewTicker(serverEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = s.CheckServer(ctx) // while the server is away, the next look finds it
		case <-ctx.Done():
			return
		}
	}
}
