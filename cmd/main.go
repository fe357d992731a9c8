// Package cmd is the command nectar: what it can do, a file for each command. A program of one's own that wants all
// of it has this as its main function:
//
//	func main() { cmd.Main() }
package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// Main runs the command that the arguments of the process name, and ends the process with the command's status: 0 when it is
// done, 1 when it failed, 2 when the configuration or the command line is wrong. The first SIGINT or SIGTERM ends
// the work, the second one the process.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, cli.Shell{
		Args: os.Args[1:], Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Hangup: cli.Hangup,
	}))
}
