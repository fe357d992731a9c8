package view

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// OpenInspector opens the database of the settings for looking at an account, or at all for "".
func OpenInspector(ctx context.Context, cfg config.Config, account event.Account, stderr io.Writer) (inspect.Inspector, error) {
	d, err := inspect.Open(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return nil, err
	}
	if err := tellMoved(ctx, d, account, stderr); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// tellMoved says that what a database tells is not what is so now: it has gone elsewhere, or has not arrived as a whole. That an
// account has gone that is asked for is an error.
func tellMoved(ctx context.Context, d inspect.Inspector, account event.Account, stderr io.Writer) error {
	gone, err := d.Gone(ctx)
	if err != nil {
		return err
	}
	said := d.Arriving(ctx)
	if said != nil && !errors.As(said, new(*record.ArrivingError)) {
		return said
	}
	all, isWhole := gone[""]
	switch moved := gone[account]; {
	case isWhole:
		said = all
	case moved != nil:
		return moved
	}
	if said != nil {
		_, err = fmt.Fprintf(stderr, "nectar: NECTAR_STORE: %s\n", said)
	}
	return err
}
