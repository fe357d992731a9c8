package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const accountsAddHelp = `Add puts an account into the database, encrypted as far as it signs in with it. A worker
takes it up within some seconds. Its settings are those of the accounts file; what it
does not say it takes from the settings of the worker that serves it.

The password is asked for, or read from standard input with --password-stdin, or is that
of NECTAR_PASSWORD; it never stands on the command line. Without --email and --oauth-type
it is the account of .env.`

// accountAddition is an account that is to come.
type accountAddition struct {
	*view.Flags
	state string
	why   string
	says  accountSays
}

func newAccountsAdd(sh cli.Shell, f *view.Flags) *cobra.Command {
	a := &accountAddition{Flags: f}
	cmd := &cobra.Command{
		Use:     "add NAME",
		Short:   "Put an account into the database",
		Long:    accountsAddHelp,
		Example: "  nectar accounts add shop --email shop@social.example\n  nectar accounts add cafe --email cafe@social.example --rules rules/cafe --password-stdin <cafe.password",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.BadUsage(cmd, errors.New("name one account, as it is to be called from now on"))
			}
			return nil
		},
	}
	cmd.RunE = atBook(sh, f, func(ctx context.Context, b *accounts.Book, args []string) error {
		return addAccount(ctx, a, b, cmd, args[0])
	})
	cmd.Flags().StringVar(&a.state, "state", "", "on, paused or parked `state` (default on)")
	cmd.Flags().StringVar(&a.why, "why", "", "why, in a `text` for others who look after the accounts")
	a.says.add(cmd)
	asFlag(cmd, f)
	return cmd
}

// addAccount puts the account into the database.
func addAccount(ctx context.Context, a *accountAddition, b *accounts.Book, cmd *cobra.Command, name string) error {
	if a.state == config.StateParked && a.why == "" {
		return cli.BadUsage(cmd, accounts.ErrParked)
	}
	there, err := b.StoredAccounts(ctx, record.StoredAccountQuery{Accounts: []event.Account{event.Account(name)}, Bare: true})
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("there is an account %q already: nectar accounts set changes it", name)}
	}
	said, err := saidOf(ctx, a, b, cmd, name)
	if err != nil {
		return err
	}
	e, err := b.Cfg.Named(name, said, a.state, accounts.InFlags)
	if err != nil {
		return &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	row := e.Row()
	row.Why = a.why
	rows := []record.StoredAccount{row}
	if err := b.StoreRows(ctx, rows); err != nil {
		return err
	}
	told := "added"
	if e.Paused() {
		told += ", and " + row.State
	}
	if err := b.TellDone(&rows[0], "added", told); err != nil {
		return err
	}
	b.HintUnused()
	return nil
}

// saidOf returns what the account says: by flags, by variables, and on a terminal where it still lacks a password.
func saidOf(ctx context.Context, a *accountAddition, b *accounts.Book, cmd *cobra.Command, name string) (accounts.Settings, error) {
	said := a.says.changedSettings(cmd)
	if err := a.says.readPassword(ctx, b.Sh, b.Stderr); err != nil { // from standard input
		return nil, err
	}
	if err := a.says.readVariables(b.Sh, cmd, said); err != nil {
		return nil, err
	}
	rests := a.state == config.StateParked || a.state == config.StatePaused
	if a.says.secret != "" || rests || !cli.IsTTY(b.Sh.Stdin) {
		return a.says.withPassword(said), nil
	}
	if _, err := b.Cfg.Named(name, said, config.StatePaused, accounts.InFlags); err != nil { // nobody is asked in vain
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	a.says.asks = true
	err := a.says.readPassword(ctx, b.Sh, b.Stderr)
	return a.says.withPassword(said), err
}
