// Package accounts lists the accounts of a database, brings them there from a file, and writes down what a person
// changes of them.
package accounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// Book is an inspector at which the accounts of a database are changed.
type Book struct {
	*view.View
	Sh     cli.Shell
	Cfg    config.Config
	Stderr io.Writer
}

// RowsOf returns the accounts of these names, in their order, each once; all of them have to be there.
func (b *Book) RowsOf(ctx context.Context, names []string) ([]record.StoredAccount, error) {
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
func (b *Book) missing(ctx context.Context, name event.Account) error {
	all, err := b.StoredAccounts(ctx, record.StoredAccountQuery{Bare: true})
	if err != nil {
		return err
	}
	var names []string
	for i := range all {
		names = append(names, string(all[i].Account))
	}
	return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("%w in %s", sources.NoAccount(string(name), names), b.Database)}
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

// TellDone tells what was done to an account.
func (b *Book) TellDone(row *record.StoredAccount, did, told string) error {
	if b.JSON {
		return print.WriteLine(b.Out, accountChangeJSON{Account: row.Account, Did: did, State: row.State, Why: row.Why, By: row.By})
	}
	return print.SayLine(b.Out, "%s: %s", row.Account, told)
}

// StoreRows stores accounts, by a person's wish or a program's.
func (b *Book) StoreRows(ctx context.Context, rows []record.StoredAccount) error {
	for i := range rows {
		rows[i].By = b.By
	}
	_, err := b.PutAccounts(ctx, rows...)
	if errors.As(err, new(*record.AccountChangedError)) {
		return fmt.Errorf("%w, so that nothing was done: look at it, and do it again", err)
	}
	return err
}

// HintUnused says when nothing comes of what was changed, since nobody takes accounts from the database.
func (b *Book) HintUnused() {
	if !b.Cfg.AccountsInStore() {
		_, _ = fmt.Fprintln(b.Stderr, "nectar: no bot with these settings takes its accounts from the database: set NECTAR_ACCOUNTS=store")
	}
}

// OfAccount names the account before each problem.
func OfAccount(account event.Account, err error) error {
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
