package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

// A query over many accounts asks only those that have something to tell. Which they are is found by one statement over all
// accounts, and not by one for each.

// An account is told in one text with its shard: five digits, of which the first is 1, and the name.
const (
	// In one, since a leap goes from account to account by a subquery, and that returns a single value.
	inOne = `CAST(shard + 10000 AS TEXT) || account`
	// ofGiven is the account of a row of the list that the statement is given.
	ofGiven = `shard = CAST(substr(t.value, 1, 5) AS INTEGER) - 10000 AND account = substr(t.value, 6)`
	// behind is what comes after the account k, in the order of an index.
	behind = `(shard, account) > (CAST(substr(k, 1, 5) AS INTEGER) - 10000, substr(k, 6))`

	selectKnows = `SELECT 1 FROM cursor WHERE shard = $1 AND account = $2 LIMIT 1`

	selectKeysOf = `SELECT account, action.key FROM json_each($1) AS t CROSS JOIN action WHERE ` + ofGiven
)

// accountsAtOnce is how many accounts a statement looks at: a server ends one that takes too long.
const accountsAtOnce = 1000

// accountPacks returns accounts as ofGiven reads them, as many at a time as a statement looks at.
func accountPacks(accounts []event.Account) iter.Seq[bind.Words] {
	return func(yield func(bind.Words) bool) {
		for some := range slices.Chunk(accounts, accountsAtOnce) {
			all := make(bind.Words, len(some))
			for i, a := range some {
				all[i] = strconv.Itoa(10000+a.Shard()) + string(a)
			}
			if !yield(all) {
				return
			}
		}
	}
}

// leapingStatement returns a statement that finds the accounts of an index, which begins with them: it leaps from each account to the next
// one, over all rows between. The condition has the first of its parameters.
// DISTINCT would read all rows of the index, of which an account may have a million; a leap looks once for each account.
func leapingStatement(from string) string {
	return `WITH RECURSIVE leap(k) AS (
		SELECT (SELECT ` + inOne + ` ` + from + ` ORDER BY shard, account LIMIT 1)
		UNION ALL
		SELECT (SELECT ` + inOne + ` ` + from + ` AND ` + behind + ` ORDER BY shard, account LIMIT 1) FROM leap WHERE k IS NOT NULL
	) SELECT substr(k, 6) FROM leap WHERE k IS NOT NULL`
}

// lookingStatement returns a statement that finds those of the given accounts that have a row. PostgreSQL must not read a whole table for
// that, as it might with EXISTS.
func lookingStatement(from ...string) string {
	some := make([]string, len(from))
	for i := range from {
		some[i] = `(SELECT 1 ` + from[i] + ` LIMIT 1) = 1`
	}
	return `SELECT substr(t.value, 6) FROM json_each($1) AS t WHERE ` + strings.Join(some, " OR ")
}

// Accounts returns the accounts that the store knows, in the order of its keys.
func (r *Reader) Accounts(ctx context.Context) ([]event.Account, error) {
	accounts, err := r.accounts(ctx, leapAccounts)
	if err != nil {
		return nil, fmt.Errorf("read the accounts: %w", err)
	}
	return accounts, nil
}

// Knows reports whether the store knows an account.
func (r *Reader) Knows(ctx context.Context, account event.Account) (known bool, err error) {
	var one int
	if known, err = r.queryOne(ctx, selectKnows, []any{&one}, account.Shard(), string(account)); err != nil {
		return false, fmt.Errorf("look for the account %s: %w", account, err)
	}
	return known, nil
}

// Among returns those of the given accounts that have at least one of the things, in the order of accounts.
func (r *Reader) Among(ctx context.Context, accounts []event.Account, things ...record.Having) ([]event.Account, error) {
	if len(accounts) < 2 {
		return accounts, nil // the caller finds out
	}
	has := map[event.Account]bool{}
	note := func(text string, args ...any) error {
		found, err := r.accounts(ctx, text, args...)
		if err != nil {
			return fmt.Errorf("look which accounts have something: %w", err)
		}
		for _, a := range found {
			has[a] = true
		}
		return nil
	}
	for _, thing := range things {
		h := surveyOf(thing)
		if !h.given {
			if err := note(h.text, h.args...); err != nil {
				return nil, err
			}
			continue
		}
		for some := range accountPacks(accounts) {
			if err := note(h.text, append([]any{some}, h.args...)...); err != nil {
				return nil, err
			}
		}
	}
	return accountsIn(accounts, has), nil
}

// accountsIn returns the accounts that are in a set, in their order.
func accountsIn(accounts []event.Account, set map[event.Account]bool) []event.Account {
	return slices.DeleteFunc(slices.Clone(accounts), func(a event.Account) bool { return !set[a] })
}

// accounts returns the accounts that a statement finds.
func (r *Reader) accounts(ctx context.Context, text string, args ...any) ([]event.Account, error) {
	return rareRowsOf(ctx, r, text, scanOne[event.Account], args...)
}

// Numbered returns those of accounts that have an action with a number, as people write it. It reads the keys of all actions:
// for somebody who asks now and then.
func (r *Reader) Numbered(ctx context.Context, accounts []event.Account, number string) ([]event.Account, error) {
	if len(accounts) < 2 {
		return accounts, nil
	}
	has := map[event.Account]bool{}
	for some := range accountPacks(accounts) {
		if err := r.eachRare(ctx, selectKeysOf, func(rows scanner) error {
			var a event.Action
			err := rows.Scan(&a.Account, &a.Key)
			if a.Number() == number {
				has[a.Account] = true
			}
			return err
		}, some); err != nil {
			return nil, fmt.Errorf("look for the number %s: %w", number, err)
		}
	}
	return accountsIn(accounts, has), nil
}
