package cmd

import (
	"context"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const showHelp = `Show tells how a conversation stands, and what was said and done in it, oldest
first: what happened, what the bot made of it, and what it did.

With "account" in the place of a person it tells what the account did by itself:
by timers, at starts, and because somebody asked for it.`

func newShow(sh cli.Shell, f *view.Flags) *cobra.Command {
	limit := 50
	cmd := &cobra.Command{
		Use:     "show PERSON",
		Short:   "Show a conversation and what was said in it",
		Long:    showHelp,
		Example: "  nectar conversations show @ana\n  nectar conversations show 90 --limit 200 --json\n  nectar conversations show account",
		Args:    onePerson,
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, args []string) error {
			key, err := d.TalkWith(ctx, args[0])
			if err != nil {
				return err
			}
			return d.ShowConversation(ctx, key, limit)
		}),
	}
	cmd.Flags().Var((*cli.Number)(&limit), "limit", "at most this `number` of the last things that happened or were done")
	return cmd
}
