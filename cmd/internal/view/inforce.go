package view

import (
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// inForce are rules in force, or that were last, with the accounts that act by them.
type inForce struct {
	*rules.Version
	hash     string
	accounts []event.Account
}

// InForce returns the rules of the accounts, each version once; none when there were never any. Accounts that the settings
// do not have any more are left out, unless there are no others.
func (v *View) InForce(ctx context.Context) ([]inForce, error) {
	configured := map[event.Account]bool{}
	for _, a := range v.Configured {
		configured[a] = true
	}
	accounts := slices.DeleteFunc(slices.Clone(v.Meant), func(a event.Account) bool { return !configured[a] })
	if len(accounts) == 0 {
		accounts = v.Meant
	}
	if len(accounts) == 0 {
		return v.inForceLast(ctx) // none has been at work yet
	}
	stored, err := v.RulesOf(ctx, accounts)
	if err != nil {
		return nil, err
	}
	var all []inForce
	places := map[string]int{} // by hash
	for _, account := range accounts {
		f, ok := stored[account]
		if !ok {
			continue
		}
		at, known := places[f.Hash]
		if !known {
			v, err := versionOf(&f)
			if err != nil {
				return nil, err
			}
			at = len(all)
			places[f.Hash], all = at, append(all, inForce{Version: v, hash: f.Hash})
		}
		all[at].accounts = append(all[at].accounts, account)
	}
	return slices.DeleteFunc(all, func(f inForce) bool { return f.Version == nil }), nil
}

// inForceLast returns the rules that were in force last, for whatever account.
func (v *View) inForceLast(ctx context.Context) ([]inForce, error) {
	f, ok, err := v.RulesInForce(ctx, "")
	if err != nil || !ok {
		return nil, err
	}
	version, err := versionOf(&f)
	if err != nil || version == nil {
		return nil, err
	}
	return []inForce{{version, f.Hash, []event.Account{""}}}, nil
}

// versionOf compiles rules that are stored; nil when this program does not take them.
func versionOf(f *record.InForce) (*rules.Version, error) {
	src, err := rules.DecodeSources(f.Content)
	if err != nil {
		return nil, fmt.Errorf("read the rules in force: %w", err)
	}
	v, _ := rules.Compile(src)
	return v, nil
}

// KeepOnly leaves out all other accounts.
func (v *View) KeepOnly(accounts []event.Account) {
	v.Meant = slices.DeleteFunc(slices.Clone(v.Meant), func(a event.Account) bool { return !slices.Contains(accounts, a) })
}

// VersionsOf returns the rules in force by their accounts.
func VersionsOf(all []inForce) map[event.Account]*rules.Version {
	by := map[event.Account]*rules.Version{}
	for _, f := range all {
		for _, a := range f.accounts {
			by[a] = f.Version
		}
	}
	return by
}
