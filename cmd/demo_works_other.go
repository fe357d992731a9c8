//go:build !unix

package cmd

import (
	"context"
	"errors"
	"io"
)

// runWorkers is for systems that have signals.
func (demo) runWorkers(context.Context, io.Writer, io.Writer) (demoReport, error) {
	return demoReport{}, &exitError{exitUsage, errors.New("--store postgres needs Linux or macOS")}
}
