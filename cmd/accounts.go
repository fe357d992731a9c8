package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
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

func newAccounts(sh shell) *cobra.Command {
	var f deskFlags
	cmd := &cobra.Command{
		Use:     "accounts",
		Short:   "List accounts; bring them into the database, pause and remove them there",
		Long:    accountsHelp,
		Example: "  nectar accounts\n  nectar accounts resume main\n  nectar accounts import accounts.yaml\n  nectar accounts pause cafe --why 'closed until May'",
		GroupID: groupCare,
		Args:    usage(knownCommand),
		RunE: sh.atDesk(&f, func(ctx context.Context, d *desk, _ []string) error {
			return printAccounts(ctx, d, event.Account(f.account))
		}),
	}
	f.add(cmd)
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

func newResume(sh shell, f *deskFlags) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "resume NAME",
		Short:   "Let an account go on that has stopped because of another bot",
		Long:    resumeHelp,
		Example: "  nectar accounts resume main",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return badUsage(cmd, errors.New("name one account; nectar accounts lists them"))
			}
			return nil
		},
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, args []string) error {
			name := event.Account(args[0])
			if !slices.Contains(d.accounts, name) {
				return &exitError{exitUsage, fmt.Errorf("no account %q has been at work on this database; there %s", name, theseAre(d.accounts))}
			}
			q := event.Request{Key: event.Key{Account: name}, Wish: event.WishResume}
			return d.decide(ctx, wait, []decision{{q, args[0]}})
		}),
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// tellStopped says which accounts have stopped, or are paused: what they are to do waits.
func (d *desk) tellStopped(ctx context.Context) error {
	known, err := d.knowledge(ctx)
	if err != nil {
		return err
	}
	for _, account := range d.accounts {
		if len(known[account]) == 0 {
			continue
		}
		r, err := bot.RivalryOf(ctx, known, account)
		if err != nil {
			return err
		}
		p, err := bot.PausesOf(ctx, known, account)
		if err != nil {
			return err
		}
		if state, why := standing(account, r, p, time.Now()); state != working {
			if _, err := fmt.Fprintf(d.out, "\nnothing of the account %s leaves: %s\n", account, why); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenFor is how long it is told that another bot was seen.
const seenFor = 7 * 24 * time.Hour

// The states of an account.
const (
	working = "working"
	stopped = "stopped"
	paused  = "paused"
)

// standing says how an account stands, and why; "" where there is nothing to say.
func standing(account event.Account, r bot.Rivalry, p bot.Pauses, now time.Time) (state, why string) {
	switch {
	case !r.Stopped.IsZero():
		return stopped, fmt.Sprintf("another bot answers on it: end one of the two; if this one is to stay: nectar accounts resume %s", account)
	case p.Account != nil:
		return paused, pausedNow(account, p)
	case now.Sub(r.Seen) < seenFor:
		return working, fmt.Sprintf("another bot answered on it, last seen %s: if it still runs, end it", when(r.Seen))
	}
	return working, pausedNow(account, p)
}
