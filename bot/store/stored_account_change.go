package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// AccountChangedError says that an account is not any more what somebody saw who wants to change it.
type AccountChangedError struct{ Account event.Account }

// Error names it.
func (e *AccountChangedError) Error() string {
	return fmt.Sprintf("somebody else has changed the account %s meanwhile", e.Account)
}

// SamePersonError says that an account would sign in as the same person as another one.
type SamePersonError struct{ Account, Other event.Account }

// Error names both.
func (e *SamePersonError) Error() string {
	return fmt.Sprintf("%s: signs in as the same person as %s; remove one of them", e.Account, e.Other)
}

// errKeyless is the error of storing what an account signs in with where no bot has made a key yet.
var errKeyless = errors.New("it has no key yet that encrypts what accounts sign in with: nectar migrate makes one")

const (
	countAccountChange = `INSERT INTO account_changes VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET number = account_changes.number + 1 RETURNING number`
	// One that is not there, or was taken out, is seen as 0.
	putAccount = `INSERT INTO account VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (shard, account) DO UPDATE SET
		settings = excluded.settings, sealed = excluded.sealed, person = excluded.person, state = excluded.state, why = excluded.why,
		changed_at = excluded.changed_at, changed_by = excluded.changed_by, change = excluded.change
		WHERE account.change = $11 OR $11 = 0 AND account.state = '` + AccountRemoved + `'`
	setAccount          = `UPDATE account SET state = $3, why = $4, changed_at = $5, changed_by = $6, change = $7 WHERE shard = $1 AND account = $2 AND change = $8`
	selectPerson        = `SELECT account FROM account WHERE person = $1`
	selectAccountIsThis = `SELECT 1 FROM account WHERE shard = $1 AND account = $2 AND change = $3`
	personConstraint    = `account_person`
)

// forgetSignIns does for accounts what forgettings do. Nobody can sign in any more, until somebody says anew with what.
var forgetSignIns = []string{
	countAccountChange,
	`UPDATE account SET sealed = '', person = NULL, state = CASE state WHEN '` + AccountRemoved + `' THEN state ELSE 'parked' END,
		why = convert_to('T` + lostSignIn + `', 'UTF8'), changed_at = ?1, changed_by = '', change = (SELECT number FROM account_changes)
		WHERE substring(sealed FROM 1 FOR 1) = '\x02'`,
	`UPDATE account SET why = '' WHERE substring(why FROM 1 FOR 1) = '\x02'`,
}

// lostSignIn is why an account is parked whose credentials do not open any more.
const lostSignIn = "what it signs in with was encrypted with a key that is lost"

// PutAccounts stores accounts as they are, all or none, and returns the number of the change. Version says what each was when somebody
// saw it. The errors are an AccountChangedError, a SamePersonError, a MovedError, ErrNoAccounts, and those of a change that a desk
// makes. Workers notice within some seconds.
func (d *Desk) PutAccounts(ctx context.Context, accounts ...StoredAccount) (number int64, err error) {
	switch {
	case !d.server:
		return 0, ErrNoAccounts
	case len(accounts) == 0:
		return 0, nil
	case !d.vault.closed() && !d.vault.seals():
		return 0, fmt.Errorf("store accounts: %w", errKeyless)
	}
	ctx = context.WithoutCancel(ctx)
	at := 0 // the one that is being stored
	tx, err := d.writing(ctx, []string{lostSignIn}, func(tx *sql.Tx) (err error) {
		number, at, err = d.putAccounts(ctx, tx, accounts)
		return err
	})
	if err == nil {
		defer func() { _ = tx.Rollback() }() // it does nothing after a commit
		err = d.commit(ctx, tx.Commit, func(ctx context.Context) (bool, error) {
			_ = tx.Rollback() // if it is still under way; nothing changes after this
			return d.isAccount(ctx, accounts[0].Account, number)
		})
	} else if constraintOfPostgres(err) == personConstraint {
		return 0, d.samePerson(ctx, accounts, at)
	}
	if err != nil {
		return 0, fmt.Errorf("store accounts: %w", explain(err))
	}
	return number, nil
}

// putAccounts stores accounts, and tells which one was the last.
func (d *Desk) putAccounts(ctx context.Context, tx *sql.Tx, accounts []StoredAccount) (number int64, at int, err error) {
	if err := tx.QueryRowContext(ctx, countAccountChange).Scan(&number); err != nil {
		return 0, 0, err
	}
	now := time.Now()
	for i := range accounts {
		a := &accounts[i]
		done, err := d.putAccount(ctx, tx, a, number, now)
		if err != nil {
			return 0, i, err
		}
		switch n, err := done.RowsAffected(); {
		case err != nil:
			return 0, i, err
		case n == 0: //mutate:account-version
			return 0, i, &AccountChangedError{a.Account}
		}
		if a.State == AccountRemoved {
			continue // also when it lives elsewhere by now
		}
		if err := here(ctx, tx, a.Account); err != nil {
			return 0, i, err
		}
	}
	return number, len(accounts) - 1, nil
}

func (d *Desk) putAccount(ctx context.Context, tx *sql.Tx, a *StoredAccount, number int64, now time.Time) (sql.Result, error) {
	why := d.boxed(accountWhy.of(a.Account, ""), a.Why)
	if a.StateOnly {
		return tx.ExecContext(ctx, setAccount, a.Account.Shard(), string(a.Account), a.State, why, micros(now), a.By, number, a.Version)
	}
	var person any
	if hash := d.vault.secret.person(a.Person.Reveal()); hash != nil {
		person = hash
	}
	return tx.ExecContext(ctx, putAccount, a.Account.Shard(), string(a.Account), a.Settings,
		d.boxed(accountSignIn.of(a.Account, ""), a.SignIn.Reveal()), person, a.State, why, micros(now), a.By, number, a.Version)
}

// isAccount tells whether an account is what a change made of it.
func (d *Desk) isAccount(ctx context.Context, account event.Account, number int64) (is bool, err error) {
	if err := d.settled(ctx); err != nil {
		return false, err
	}
	var one int
	err = d.query(ctx, selectAccountIsThis, []any{account.Shard(), string(account), number}, []any{&one}, func() { is = true })
	return is, err
}

// samePerson says as whom the account at a place signs in, too.
func (d *Desk) samePerson(ctx context.Context, accounts []StoredAccount, at int) error {
	same := &SamePersonError{Account: accounts[at].Account}
	for i := range accounts[:at] {
		if accounts[i].Person == accounts[at].Person {
			same.Other = accounts[i].Account
			return same
		}
	}
	person := d.vault.secret.person(accounts[at].Person.Reveal())
	if err := d.query(ctx, selectPerson, []any{person}, []any{&same.Other}, func() {}); err != nil {
		return fmt.Errorf("look as whom %s signs in: %w", same.Account, explain(err))
	}
	return same
}
