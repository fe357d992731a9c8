package rekey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
)

// RekeyingServer changes the key of a database of PostgreSQL, on which workers may run.
type RekeyingServer struct {
	Cfg      config.Config
	To       platform.Secret
	Out      io.Writer
	Progress *print.Progress
	told     string // whom it waits for, as it was said
}

// Run encrypts the database on a server anew.
func (r *RekeyingServer) Run(ctx context.Context) error {
	c, err := admin.BeginKeyChange(ctx, string(r.Cfg.Store), r.Cfg.SecretKey, r.To, r.Cfg.Person)
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	err = r.change(ctx, c)
	r.Progress.End()
	if ctx.Err() != nil {
		err = fmt.Errorf("it goes on where it stopped when rekey runs again; both keys open the database until it is done: %w", context.Cause(ctx))
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.Out, "%s is encrypted with the new key, and the old one opens nothing of it.\n"+
		"Set NECTAR_SECRET_KEY to the new key wherever it is still the old one.\n", r.Cfg.Store)
	return err
}

// change goes on until the old key opens nothing any more.
func (r *RekeyingServer) change(ctx context.Context, c admin.KeyChange) error {
	all, err := c.Rows(ctx)
	if err != nil {
		return err
	}
	seal := func() error {
		_, err := c.Seal(ctx, func(rows int64) {
			r.Progress.ShowStep(fmt.Sprintf("%d of %d rows are encrypted with the new key", min(rows, all), all))
		})
		return err
	}
	tick := time.NewTicker(rekeyPause)
	defer tick.Stop()
	for err = seal(); err == nil; {
		behind, ferr := c.Finish(ctx)
		switch {
		case errors.Is(ferr, record.ErrNotSealed):
			err = seal() // a worker stored some of it before it knew of the new key
			continue
		case ferr != nil && !admin.Passes(ferr), ferr == nil && len(behind) == 0:
			return ferr
		}
		r.say(behind)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return err
}

// say says whom it waits for, when that has changed.
func (r *RekeyingServer) say(behind []string) {
	if who := strings.Join(behind, ", "); who != r.told && who != "" {
		r.told = who
		r.Progress.End()
		_, _ = fmt.Fprintf(r.Out, "All that is stored is encrypted with the new key. These workers do not have it yet: %s.\n"+
			"Set NECTAR_SECRET_KEY to the new key for them, and restart one after the other; this waits for them.\n", who)
	}
}
