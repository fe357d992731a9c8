package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const accountsSetHelp = `Set changes accounts of the database: their state, and what they say, in the words of
the accounts file. An account takes what it does not say from the settings of the
worker that serves it; with '' it does so from now on. Workers notice within some
seconds: an account of which something has changed goes and comes again, which takes a
moment, and the others are not touched.

The state is on; paused, for a while: it is not polled, and nothing of it leaves; or
parked, given up until something happens, which --why says. Nothing is deleted.

A new password is asked for (--new-password), or read from standard input
(--password-stdin). It never stands on the command line.`

// accountChange is what is to become of accounts.
type accountChange struct {
	state string // "" stays
	why   string
	says  accountSays
}

func newAccountsSet(sh cli.Shell, f *view.Flags) *cobra.Command {
	c := &accountChange{}
	cmd := &cobra.Command{
		Use:   "set NAME…",
		Short: "Change what accounts of the database say, or their state",
		Long:  accountsSetHelp,
		Example: "  nectar accounts set shop cafe --state parked --why 'waits for a new password'\n" +
			"  nectar accounts set shop --pace 20/s\n  nectar accounts set shop --new-password --state on",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := someAccounts(cmd, args); err != nil {
				return err
			}
			return c.check(cmd, args)
		},
	}
	cmd.Flags().StringVar(&c.state, "state", "", "on, paused or parked `state`")
	c.says.add(cmd)
	c.says.addNew(cmd)
	c.finish(sh, f, cmd)
	return cmd
}

// newAccountsState completes the command that gives accounts a state, and changes nothing else.
func newAccountsState(sh cli.Shell, f *view.Flags, state string, cmd *cobra.Command) *cobra.Command {
	c := &accountChange{state: state}
	cmd.Args = someAccounts
	c.finish(sh, f, cmd)
	return cmd
}

func (c *accountChange) finish(sh cli.Shell, f *view.Flags, cmd *cobra.Command) {
	cmd.RunE = atBook(sh, f, func(ctx context.Context, b *accounts.Book, args []string) error { return c.set(ctx, b, cmd, args) })
	cmd.Flags().StringVar(&c.why, "why", "", "why, in a `text` for others who look after the accounts")
	asFlag(cmd, f)
}

func (c *accountChange) check(cmd *cobra.Command, names []string) error {
	switch {
	case !cmd.Flags().Changed("state") && !cmd.Flags().Changed("why") && !c.says.isSaid(cmd):
		return cli.BadUsage(cmd, errors.New("say what is to change"))
	case cmd.Flags().Changed("state") && c.state == "":
		return cli.BadUsage(cmd, errors.New("--state is on, paused or parked"))
	case c.state == config.StateParked && c.why == "":
		return cli.BadUsage(cmd, accounts.ErrParked)
	case len(names) > 1 && c.says.signsIn(cmd):
		return cli.BadUsage(cmd, errors.New("each account signs in as somebody of its own: name one account"))
	}
	return nil
}

// set changes accounts, all or none.
func (c *accountChange) set(ctx context.Context, b *accounts.Book, cmd *cobra.Command, names []string) error {
	rows, err := b.RowsOf(ctx, names)
	if err != nil {
		return err
	}
	if err := c.says.readPassword(ctx, b.Sh, b.Stderr); err != nil {
		return err
	}
	var changed []record.StoredAccount
	same := map[int]bool{}
	for i := range rows {
		row, err := c.row(b, rows[i], cmd)
		if err != nil {
			return &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		if row.StateOnly && row.State == rows[i].State && row.Why == rows[i].Why {
			same[i] = true
			continue
		}
		rows[i] = row
		changed = append(changed, row)
	}
	if err := b.StoreRows(ctx, changed); err != nil {
		return err
	}
	for i := range rows {
		if err := c.tell(b, &rows[i], same[i]); err != nil {
			return err
		}
	}
	b.HintUnused()
	return nil
}

// row returns what is to become of an account. Where one is only to rest, it does not matter what is wrong with it.
func (c *accountChange) row(b *accounts.Book, row record.StoredAccount, cmd *cobra.Command) (record.StoredAccount, error) {
	before := row.State
	if c.state != "" {
		row.State = c.state
	}
	if row.State != before {
		row.Why = ""
	}
	if cmd.Flags().Changed("why") {
		row.Why = c.why
	}
	changes, says := c.says.changedSettings(cmd), c.says.isSaid(cmd)
	if !says && row.State != config.StateOn {
		row.StateOnly = true
		_, err := b.Cfg.Named(string(row.Account), nil, row.State, accounts.InFlags)
		return row, err
	}
	if row.Broken != nil {
		return row, row.Broken
	}
	old, _ := b.Cfg.Stored(row) // what was wrong may be right now
	e, err := b.Cfg.Named(string(row.Account), c.says.withPassword(old.But(changes)), row.State, accounts.InFlags)
	if err != nil {
		return row, accounts.OfAccount(row.Account, err)
	}
	if !says {
		row.StateOnly = true
		return row, nil
	}
	next := e.Row()
	next.Why, next.Version = row.Why, row.Version
	return next, nil
}

// tell says what has become of an account.
func (*accountChange) tell(b *accounts.Book, row *record.StoredAccount, same bool) error {
	did, told := row.State, row.State
	switch {
	case same:
		did, told = accounts.DidNothing, told+" already"
	case !row.StateOnly:
		did, told = "changed", "changed, and "+told
	}
	if !same {
		row.By = b.By
	}
	if row.Why != "" {
		told += ": " + print.PlainText(row.Why, 0)
	}
	return b.TellDone(row, did, told)
}
