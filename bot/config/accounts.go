package config

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/platform"
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
	presets  map[string]string
	problems Problems
}

// readAccounts reads the accounts of the file at path, in the order of the file.
func readAccounts(path string, vars map[string]string, presets map[string]string) ([]Entry, Problems) {
	file, pairs := openAccounts(path, vars)
	file.presets = presets
	var entries []Entry
	people := map[platform.Secret]event.Account{}
	for _, pair := range pairs {
		e, ok := file.account(pair.Key, pair.Value)
		if !ok {
			continue
		}
		entries = append(entries, e)
		who := e.signInPerson()
		if other, ok := people[who]; ok {
			file.refuseLine(pair.Key.At().Line, fmt.Sprintf("%s: signs in as the same person as %s; remove one of them", e.Name, other))
		}
		people[who] = e.Name
	}
	return entries, file.problems
}

// openAccounts reads an accounts file, as far as the accounts' names with what stands below them. vars is what ${NAME} may
// name.
func openAccounts(path string, vars map[string]string) (*accountsFile, []textfile.Pair) {
	file := &accountsFile{path: path, vars: vars}
	src, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		file.problems = Problems{fmt.Sprintf("%sACCOUNTS: %s: cannot be read: %v", envPrefix, path, errors.Unwrap(err))}
		return file, nil
	}
	return file, file.entries(src)
}

// entries returns the accounts' names with what stands below them.
func (a *accountsFile) entries(src []byte) []textfile.Pair {
	file, wrong := textfile.ParseSecret(a.path, src)
	for _, p := range wrong {
		a.problems = append(a.problems, envPrefix+"ACCOUNTS: "+p.String())
	}
	if len(wrong) > 0 {
		return nil
	}
	var entries []textfile.Pair
	for _, top := range a.pairs(file, "accounts stand below the key accounts") {
		if top.Key.String() != "accounts" {
			a.refuseLine(top.Key.At().Line, quote(top.Key.String())+" is not known here; accounts stand below the key accounts")
			continue
		}
		entries = a.pairs(top.Value, "an account is a name with settings below it")
	}
	if len(entries) == 0 && len(a.problems) == 0 {
		a.refuseLine(1, "names no account; accounts stand below the key accounts")
	}
	return entries
}

// pairs returns the keys and values of a mapping.
func (a *accountsFile) pairs(n textfile.Node, want string) []textfile.Pair {
	if n.Kind() != textfile.Mapping {
		a.refuseLine(n.At().Line, "has something else here than keys with values; "+want)
	}
	return n.Pairs()
}

// account reads one account.
func (a *accountsFile) account(name, body textfile.Node) (Entry, bool) {
	if problem := nameProblem(name.String()); problem != "" {
		a.refuseLine(name.At().Line, problem)
		return Entry{}, false
	}
	before := len(a.problems)
	lines := map[string]int{}
	e := Entry{Account: Account{Name: event.Account(name.String())}, says: map[string]platform.Secret{}}
	f := formOf(a.presets)
	f.line = func(fd field, problem string) string {
		line, ok := lines[fd.key]
		if !ok {
			line = name.At().Line
		}
		return a.line(line, fmt.Sprintf("%s: %s: %s (example: %[2]s: %[4]s)", name.String(), f.name(fd.key), problem, fd.example))
	}
	for _, kv := range a.pairs(body, "settings of an account stand below its name") {
		if names := settingNames(); !slices.Contains(names, kv.Key.String()) {
			a.refuseLine(kv.Key.At().Line, fmt.Sprintf("%s: %s: there is no such setting%s", name.String(), quote(kv.Key.String()),
				didYouMean(kv.Key.String(), slices.Sorted(slices.Values(names)))))
			continue
		}
		key := strings.ToUpper(kv.Key.String())
		lines[key] = kv.Key.At().Line
		value, bad := a.value(kv.Value)
		e.says[kv.Key.String()] = platform.Secret(value)
		f.refuseKey(key, bad)
	}
	e.read(f)
	e.checkSignIn(f)
	a.problems = append(a.problems, f.problems()...)
	return e, len(a.problems) == before
}

// value returns the text of n with each ${NAME} replaced by the variable NAME, or its problem.
// "$${NAME}" stands for itself, without the first "$".
func (a *accountsFile) value(n textfile.Node) (value, problem string) {
	switch {
	case n.Shortened():
		return "", "is cut by a comment, since there is a # behind a space; put single quotes around the value, or a space behind the #"
	case n.Kind() == textfile.Missing, !n.Quoted() && slices.Contains([]string{"~", "null", "Null", "NULL"}, n.String()):
		return "", ""
	case n.Kind() != textfile.Scalar:
		return "", "is not a single value"
	}
	value = variableRef.ReplaceAllStringFunc(n.String(), func(ref string) string {
		if strings.HasPrefix(ref, "$$") {
			return ref[1:]
		}
		name := strings.Trim(ref, "${}")
		v, ok := lookUp(name, func(name string) (string, bool) {
			v, ok := a.vars[name]
			return v, ok
		})
		if !ok {
			problem = "names the variable " + name + ", which is not set"
		}
		return v
	})
	return value, problem
}

func (a *accountsFile) refuseLine(line int, problem string) {
	a.problems = append(a.problems, a.line(line, problem))
}

func (a *accountsFile) line(line int, problem string) string {
	return fmt.Sprintf("%sACCOUNTS: %s:%d: %s", envPrefix, a.path, line, problem)
}
