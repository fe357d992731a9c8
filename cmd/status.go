package cmd

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const statusHelp = `Status says how the bot stands, and each of its accounts: whether it runs, can sign in,
read and store, and what is wrong where it cannot. It asks nobody but the database and
the disk, so that it can be called every few seconds. The bot judges itself, and all
that tell of it – doctor, accounts, summary, the metrics – go by the same judgement; a
bot that has shown no sign of life for 15 seconds is not well whatever it has said.

Exit status: 0 all is well, 1 something is not, 2 wrong command line, 78 wrong settings.`

func newStatus(sh cli.Shell) *cobra.Command {
	var f view.Flags
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Say whether the bot and its accounts are well",
		Long:    statusHelp,
		Example: "  nectar status\n  nectar status --json",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: withView(sh, &f, func(ctx context.Context, d *view.View, _ []string) error {
			return view.PrintStatus(ctx, d, event.Account(f.Account))
		}),
	}
	addViewFlags(&f, cmd)
	return cmd
}
