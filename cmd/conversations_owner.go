package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const takeOverHelp = `Take-over makes the bot silent in a conversation until you give it back, or for
some time. What it was going to send there is taken back. It goes on to note what
the person writes.

Without a running bot it is done when one starts.`

const giveBackHelp = `Give-back lets the bot speak again in a conversation that a person had, in
whatever way it came to that.

With --all it gives back what was taken over since a copy of the database was put
back, and the bot took its own words for a person's: conversations in which one of
you has written since stay as they are. --dry-run only lists them.

Without a running bot it is done when one starts.`

func newTakeOver(sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait, length time.Duration
	var owner string
	cmd := &cobra.Command{
		Use:     "take-over PERSON",
		Short:   "Make the bot silent in a conversation",
		Long:    takeOverHelp,
		Example: "  nectar conversations take-over @ana\n  nectar conversations take-over 90 --for 2h --as ines",
		Args: func(cmd *cobra.Command, args []string) error {
			if owner == "" || owner == bot.OwnedByPerson || owner == "bot" {
				return cli.BadUsage(cmd, errors.New("--as wants a name of a person or team; \"bot\" and \"person\" have a meaning of their own"))
			}
			if cmd.Flags().Changed("as") { // who takes it decides it
				f.By = owner
			}
			return onePerson(cmd, args)
		},
		RunE: decideAbout(sh, f, &wait, func() event.Request {
			q := event.Request{Wish: event.WishTakeOver, Owner: owner}
			if length > 0 {
				q.Until = time.Now().Add(length)
			}
			return q
		}),
	}
	cmd.Flags().Var((*cli.Span)(&length), "for", "give it back after this `time`, like 2h or 3d (default never)")
	cmd.Flags().StringVar(&owner, "as", view.DefaultOwner, "`name` of who has it, a person or a team")
	waitFlag(cmd, &wait)
	return cmd
}

func newGiveBack(sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait, since time.Duration
	all, look := false, false
	one := decideAbout(sh, f, &wait, func() event.Request { return event.Request{Wish: event.WishGiveBack} })
	those := withView(sh, f, func(ctx context.Context, d *view.View, _ []string) error {
		from := time.Time{}
		if since > 0 {
			from = time.Now().Add(-since)
		}
		return d.GiveBackAll(ctx, from, look, wait)
	})
	cmd := &cobra.Command{
		Use:     "give-back PERSON",
		Short:   "Let the bot speak again in a conversation",
		Long:    giveBackHelp,
		Example: "  nectar conversations give-back @ana\n  nectar conversations give-back --all --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return cli.BadUsage(cmd, errors.New("either a person, or --all"))
			case all:
				return nil
			case look || since > 0:
				return cli.BadUsage(cmd, errors.New("--since and --dry-run are for --all"))
			}
			return onePerson(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				return those(cmd, args)
			}
			return one(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "those that were taken over by what was read after a copy was put back")
	cmd.Flags().Var((*cli.Span)(&since), "since", "with --all, only those taken over within this `time`, like 24h or 7d")
	cmd.Flags().BoolVar(&look, "dry-run", false, "with --all, only list them")
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// decideAbout makes the body of a command that decides about the conversation with a person. q is asked for
// what is wanted when the command runs.
func decideAbout(sh cli.Shell, f *view.Flags, wait *time.Duration, q func() event.Request) func(*cobra.Command, []string) error {
	return withView(sh, f, func(ctx context.Context, d *view.View, args []string) error {
		wish := q()
		var err error
		if wish.Key, err = d.Find(ctx, args[0]); err != nil {
			return err
		}
		return d.AskDecisions(ctx, *wait, []view.Decision{{Request: wish, About: args[0]}})
	})
}
