// Package cli is what surrounds a command: its arguments, streams, settings and flags, what it asks a person, and the
// status it ends with.
//
// A command gets a [Shell] and returns an error; everything between that and the process is here:
//
//	cfg, err := sh.Settings(cmd)                 // .env and the environment, checked; wrong ones end with status 78
//	err = cli.Confirm(ctx, out, sh.Stdin, "Do it?")   // nil is a yes
//	return &cli.ExitError{Code: cli.ExitFailed}  // status 1, and nothing is printed
//
// Read shell.go, then ask.go for questions, settings and the status; flag.go has the two kinds of values that cobra does not know (a time like
// 30d, a number from 1 on), hangup_*.go what SIGHUP means.
//
// What holds:
//
//   - There are four statuses, and scripts rely on them: 0 done, 1 the answer is bad or could not be had, 2 the command line is wrong, 78 (EX_CONFIG of
//     sysexits.h) the settings are, or rules are missing. A service manager may start 1 again, and 2, with which Go ends a program that has crashed; 78
//     stays wrong until a person has changed something.
//   - A question without somebody who could answer is a no. A script that runs into a question must not be taken for a person who agrees.
//
// All of cmd stands on it, and the rooms beside this one that end with a status of their own.
package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// The exit statuses. Scripts rely on them.
const (
	ExitFailed = 1  // the command did its work and the answer is bad, or it could not do it
	ExitUsage  = 2  // the command line is wrong
	ExitConfig = 78 // the settings are wrong, or there are no rules; EX_CONFIG of sysexits.h. Not 2: a crash of Go ends with that, and is to be started again
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

// UsageArgs makes a wrong number of arguments an error of usage.
func UsageArgs(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := args(cmd, given); err != nil {
			return BadUsage(cmd, err)
		}
		return nil
	}
}
