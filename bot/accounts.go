package bot

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
)

// accounts are those that a bot has, in the order in which they came: also those whose term has not begun, or is about to end.
type accounts struct {
	mu     sync.RWMutex // guards the fields below
	named  map[event.Account]*account
	people map[person]*account
	list   []*account // it grows behind what others read, and is never changed otherwise
}

// person is who an account signs in as: a platform, see canonicalBase, and the e-mail address, or the social sign-in.
type person [2]string

func (a *Account) person() person {
	return person{canonicalBase(a.BaseURL), cmp.Or(strings.ToLower(a.Email), a.OAuthType+" "+a.OAuthToken.Reveal())}
}

func newAccounts() *accounts {
	return &accounts{named: map[event.Account]*account{}, people: map[person]*account{}}
}

// byName returns the account of a name; nil when the bot does not have it.
func (as *accounts) byName(name event.Account) *account {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.named[name]
}

// all returns the accounts, not to be changed.
func (as *accounts) all() []*account {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.list
}

// add puts an account behind the others, unless there is one of its name, or one that signs in as the same person: then it
// returns that one.
func (as *accounts) add(a *account) (other *account) {
	as.mu.Lock()
	defer as.mu.Unlock()
	who := a.cfg.person()
	if other = cmp.Or(as.named[a.name], as.people[who]); other == nil {
		as.named[a.name], as.people[who] = a, a
		as.list = append(as.list, a)
	}
	return other
}

// replace puts an account in the place of another one of the same configuration; false when that has gone.
func (as *accounts) replace(old, fresh *account) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.named[old.name] != old || old.leaving.Load() {
		return false
	}
	as.named[old.name], as.people[old.cfg.person()] = fresh, fresh
	as.list = slices.Clone(as.list)
	as.list[slices.Index(as.list, old)] = fresh
	return true
}

// remove takes an account out.
func (as *accounts) remove(a *account) {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.named[a.name] == a {
		delete(as.named, a.name)
		delete(as.people, a.cfg.person())
		as.list = slices.DeleteFunc(slices.Clone(as.list), func(x *account) bool { return x == a })
	}
}

// markLeaving notes that an account is given up, and returns it; nil when there is none, or somebody gives it up already. Nothing takes
// its place then.
func (as *accounts) markLeaving(name event.Account) *account {
	as.mu.Lock()
	defer as.mu.Unlock()
	a := as.named[name]
	if a == nil || a.leaving.Swap(true) {
		return nil
	}
	return a
}
