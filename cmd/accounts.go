package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const accountsHelp = `Accounts lists the accounts that have been at work on the database, and whether they
still are. One that sees another bot answer on it, with a database of its own, stops by
itself: nothing of it leaves, and nothing is dropped, until you let it go on. Accounts
that say state: paused in the settings are listed, too. It works while the bot runs.

On PostgreSQL the accounts themselves may stand in the database, instead of in a file:
NECTAR_ACCOUNTS=store. The commands below bring them there and change them, also while
workers run, which notice within some seconds. Who did that, when and why is listed.`

const pauseAccountsHelp = `Pause lets accounts of the database rest: workers give them up within some seconds. They
are not polled, and nothing of them leaves, until nectar accounts on lets them work.
What people write meanwhile waits on the platform. nectar pause --account stops one
at once, and goes on listening.`

const onAccountsHelp = `On lets accounts of the database work that are paused or parked: workers take them up
within some seconds, and they go on where they stopped.`

const resumeHelp = `Resume lets an account go on that has stopped because of another bot. What it held
leaves then, but for what somebody else has answered meanwhile.

End the other bot first: for a day, this one goes on whatever it sees, so that people
may hear both. An account that has not stopped is kept from stopping in the same way.

Without a running bot it is done when one starts.`

func newAccounts(sh cli.Shell) *cobra.Command {
	var f view.Flags
	cmd := &cobra.Command{
		Use:     "accounts",
		Short:   "List accounts; bring them into the database, pause and remove them there",
		Long:    accountsHelp,
		Example: "  nectar accounts\n  nectar accounts resume main\n  nectar accounts import accounts.yaml\n  nectar accounts pause cafe --why 'closed until May'",
		GroupID: groupCare,
		Args:    cli.UsageArgs(knownCommand),
		RunE: withView(sh, &f, func(ctx context.Context, d *view.View, _ []string) error {
			return accounts.PrintAccounts(ctx, d, event.Account(f.Account))
		}),
	}
	addViewFlags(&f, cmd)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(
		newResume(sh, &f), newAccountsImport(sh, &f), newAccountsAdd(sh, &f), newAccountsSet(sh, &f), newAccountsRemove(sh, &f),
		newAccountsState(sh, &f, config.StatePaused, &cobra.Command{
			Use: "pause NAME…", Short: "Let accounts of the database rest", Example: "  nectar accounts pause cafe --why 'closed until May'",
			Long: pauseAccountsHelp,
		}),
		newAccountsState(sh, &f, config.StateOn, &cobra.Command{
			Use: "on NAME…", Short: "Let accounts of the database work that are paused or parked", Example: "  nectar accounts on cafe",
			Long: onAccountsHelp,
		}),
	)
	return cmd
}

func newResume(sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "resume NAME",
		Short:   "Let an account go on that has stopped because of another bot",
		Long:    resumeHelp,
		Example: "  nectar accounts resume main",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.BadUsage(cmd, errors.New("name one account; nectar accounts lists them"))
			}
			return nil
		},
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, args []string) error {
			name := event.Account(args[0])
			if !slices.Contains(d.Meant, name) {
				return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("no account %q has been at work on this database; there %s", name, view.TheseAre(d.Meant))}
			}
			q := event.Request{Key: event.Key{Account: name}, Wish: event.WishResume}
			return d.AskDecisions(ctx, wait, []view.Decision{{Request: q, About: args[0]}})
		}),
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}
