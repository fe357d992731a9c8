package simulate_test

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/bot/store"
)

// atDesk lets somebody look at what the bot keeps and ask for something, as the commands do: also between
// two lives.
func (s *simulation) atDesk(ctx context.Context, f func(d *store.Desk) error) (err error) {
	path := s.database(s.lives + 1)
	if s.life != nil && !s.life.power.out.Load() {
		path = s.life.power.from
	}
	d, err := store.OpenDesk(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return f(d)
}
