package view

import (
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// badCursor makes a mistake of the command line of a cursor that is none of the list.
func badCursor(err error) error {
	if errors.Is(err, inspect.ErrCursor) {
		return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("--cursor: %w", err)}
	}
	return err
}

// tellNext says where a list goes on, to whoever turns its pages.
func (v *View) tellNext(next inspect.Cursor) error {
	if next == "" {
		return nil
	}
	_, err := fmt.Fprintf(v.Out, "\nit goes on: --cursor %s\n", next)
	return err
}
