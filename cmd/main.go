// Package cmd is the command nectar: what it can do, a file for each command. A program of one's own that has all of it, and
// handlers of its own in the bot, has this as its main function:
//
//	func main() { cmd.Main(myplugin.Module) }
//
// A file here reads flags and calls; what reasons stands in a room below cmd/internal, which knows nothing of cobra. So a room can be tested, and
// used by another command, without a command line:
//
//	main.go ─► root.go (subcommands) ─► plan.go: newPlan ─► cmd/internal/plan ─► bot/inspect, handlers/campaigns
//	              │                         ▲
//	              └─► cli.ExitStatus    cli.Shell: arguments, environment, streams
//
// Read root.go, then version.go for the shortest command, events.go for one that looks, pause.go for one that asks a bot for something, and run.go
// for the one that is a bot. view.go has what all of those share that read the database.
//
// What holds:
//
//   - A command takes its arguments, its environment and its streams from the Shell, not from the process. So tests run many beside one another.
//   - A command that looks opens a reader, so it works beside a bot; one that changes a conversation leaves a request, which the bot does in a turn
//     of its own. Two writers of one conversation would overwrite each other.
//   - What is printed for people may change with each version. What --json prints, and the exit status, are for programs, and stay.
//   - Strangers' words are printed without what moves a cursor or a colour (cmd/internal/print).
package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/nectar-bot/nectar/bot/postgres" // its users name a server by a URL, and nothing else
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"go.uber.org/fx"
)

// Main runs the command that the arguments of the process name, and ends the process with the command's status: 0 when it is
// done, 1 when it failed, 2 when the command line is wrong, 78 when the settings are. The first SIGINT or SIGTERM ends
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
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Hangup: cli.NotifyHangup, With: with,
	}))
}
