package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/text"
)

// The accounts file has one key, "accounts". Below it stand the accounts by their names, and below
// each its settings, which are those of Account in lower case.

var (
	accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	variableRef = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// accountsFile is an accounts file being read.
type accountsFile struct {
	path     string
	vars     map[string]string // what ${NAME} may name
	presets  map[string]string // what the variables say about all accounts, by key
	problems Problems
}

// readAccounts reads the accounts of the file at path, in the order of the file. What an account
// does not say, the form of the variables says.
func readAccounts(path string, vars map[string]string, variables *form) ([]Account, Problems) {
	file, entries := openAccounts(path, vars)
	file.presets = maps.Clone(variables.values)
	for key := range variables.wrong {
		delete(file.presets, key) // reported once is enough
	}
	var accounts []Account
	people := map[[2]string]event.Account{}
	for _, entry := range entries {
		acc, ok := file.account(entry.Key, entry.Value)
		if !ok {
			continue
		}
		accounts = append(accounts, acc)
		who := [2]string{strings.ToLower(strings.TrimRight(acc.BaseURL, "/")), cmp.Or(strings.ToLower(acc.Email), acc.OAuthType+" "+acc.OAuthToken.Reveal())}
		if other, ok := people[who]; ok {
			file.refuse(entry.Key.Line(), fmt.Sprintf("%s: signs in as the same person as %s; remove one of them", acc.Name, other))
		}
		people[who] = acc.Name
	}
	return accounts, file.problems
}

// openAccounts reads an accounts file, as far as the accounts' names with what stands below them. vars is what ${NAME} may
// name.
func openAccounts(path string, vars map[string]string) (*accountsFile, []text.Pair) {
	file := &accountsFile{path: path, vars: vars}
	src, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		file.problems = Problems{fmt.Sprintf("%sACCOUNTS: %s: cannot be read: %v", envPrefix, path, errors.Unwrap(err))}
		return file, nil
	}
	return file, file.entries(src)
}

// entries returns the accounts' names with what stands below them.
func (a *accountsFile) entries(src []byte) []text.Pair {
	file, wrong := text.ParseSecret(a.path, src)
	for _, p := range wrong {
		a.problems = append(a.problems, envPrefix+"ACCOUNTS: "+p.String())
	}
	if len(wrong) > 0 {
		return nil
	}
	var entries []text.Pair
	for _, top := range a.pairs(file.Root(), "accounts stand below the key accounts") {
		if top.Key.String() != "accounts" {
			a.refuse(top.Key.Line(), quote(top.Key.String())+" is not known here; accounts stand below the key accounts")
			continue
		}
		entries = a.pairs(top.Value, "an account is a name with settings below it")
	}
	if len(entries) == 0 && len(a.problems) == 0 {
		a.refuse(1, "names no account; accounts stand below the key accounts")
	}
	return entries
}

// pairs returns the keys and values of a mapping.
func (a *accountsFile) pairs(n text.Node, want string) []text.Pair {
	if n.Kind() != text.Mapping {
		a.refuse(n.Line(), "has something else here than keys with values; "+want)
	}
	return n.Pairs()
}

// account reads one account.
func (a *accountsFile) account(name, body text.Node) (Account, bool) {
	if !accountName.MatchString(name.String()) {
		a.refuse(name.Line(), "an account's name has at most 32 lower-case letters, digits, - and _; "+quote(name.String())+" has not")
		return Account{}, false
	}
	before := len(a.problems)
	lines := map[string]int{}
	f := &form{values: maps.Clone(a.presets), wrong: map[string]string{}, name: strings.ToLower}
	f.line = func(fd field, problem string) string {
		line, ok := lines[fd.key]
		if !ok {
			line = name.Line()
		}
		return a.line(line, fmt.Sprintf("%s: %s: %s (example: %[2]s: %[4]s)", name.String(), f.name(fd.key), problem, fd.example))
	}
	known := map[string]bool{}
	for _, fd := range fieldsOf(Account{}) {
		known[f.name(fd.key)] = true
	}
	for _, kv := range a.pairs(body, "settings of an account stand below its name") {
		if !known[kv.Key.String()] {
			a.refuse(kv.Key.Line(), fmt.Sprintf("%s: %s: there is no such setting%s", name.String(), quote(kv.Key.String()),
				didYouMean(kv.Key.String(), slices.Sorted(maps.Keys(known)))))
			continue
		}
		key := strings.ToUpper(kv.Key.String())
		lines[key] = kv.Key.Line()
		value, bad := a.value(kv.Value)
		f.values[key] = value
		f.refuse(key, bad)
	}
	acc := Account{Name: event.Account(name.String())}
	f.fill(&acc)
	acc.check(f)
	acc.checkSignIn(f)
	a.problems = append(a.problems, f.problems()...)
	return acc, len(a.problems) == before
}

// value returns the text of n with each ${NAME} replaced by the variable NAME, or its problem.
// "$${NAME}" stands for itself, without the first "$".
func (a *accountsFile) value(n text.Node) (value, problem string) {
	switch {
	case n.Shortened():
		return "", "is cut by a comment, since there is a # behind a space; put single quotes around the value, or a space behind the #"
	case n.Kind() == text.Missing, !n.Quoted() && slices.Contains([]string{"~", "null", "Null", "NULL"}, n.String()):
		return "", ""
	case n.Kind() != text.Scalar:
		return "", "is not a single value"
	}
	value = variableRef.ReplaceAllStringFunc(n.String(), func(ref string) string {
		if strings.HasPrefix(ref, "$$") {
			return ref[1:]
		}
		name := strings.Trim(ref, "${}")
		v, ok := a.vars[name]
		if !ok {
			problem = "names the variable " + name + ", which is not set"
		}
		return v
	})
	return value, problem
}

func (a *accountsFile) refuse(line int, problem string) {
	a.problems = append(a.problems, a.line(line, problem))
}

func (a *accountsFile) line(line int, problem string) string {
	return fmt.Sprintf("%sACCOUNTS: %s:%d: %s", envPrefix, a.path, line, problem)
}
