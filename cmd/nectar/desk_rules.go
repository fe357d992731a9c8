package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// inForce are rules in force, or that were last, with the accounts that act by them.
type inForce struct {
	*rules.Version
	hash     string
	accounts []event.Account
}

// inForce returns the rules of the accounts, each version once; none when there were never any. Accounts that the settings
// do not have any more are left out, unless there are no others.
func (d *desk) inForce(ctx context.Context) ([]inForce, error) {
	accounts := slices.DeleteFunc(slices.Clone(d.accounts), func(a event.Account) bool { return !slices.Contains(d.configured, a) })
	if len(accounts) == 0 {
		accounts = d.accounts
	}
	if len(accounts) == 0 {
		accounts = []event.Account{""} // none has been at work yet
	}
	var all []inForce
	for _, account := range accounts {
		f, ok, err := d.RulesInForce(ctx, account)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		at := slices.IndexFunc(all, func(x inForce) bool { return x.hash == f.Hash })
		if at < 0 {
			src, err := rules.DecodeSources(f.Content)
			if err != nil {
				return nil, fmt.Errorf("read the rules in force: %w", err)
			}
			v, _ := rules.Compile(src)
			at, all = len(all), append(all, inForce{Version: v, hash: f.Hash})
		}
		all[at].accounts = append(all[at].accounts, account)
	}
	return slices.DeleteFunc(all, func(f inForce) bool { return f.Version == nil }), nil
}

// only leaves out all other accounts.
func (d *desk) only(accounts []event.Account) {
	d.accounts = slices.DeleteFunc(slices.Clone(d.accounts), func(a event.Account) bool { return !slices.Contains(accounts, a) })
}

// rulesOf returns the rules in force of an account, of all that there are; nil for none.
func rulesOf(all []inForce, account event.Account) *rules.Version {
	for _, f := range all {
		if slices.Contains(f.accounts, account) {
			return f.Version
		}
	}
	return nil
}
