package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const waitingHelp = `Waiting lists who waits for one of you: everybody whose last words none of you,
and no answer to them, has dealt with, whatever the reason. Who has waited longest
comes first. It works while the bot runs.

Whoever one of you writes to, in the app or anywhere else, is off the list. An
answer of the bot to what she writes later takes her off, too, unless a rule has
left her to one of you: with handoff, with notify that has if_waiting or when_open,
or on the list unanswered.`

const doneHelp = `Done takes somebody off the list of who waits for you, until she writes again: you
have dealt with her elsewhere, or there is nothing to say. Nobody is called about
her any more. Nothing is said to her.

Without a running bot it is done when one starts.`

const laterHelp = `Later takes somebody off the list of who waits for you for some time, or until she
writes again.

Without a running bot it is done when one starts.`

func newWaiting(sh cli.Shell, f *view.Flags) *cobra.Command {
	l := view.WaitingList{Limit: view.DefaultLimit}
	cmd := &cobra.Command{
		Use:     "waiting",
		Short:   "List who waits for one of you",
		Long:    waitingHelp,
		Example: "  nectar conversations waiting\n  nectar conversations waiting --limit 100 --json",
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE:    withView(sh, f, func(ctx context.Context, d *view.View, _ []string) error { return l.Print(ctx, d) }),
	}
	cmd.Flags().Var((*cli.Number)(&l.Limit), "limit", "at most this `number` of each account")
	return cmd
}

func newDone(sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "done PERSON",
		Short:   "Say that somebody who waits was dealt with",
		Long:    doneHelp,
		Example: "  nectar conversations done @ana\n  nectar conversations done 90 --as ines",
		Args:    onePerson,
		RunE:    decideAbout(sh, f, &wait, func() event.Request { return event.Request{Wish: event.WishDone} }),
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

func newLater(sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait, length time.Duration
	later := decideAbout(sh, f, &wait, func() event.Request { return event.Request{Wish: event.WishLater, Until: time.Now().Add(length)} })
	cmd := &cobra.Command{
		Use:     "later PERSON TIME",
		Short:   "Take somebody who waits off the list for some time",
		Long:    laterHelp,
		Example: "  nectar conversations later @ana 2h",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.BadUsage(cmd, errors.New("name one person and a time, as in: nectar conversations later @ana 2h"))
			}
			if err := (*cli.Span)(&length).Set(args[1]); err != nil {
				return cli.BadUsage(cmd, err)
			}
			return nil
		},
		RunE: later,
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}
