package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// SamePersonError says that an account would sign in as the same person as another one.
type SamePersonError struct{ Account, Other event.Account }

// Error names both.
func (e *SamePersonError) Error() string {
	return fmt.Sprintf("%s: signs in as the same person as %s; remove one of them", e.Account, e.Other)
}

// errKeyless is the error of storing what an account signs in with where no bot has made a key yet.
var errKeyless = errors.New("it has no key yet that encrypts what accounts sign in with: nectar migrate makes one")

const (
	countAccountChange = `INSERT INTO account_changes (one, number) VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET number = account_changes.number + 1 RETURNING number`
	// accountRows are the accounts of a change, each with what it was when somebody saw it.
	accountRows = `unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
		AS r(shard, account, settings, sealed, person, state, why, changed_by, change)`
	accountBytes = `decode(r.sealed, 'hex'), decode(nullif(r.person, ''), 'hex'), r.state, decode(r.why, 'hex'), $10::bigint, r.changed_by, $11::bigint`
	// Those that are not there, or were taken out.
	addAccounts = `INSERT INTO account (shard, account, settings, sealed, person, state, why, changed_at, changed_by, change) SELECT r.shard, r.account, r.settings, ` + accountBytes + ` FROM ` + accountRows + ` WHERE r.change = 0
		ON CONFLICT (shard, account) DO UPDATE SET settings = excluded.settings, sealed = excluded.sealed, person = excluded.person, state = excluded.state,
			why = excluded.why, changed_at = excluded.changed_at, changed_by = excluded.changed_by, change = excluded.change
			WHERE account.state = '` + record.AccountRemoved + `' RETURNING account`
	changeAccounts = `UPDATE account AS a SET (settings, sealed, person, state, why, changed_at, changed_by, change) = (r.settings, ` + accountBytes + `)
		FROM ` + accountRows + ` WHERE r.change > 0 AND a.shard = r.shard AND a.account = r.account AND a.change = r.change RETURNING a.account`
	// What they say, and sign in with, stays.
	setAccounts = `UPDATE account AS a SET (state, why, changed_at, changed_by, change) = (r.state, decode(r.why, 'hex'), $10::bigint, r.changed_by, $11::bigint)
		FROM ` + accountRows + ` WHERE a.shard = r.shard AND a.account = r.account AND a.change = r.change RETURNING a.account`
	selectPersons       = `SELECT encode(person, 'hex'), account FROM account WHERE person IN (SELECT decode(p, 'hex') FROM unnest($1::text[]) AS p)`
	selectAccountIsThis = `SELECT 1 FROM account WHERE shard = $1 AND account = $2 AND change = $3`
	personConstraint    = `account_person`
)

// forgetSignIns does for accounts what forgettings do. Nobody can sign in any more, until somebody says anew with what.
var forgetSignIns = []string{
	`DELETE FROM meta WHERE key = 'person'`,
	`DELETE FROM seal_writer`,
	countAccountChange,
	`UPDATE account SET sealed = '', person = NULL, state = CASE state WHEN '` + record.AccountRemoved + `' THEN state ELSE 'parked' END,
		why = convert_to('T` + lostSignIn + `', 'UTF8'), changed_at = ?1, changed_by = '', change = (SELECT number FROM account_changes)
		WHERE substring(sealed FROM 1 FOR 1) = '\x02'`,
	`UPDATE account SET why = '' WHERE substring(why FROM 1 FOR 1) = '\x02'`,
}

// lostSignIn is why an account is parked when its credentials cannot be decrypted any more.
const lostSignIn = "what it signs in with was encrypted with a key that is lost"

// PutAccounts stores accounts as they are, all or none, and returns the number of the change. Version says what each was when somebody
// saw it. The errors are an AccountChangedError, a SamePersonError, a MovedError, ErrNoAccounts, and those of a change that an inspector
// makes. Workers notice within some seconds.
func (in *Inspector) PutAccounts(ctx context.Context, accounts ...record.StoredAccount) (number int64, err error) {
	switch {
	case !in.server:
		return 0, record.ErrNoAccounts
	case len(accounts) == 0:
		return 0, nil
	case !in.vault.IsClosed() && !in.vault.IsSealing():
		return 0, fmt.Errorf("store accounts: %w", errKeyless)
	}
	ctx = context.WithoutCancel(ctx)
	var people bind.Words
	tx, err := in.beginSealing(ctx, []string{lostSignIn}, func(tx *sql.Tx) (err error) {
		if people, err = in.persons(ctx, tx, accounts); err != nil {
			return err
		}
		number, err = in.putAccounts(ctx, tx, accounts, people)
		return err
	})
	if err == nil {
		defer func() { _ = tx.Rollback() }() // it does nothing after a commit
		err = in.commit(ctx, tx.Commit, func(ctx context.Context) (bool, error) {
			_ = tx.Rollback() // if it is still under way; nothing changes after this
			return in.isAccount(ctx, accounts[0].Account, number)
		})
	} else if same, ok := errors.AsType[*SamePersonError](err); ok {
		return 0, same
	} else if remote.ConstraintOf(err) == personConstraint {
		return 0, in.samePerson(ctx, accounts, people)
	}
	if err != nil {
		return 0, fmt.Errorf("store accounts: %w", explainError(err))
	}
	return number, nil
}

