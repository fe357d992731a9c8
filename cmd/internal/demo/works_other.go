//go:build !unix

package demo

import (
	"context"
	"errors"
	"io"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// runWorkers is for systems that have signals.
func (Demo) runWorkers(context.Context, io.Writer, io.Writer) (Report, error) {
	return Report{}, &cli.ExitError{Code: cli.ExitUsage, Err: errors.New("--store postgres needs Linux or macOS")}
}
