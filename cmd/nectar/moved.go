package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
)

// tellMoved says that what a database tells is not what is so now: it has gone elsewhere, or has not arrived as a whole. That an
// account has gone that is asked for is an error.
func tellMoved(ctx context.Context, d *store.Desk, account event.Account, stderr io.Writer) error {
	gone, err := d.Gone(ctx)
	if err != nil {
		return err
	}
	said := d.Arriving(ctx)
	if said != nil && !errors.As(said, new(*store.ArrivingError)) {
		return said
	}
	all, isWhole := gone[""]
	switch moved := gone[account]; {
	case isWhole:
		said = all
	case moved != nil:
		return fmt.Errorf("NECTAR_STORE: %w", moved)
	}
	if said != nil {
		_, err = fmt.Fprintf(stderr, "nectar: NECTAR_STORE: %s\n", said)
	}
	return err
}
