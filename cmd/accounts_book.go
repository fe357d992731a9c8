package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/spf13/cobra"
)

// accountBook is a desk at which the accounts of a database are changed.
type accountBook struct {
	*desk
	sh     shell
	cfg    config.Config
	stderr io.Writer
}

// atBook makes the body of a command that changes accounts of the database of the settings.
func (sh shell) atBook(f *deskFlags, do func(ctx context.Context, b *accountBook, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := sh.settingsWithoutAccounts(cmd)
		if err != nil {
			return err
		}
		if !cfg.Store.OnServer() {
			return &exitError{exitUsage, fmt.Errorf("accounts stand in .env, or in the file that NECTAR_ACCOUNTS names: in the database they stand on PostgreSQL alone, and NECTAR_STORE is the file %s", cfg.Store)}
		}
		d, err := sh.desk(cmd, f)
		if errors.Is(err, store.ErrNone) {
			return fmt.Errorf("%w; nectar migrate makes it", err)
		}
		if err != nil {
			return err
		}
		defer d.close()
		return do(cmd.Context(), &accountBook{d, sh, cfg, cmd.ErrOrStderr()}, args)
	}
}

// someAccounts wants the names of accounts.
func someAccounts(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return badUsage(cmd, errors.New("name one account or several; nectar accounts lists them"))
	}
	return nil
}

// rows returns the accounts of these names, in their order, each once; all of them have to be there.
func (b *accountBook) rows(ctx context.Context, names []string) ([]record.StoredAccount, error) {
	var accounts []event.Account
	for _, name := range names {
		if !slices.Contains(accounts, event.Account(name)) {
			accounts = append(accounts, event.Account(name))
		}
	}
	found, err := b.StoredAccounts(ctx, record.StoredAccountQuery{Accounts: accounts})
	if err != nil {
		return nil, err
	}
	rows := make([]record.StoredAccount, len(accounts))
	for i, name := range accounts {
		at := slices.IndexFunc(found, func(row record.StoredAccount) bool { return row.Account == name })
		if at < 0 {
			return nil, b.missing(ctx, name)
		}
		rows[i] = found[at]
	}
	return rows, nil
}

// missing says that there is no account of a name, and which one may be meant.
func (b *accountBook) missing(ctx context.Context, name event.Account) error {
	all, err := b.StoredAccounts(ctx, record.StoredAccountQuery{Bare: true})
	if err != nil {
		return err
	}
	var names []string
	for i := range all {
		names = append(names, string(all[i].Account))
	}
	return &exitError{exitUsage, fmt.Errorf("%w in %s", noAccount(string(name), names), b.database)}
}

// accountChangeJSON is what was done to an account, for machines.
type accountChangeJSON struct {
	Account event.Account `json:"account"`
	Did     string        `json:"did"` // added, changed, replaced, removed, on, paused, parked, same, differs
	State   string        `json:"state"`
	Why     string        `json:"why,omitempty"`
	By      string        `json:"by"`
	Differs []string      `json:"differs,omitempty"` // settings
	DryRun  bool          `json:"dry_run,omitempty"` // nothing was done
}

// did tells what was done to an account.
func (b *accountBook) did(row *record.StoredAccount, did, told string) error {
	if b.json {
		return printLine(b.out, accountChangeJSON{Account: row.Account, Did: did, State: row.State, Why: row.Why, By: row.By})
	}
	_, err := fmt.Fprintf(b.out, "%s: %s\n", row.Account, told)
	return err
}

// put stores accounts, whoever decides.
func (b *accountBook) put(ctx context.Context, rows []record.StoredAccount) error {
	for i := range rows {
		rows[i].By = b.by
	}
	_, err := b.PutAccounts(ctx, rows...)
	if errors.As(err, new(*store.AccountChangedError)) {
		return fmt.Errorf("%w, so that nothing was done: look at it, and do it again", err)
	}
	return err
}

// hint says when nothing comes of what was changed, since nobody takes accounts from the database.
func (b *accountBook) hint() {
	if !b.cfg.AccountsInStore() {
		_, _ = fmt.Fprintln(b.stderr, "nectar: no bot with these settings takes its accounts from the database: set NECTAR_ACCOUNTS=store")
	}
}

// ofAccount names the account before each problem.
func ofAccount(account event.Account, err error) error {
	wrong, ours := errors.AsType[config.Problems](err)
	if !ours {
		return err
	}
	named := make(config.Problems, len(wrong))
	for i, problem := range wrong {
		named[i] = fmt.Sprintf("%s: %s", account, problem)
	}
	return named
}
