package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

const (
	selectKnownOf   = `SELECT account, name, fact.value, read_at FROM json_each($1) AS t CROSS JOIN fact WHERE ` + ofGiven + ` AND trigger_id = '` + ofAccount + `'`
	selectPolled    = `SELECT account, polled_at FROM json_each($1) AS t CROSS JOIN cursor WHERE ` + ofGiven + ` AND source IN (1, 2, 3) AND peer = 0`
	selectInForceOf = `SELECT f.account, f.hash, folder, since FROM rules_in_force f JOIN rules_version v ON v.hash = f.hash`
	tallyAll        = `SELECT rule, outcome, handled_at / 3600000000 AS hour, count(*), max(handled_at) FROM json_each($1) AS t CROSS JOIN `
	selectTallyOf   = tallyAll + `event WHERE ` + ofGiven + ` AND handled_at >= $2 AND state = 'handled' AND outcome <> 'gathering' GROUP BY rule, outcome, hour UNION ALL ` +
		tallyAll + `turn WHERE ` + ofGiven + ` AND handled_at >= $2 AND turn.id < 'timer;' AND turn.id >= 'timer:' GROUP BY rule, outcome, hour`
	selectWatchTallyOf = `SELECT rule, 'watched', decided_at / 3600000000 AS hour, count(*), max(decided_at) FROM json_each($1) AS t CROSS JOIN action
		WHERE ` + ofGiven + ` AND decided_at >= $2 AND rule <> '' AND state = 'withdrawn' AND ` + reason.WatchedSQL + ` GROUP BY rule, hour`
)

// Knowledge reads what is known of accounts.
func (r *Reader) Knowledge(ctx context.Context, accounts []event.Account) (record.Knowledge, error) {
	all := record.Knowledge{}
	for some := range accountPacks(accounts) {
		if err := r.eachRare(ctx, selectKnownOf, func(rows scanner) error {
			var account event.Account
			var f storedFact
			if err := rows.Scan(&account, &f.Name, &f.value, &f.at); err != nil {
				return err
			}
			fact, err := f.open(r.vault, account, ofAccount)
			all[account] = append(all[account], fact)
			return err
		}, some); err != nil {
			return nil, fmt.Errorf("read what is known of the accounts: %w", err)
		}
	}
	return all, nil
}

// RulesOf returns the rules that each of some accounts acts by, or did last, as RulesInForce does; those that have none are left
// out.
func (r *Reader) RulesOf(ctx context.Context, accounts []event.Account) (map[event.Account]record.InForce, error) {
	stored := map[event.Account]record.InForce{}
	if err := r.eachRare(ctx, selectInForceOf, func(rows scanner) error {
		var f record.InForce
		var since int64
		err := rows.Scan(&f.Account, &f.Hash, &f.Folder, &since)
		f.Since = bind.FromMicros(since)
		stored[f.Account] = f
		return err
	}); err != nil {
		return nil, fmt.Errorf("read the rules in force: %w", err)
	}
	all, contents := map[event.Account]record.InForce{}, map[string]string{}
	for _, a := range accounts {
		f, ok := stored[a]
		if !ok {
			// The rules of all accounts are in force for an account that has none of its own.
			f, ok = stored[""]
		}
		if !ok {
			continue
		}
		// Once for each version: thousands of accounts act by the same files.
		content, read := contents[f.Hash]
		if !read {
			var err error
			if content, _, err = r.Rules(ctx, f.Hash); err != nil {
				return nil, err
			}
			contents[f.Hash] = content
		}
		f.Content = content
		all[a] = f
	}
	return all, nil
}

// TalliesOf is Tallies of several accounts together; a tally may come in parts.
func (in *Inspector) TalliesOf(ctx context.Context, accounts []event.Account, since time.Time) ([]record.Tally, error) {
	var all []record.Tally
	for given := range accountPacks(accounts) {
		for _, query := range []string{selectTallyOf, selectWatchTallyOf} {
			some, err := in.readTallies(ctx, query, given, bind.ToMicros(since))
			if err != nil {
				return nil, fmt.Errorf("count what was decided: %w", err)
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// Polled returns when accounts were last polled with success, from any list; accounts that never were are left out.
func (r *Reader) Polled(ctx context.Context, accounts []event.Account) (map[event.Account]time.Time, error) {
	all := map[event.Account]time.Time{}
	for some := range accountPacks(accounts) {
		if err := r.eachRare(ctx, selectPolled, func(rows scanner) error {
			var account event.Account
			var at int64
			err := rows.Scan(&account, &at)
			if t := bind.FromMicros(at); t.After(all[account]) {
				all[account] = t
			}
			return err
		}, some); err != nil {
			return nil, fmt.Errorf("read when the accounts were polled: %w", err)
		}
	}
	return all, nil
}
