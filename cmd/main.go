// Package cmd is the command nectar: what it can do, a file for each command. A program of one's own that has all of it, and
// handlers of its own in the bot, has this as its main function:
//
//	func main() { cmd.Main(myplugin.Module) }
package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"go.uber.org/fx"
)

// Main runs the command that the arguments of the process name, and ends the process with the command's status: 0 when it is
// done, 1 when it failed, 2 when the configuration or the command line is wrong. The first SIGINT or SIGTERM ends
// the work, the second one the process.
//
// The options are added to each bot that the command run makes, beside bot.Module, and what config.Module gives: on a file that
// is one, a worker makes a new one for each lease. Options that cannot be wired are refused before anything is opened. Routes, flows
// or a fallback among them are enough to answer by: no rule files are demanded then. All other commands make no bot of yours,
// and do nothing with them: check and try play rule files alone.
func Main(with ...fx.Option) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, cli.Shell{
		Args: os.Args[1:], Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Hangup: cli.Hangup, With: with,
	}))
}