// persons returns the people as whom the accounts sign in, as hashes; "" for none. No two may be the same.
func (in *Inspector) persons(ctx context.Context, tx seal.Querier, accounts []record.StoredAccount) (bind.Words, error) {
	hash, err := in.personHash(ctx, tx)
	if err != nil {
		return nil, err
	}
	people := make(bind.Words, len(accounts))
	first := map[string]event.Account{}
	for i := range accounts {
		a := &accounts[i]
		people[i] = hex.EncodeToString(hash.PersonHash(a.Person.Reveal()))
		if other, twice := first[people[i]]; twice && people[i] != "" {
			return nil, &SamePersonError{a.Account, other}
		}
		first[people[i]] = a.Account
	}
	return people, nil
}

// putAccounts stores accounts, with a statement for each kind of change.
func (in *Inspector) putAccounts(ctx context.Context, tx *sql.Tx, accounts []record.StoredAccount, people bind.Words) (number int64, err error) {
	if err := tx.QueryRowContext(ctx, countAccountChange).Scan(&number); err != nil {
		return 0, err
	}
	now := bind.ToMicros(time.Now())
	done := map[event.Account]bool{}
	some := map[string]*accountColumns{}
	for i := range accounts {
		statement := addAccounts
		switch a := &accounts[i]; {
		case a.StateOnly:
			statement = setAccounts
		case a.Version > 0:
			statement = changeAccounts
		}
		if some[statement] == nil {
			some[statement] = &accountColumns{}
		}
		some[statement].add(in, &accounts[i], people[i])
	}
	for statement, c := range some {
		if err := c.run(ctx, tx, statement, now, number, done); err != nil {
			return 0, err
		}
	}
	var here []event.Account
	for i := range accounts {
		a := &accounts[i]
		if !done[a.Account] { //mutate:account-version
			return 0, &record.AccountChangedError{Account: a.Account}
		}
		if a.State != record.AccountRemoved { // it may live elsewhere by now
			here = append(here, a.Account)
		}
	}
	return number, allHere(ctx, tx, here)
}

// accountColumns are accounts as a statement takes them.
type accountColumns struct {
	shards, versions                                           bind.Numbers
	names, settings, sealed, people, states, reasons, deciders bind.Words
}

func (c *accountColumns) add(d *Inspector, a *record.StoredAccount, person string) {
	sealed := func(p seal.Cell, text string) string {
		if text == "" {
			return ""
		}
		return hex.EncodeToString(d.vault.Seal(p, text))
	}
	c.shards, c.versions = append(c.shards, int64(a.Account.Shard())), append(c.versions, a.Version)
	c.names, c.settings = append(c.names, string(a.Account)), append(c.settings, a.Settings)
	c.sealed, c.people = append(c.sealed, sealed(seal.AccountSignIn.CellOf(a.Account, ""), a.SignIn.Reveal())), append(c.people, person)
	c.states, c.reasons = append(c.states, a.State), append(c.reasons, sealed(seal.AccountWhy.CellOf(a.Account, ""), a.Why))
	c.deciders = append(c.deciders, a.By)
}

// run runs a statement, and notes which accounts it has stored.
func (c *accountColumns) run(ctx context.Context, tx *sql.Tx, statement string, now, number int64, done map[event.Account]bool) (err error) {
	rows, err := tx.QueryContext(ctx, statement, c.shards, c.names, c.settings, c.sealed, c.people, c.states, c.reasons, c.deciders, c.versions, now, number) //nolint:rowserrcheck // walkRows does
	if err != nil {
		return err
	}
	return walkRows(ctx, rows, func(rows scanner) error {
		var account event.Account
		err := rows.Scan(&account)
		done[account] = true
		return err
	})
}

// isAccount reports whether an account is what a change made of it.
func (in *Inspector) isAccount(ctx context.Context, account event.Account, number int64) (is bool, err error) {
	if err := in.waitForOthers(ctx); err != nil {
		return false, err
	}
	var one int
	return in.queryOne(ctx, selectAccountIsThis, []any{&one}, account.Shard(), string(account), number)
}

// samePerson says which of the accounts signs in as the same person as another one that is there.
func (in *Inspector) samePerson(ctx context.Context, accounts []record.StoredAccount, people bind.Words) error {
	there := map[string]event.Account{}
	if err := in.eachRare(ctx, selectPersons, func(rows scanner) error {
		var person string
		var other event.Account
		err := rows.Scan(&person, &other)
		there[person] = other
		return err
	}, people); err != nil {
		return fmt.Errorf("look as whom accounts sign in: %w", explainError(err))
	}
	for i := range accounts {
		if other, ok := there[people[i]]; ok && other != accounts[i].Account {
			return &SamePersonError{accounts[i].Account, other}
		}
	}
	return &record.AccountChangedError{Account: accounts[0].Account} // it was there a moment ago
}

const selectPersonKey = `SELECT value FROM meta WHERE key = 'person'`

// personKeyCell is the place of the key that hashes the people as whom accounts sign in.
var personKeyCell = seal.Cell{Column: seal.PersonKey}

// personHash returns the key that hashes the people as whom accounts sign in.
func (in *Inspector) personHash(ctx context.Context, tx seal.Querier) (*seal.Secret, error) {
	text := ""
	err := tx.QueryRowContext(ctx, selectPersonKey).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return &in.vault.Secret, nil
	}
	sealed, derr := hex.DecodeString(text)
	if err = errors.Join(err, derr); err != nil {
		return nil, err
	}
	key, err := in.vault.Open(personKeyCell, sealed)
	if err != nil {
		return nil, err
	}
	return &seal.Secret{Hash: []byte(key)}, nil
}
