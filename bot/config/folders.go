package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// RuleFolder is a folder of rule files, or one file, with the accounts that act by it.
type RuleFolder struct {
	Path     string // "store:shop" for a set that is published as shop: see record.SetOf
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
	var wrong Problems
	if len(accounts) == 0 && c.AccountsInStore() {
		all = append(all, RuleFolder{Path: c.Rules})
	}
	for i := range accounts {
		a := &accounts[i]
		if _, set := record.SetOf(a.Rules); set && !c.Store.OnServer() {
			wrong = append(wrong, c.whose(a)+quote(a.Rules)+" is published in a database of PostgreSQL, and "+envPrefix+"STORE names a file: name a folder")
			continue
		}
		at := slices.IndexFunc(all, func(f RuleFolder) bool { return filepath.Clean(f.Path) == filepath.Clean(a.Rules) })
		if at < 0 {
			at, all = len(all), append(all, RuleFolder{Path: a.Rules})
		}
		all[at].Accounts = append(all[at].Accounts, a.Name)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return all, nil
}

// whose begins a line about the rules of an account.
func (c Config) whose(a *Account) string {
	if c.AccountsFile == "" {
		return envPrefix + "RULES: "
	}
	return fmt.Sprintf("%sACCOUNTS: %s: %s: rules: ", envPrefix, c.AccountsFile, a.Name)
}

// setProblem says why text cannot name a published set; "" when it can, or names a folder.
func setProblem(text string) string {
	if name, set := record.SetOf(text); set && !record.IsSetName(name) {
		return "names no published set: a name has at most 32 lower-case letters, digits, - and _, as in store:shop"
	}
	return ""
}

// accountsWithRules returns the accounts, of which nothing is known but where their rules are, and whether they are paused.
func (c Config) accountsWithRules() ([]Account, Problems) {
	if c.AccountsInStore() { // code that knows that database knows more
		return nil, nil
	}
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
			if bad == "" && to == &account.Rules {
				bad = setProblem(value)
			}
			if bad != "" {
				file.refuseLine(kv.Key.At().Line, entry.Key.String()+": "+kv.Key.String()+": "+bad)
			}
			if *to = strings.TrimSpace(value); *to == "" { // as if no variable said so either
				*to = map[*string]string{&account.Rules: presetRules, &account.State: StateOn}[to]
			}
		}
		accounts = append(accounts, account)
	}
	return accounts, file.problems
}
