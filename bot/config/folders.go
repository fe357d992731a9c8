package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// RuleFolder is a folder of rule files, or one file, with the accounts that act by it.
type RuleFolder struct {
	Path     string
	Accounts []event.Account
}

// RuleFolders returns the folders of rule files, each once, in the order of their accounts. Without Config.Accounts it
// reads the accounts file for nothing else: what is needed to sign in may be missing. The error is of type Problems.
func (c Config) RuleFolders() ([]RuleFolder, error) {
	accounts := c.Accounts
	if accounts == nil {
		var wrong Problems
		if accounts, wrong = c.accountsWithRules(); len(wrong) > 0 {
			return nil, wrong
		}
	}
	var all []RuleFolder
	for i := range accounts {
		a := &accounts[i]
		at := slices.IndexFunc(all, func(f RuleFolder) bool { return filepath.Clean(f.Path) == filepath.Clean(a.Rules) })
		if at < 0 {
			at, all = len(all), append(all, RuleFolder{Path: a.Rules})
		}
		all[at].Accounts = append(all[at].Accounts, a.Name)
	}
	return all, nil
}

// accountsWithRules returns the accounts, of which nothing is known but where their rules are, and whether they are paused.
func (c Config) accountsWithRules() ([]Account, Problems) {
	if c.AccountsFile == "" {
		return []Account{{Name: mainAccount, Rules: c.Rules, State: c.State}}, nil
	}
	vars := map[string]string{}
	for name, value := range c.Variables {
		vars[name] = value.Reveal()
	}
	file, entries := openAccounts(c.AccountsFile, vars)
	var accounts []Account
	for _, entry := range entries {
		account := Account{Name: event.Account(entry.Key.String()), Rules: c.Rules, State: c.State}
		for _, kv := range entry.Value.Pairs() {
			to := map[string]*string{"rules": &account.Rules, "state": &account.State}[kv.Key.String()]
			if to == nil {
				continue
			}
			value, bad := file.value(kv.Value)
			if bad == "" && to == &account.Rules && !isPlace(value) {
				bad = quote(value) + " is not a file or folder"
			}
			if bad != "" {
				file.refuse(kv.Key.Line(), entry.Key.String()+": "+kv.Key.String()+": "+bad)
			}
			if *to = strings.TrimSpace(value); *to == "" { // as if no variable said so either
				*to = map[*string]string{&account.Rules: presetRules, &account.State: stateOn}[to]
			}
		}
		accounts = append(accounts, account)
	}
	return accounts, file.problems
}
