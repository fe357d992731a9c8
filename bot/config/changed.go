package config

import (
	"reflect"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
)

// What a bot that runs takes over of settings that are read again: its accounts, with all that they say, the level of the log,
// and variables that are none of nectar's own. Everything else counts from the next start.

// Serving returns the accounts that are not paused.
func (c Config) Serving() []Account {
	return slices.DeleteFunc(slices.Clone(c.Accounts), func(a Account) bool { return a.Paused() })
}

// PausedAccounts returns the names of those that are. Without Config.Accounts it reads the accounts file for nothing else, as
// RuleFolders does. The error is of type Problems.
func (c Config) PausedAccounts() (names []event.Account, err error) {
	accounts := c.Accounts
	if accounts == nil {
		var wrong Problems
		if accounts, wrong = c.accountsWithRules(); len(wrong) > 0 {
			return nil, wrong
		}
	}
	for i := range accounts {
		if accounts[i].Paused() {
			names = append(names, accounts[i].Name)
		}
	}
	return names, nil
}

// CountsLater returns the variables whose values are other ones in next, and which a bot that runs does not take over.
func (c Config) CountsLater(next Config) (names []string) {
	for _, fd := range fieldsOf(c) {
		if fd.key == "ACCOUNTS" && c.AccountsInStore() == next.AccountsInStore() || fd.key == "LOG_LEVEL" {
			continue
		}
		was, is := reflect.ValueOf(c).FieldByName(fd.name), reflect.ValueOf(next).FieldByName(fd.name)
		if !reflect.DeepEqual(was.Interface(), is.Interface()) {
			names = append(names, envPrefix+fd.key)
		}
	}
	return names
}
