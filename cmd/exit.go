package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

// The exit statuses. Scripts rely on them.
const (
	exitFailed = 1 // the command did its work and the answer is bad, or it could not do it
	exitUsage  = 2 // the configuration or the command line is wrong
)

// exitError ends a command with Code. Err is printed line by line; nothing is when it is nil.
// Any other error that a command returns ends it with exitFailed.
type exitError struct {
	Code int
	Err  error
}

// Error returns the text of Err.
func (e *exitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *exitError) Unwrap() error { return e.Err }

// badUsage says that the command line of cmd is wrong, and where to read how it should be.
func badUsage(cmd *cobra.Command, err error) error {
	return &exitError{exitUsage, fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
}

// usage makes a wrong number of arguments an error of usage.
func usage(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := args(cmd, given); err != nil {
			return badUsage(cmd, err)
		}
		return nil
	}
}
