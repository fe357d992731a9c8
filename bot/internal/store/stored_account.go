package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	selectAccountRows   = `SELECT account, settings, state, changed_at, changed_by, change, sealed, why FROM account WHERE `
	selectAccountBare   = `SELECT account, settings, state, changed_at, changed_by, change, '', '' FROM account WHERE `
	selectAccountChange = `SELECT coalesce(max(number), 0) FROM account_changes`
)

// text returns the statement, with its parameters.
func accountsText(q *record.StoredAccountQuery) (string, []any) {
	var where []string
	var args []any
	add := func(condition string, arg any) {
		args = append(args, arg)
		where = append(where, fmt.Sprintf(condition, len(args)))
	}
	add(`change > $%d`, q.Since)
	if q.Shards != nil {
		shards := bind.Numbers{}
		for _, n := range q.Shards {
			shards = append(shards, int64(n))
		}
		add(`shard = ANY ($%d::integer[])`, shards)
	}
	if q.Accounts != nil {
		shards, names := bind.Numbers{}, bind.Words{}
		for _, a := range q.Accounts {
			shards, names = append(shards, int64(a.Shard())), append(names, string(a))
		}
		add(`shard = ANY ($%d::integer[])`, shards)
		// Beside their shards, as the index begins with these.
		add(`account = ANY ($%d::text[])`, names)
	}
	if !q.Removed {
		add(`state <> $%d`, record.AccountRemoved)
	}
	columns := selectAccountRows
	if q.Bare {
		columns = selectAccountBare
	}
	return columns + strings.Join(where, ` AND `) + ` ORDER BY account`, args
}

// StoredAccounts returns accounts that stand in the database, by their names, in one statement. An account is Broken when its
// credentials cannot be decrypted. The error is ErrNoAccounts where the database is a file.
func (r *Reader) StoredAccounts(ctx context.Context, q record.StoredAccountQuery) (all []record.StoredAccount, err error) {
	if !r.server {
		return nil, record.ErrNoAccounts
	}
	text, args := accountsText(&q)
	all, err = rareRowsOf(ctx, r, text, func(rows scanner) (a record.StoredAccount, err error) {
		var signIn, why seal.Value
		var at int64
		err = rows.Scan(&a.Account, &a.Settings, &a.State, &at, &a.By, &a.Version, &signIn, &why)
		if a.At = bind.FromMicros(at); err == nil {
			OpenAccount(&a, r.vault, &signIn, &why)
		}
		return a, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read the accounts: %w", remote.ExplainError(err))
	}
	return all, nil
}

// OpenAccount opens what is sealed of an account.
func OpenAccount(a *record.StoredAccount, v *seal.Vault, signIn, why *seal.Value) {
	text, err := why.TextFrom(v, seal.AccountWhy.CellOf(a.Account, ""))
	if err != nil {
		text = seal.ClosedText
	}
	a.Why = text
	if signIn.Sealed != nil && v.IsClosed() {
		a.Broken = seal.ErrSealed
		return
	}
	text, err = signIn.TextFrom(v, seal.AccountSignIn.CellOf(a.Account, ""))
	if err != nil {
		a.Broken = fmt.Errorf("read what %s signs in with: %w", a.Account, err)
		return
	}
	a.SignIn = platform.Secret(text)
}

// AccountChanges returns the number of the last change of accounts: a caller that has seen this number has nothing new to read. It goes back
// only where a copy of the database has taken its place.
func (r *Reader) AccountChanges(ctx context.Context) (number int64, err error) {
	if !r.server {
		return 0, record.ErrNoAccounts
	}
	if _, err := r.queryOne(ctx, selectAccountChange, []any{&number}); err != nil {
		return 0, fmt.Errorf("look whether accounts have changed: %w", remote.ExplainError(err))
	}
	return number, nil
}
