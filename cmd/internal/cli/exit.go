// Package cli is what surrounds a command: its arguments, streams, settings and flags, what it asks a person, and the
// status it ends with.
package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// The exit statuses. Scripts rely on them.
const (
	ExitFailed = 1 // the command did its work and the answer is bad, or it could not do it
	ExitUsage  = 2 // the configuration or the command line is wrong
)

// ExitError ends a command with Code. Err is printed line by line; nothing is when it is nil.
// Any other error that a command returns ends it with exitFailed.
type ExitError struct {
	Code int
	Err  error
}

// Error returns the text of Err.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// BadUsage says that the command line of cmd is wrong, and where to read how it should be.
func BadUsage(cmd *cobra.Command, err error) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
}

// Usage makes a wrong number of arguments an error of usage.
func Usage(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := args(cmd, given); err != nil {
			return BadUsage(cmd, err)
		}
		return nil
	}
}
