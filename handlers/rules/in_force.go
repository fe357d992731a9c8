package rules

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
)

// inForce are the rules that accounts act by. Turns read them without a lock.
type inForce struct {
	mu  sync.Mutex // guards no field: one writes at a time
	now atomic.Pointer[map[event.Account]*Version]
}

// anyAccount stands for all accounts that have no rules of their own.
const anyAccount event.Account = ""

// putInForce puts rules in force.
func (f *inForce) putInForce(v *Version, accounts []event.Account) {
	if len(accounts) == 0 { //mutate:rules-of-account
		accounts = []event.Account{anyAccount}
	}
	f.replaceAll(func(next map[event.Account]*Version) {
		for _, account := range accounts {
			next[account] = v
		}
	})
}

// dropAccounts leaves accounts without rules of their own.
func (f *inForce) dropAccounts(accounts []event.Account) {
	f.replaceAll(func(next map[event.Account]*Version) {
		for _, account := range accounts {
			delete(next, account)
		}
	})
}

// replaceAll puts something else in the place of what is in force.
func (f *inForce) replaceAll(do func(next map[event.Account]*Version)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := map[event.Account]*Version{}
	if now := f.now.Load(); now != nil {
		maps.Copy(next, *now)
	}
	do(next)
	f.now.Store(&next)
}

// rulesOf returns the rules of an account; nil for none.
func (f *inForce) rulesOf(account event.Account) *Version {
	now := f.now.Load()
	if now == nil {
		return nil
	}
	if v, ok := (*now)[account]; ok {
		return v
	}
	return (*now)[anyAccount]
}
