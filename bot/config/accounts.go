package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"go.yaml.in/yaml/v3"
)

// The accounts file has one key, "accounts". Below it stand the accounts by their names, and below
// each its settings, which are those of Account in lower case.

var (
	accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	variableRef = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	yamlLine    = regexp.MustCompile(`line (\d+)`)
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
	file := &accountsFile{path: path, vars: vars, presets: maps.Clone(variables.values)}
	for key := range variables.wrong {
		delete(file.presets, key) // reported once is enough
	}
	src, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, Problems{fmt.Sprintf("%sACCOUNTS: %s: cannot be read: %v", envPrefix, path, errors.Unwrap(err))}
	}
	var accounts []Account
	people := map[[2]string]event.Account{}
	for _, entry := range file.entries(src) {
		acc, ok := file.account(entry[0], entry[1])
		if !ok {
			continue
		}
		accounts = append(accounts, acc)
		who := [2]string{strings.ToLower(strings.TrimRight(acc.BaseURL, "/")), cmp.Or(strings.ToLower(acc.Email), acc.OAuthType+" "+acc.OAuthToken.Reveal())}
		if other, ok := people[who]; ok {
			file.refuse(entry[0].Line, fmt.Sprintf("%s: signs in as the same person as %s; remove one of them", acc.Name, other))
		}
		people[who] = acc.Name
	}
	return accounts, file.problems
}

// entries returns the accounts' names with what stands below them.
func (a *accountsFile) entries(src []byte) [][2]*yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		a.refuse(1, "is empty; accounts stand below the key accounts")
		return nil
	}
	if err != nil {
		// The parser's own errors may repeat the text, in which there may be a password.
		line := 1
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			_, _ = fmt.Sscan(m[1], &line)
		}
		a.refuse(line, "is not YAML from here on; values with special characters stand between single quotes")
		return nil
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		a.refuse(1, "has more than one document; write all accounts into the first one")
	}
	var entries [][2]*yaml.Node
	for _, top := range a.pairs(doc.Content[0], "accounts stand below the key accounts") {
		if top[0].Value != "accounts" {
			a.refuse(top[0].Line, quote(top[0].Value)+" is not known here; accounts stand below the key accounts")
			continue
		}
		entries = a.pairs(top[1], "an account is a name with settings below it")
	}
	if len(entries) == 0 && len(a.problems) == 0 {
		a.refuse(1, "names no account; accounts stand below the key accounts")
	}
	return entries
}

// pairs returns the keys and values of a mapping, and refuses keys that stand there twice.
func (a *accountsFile) pairs(n *yaml.Node, want string) [][2]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		a.refuse(n.Line, "has something else here than keys with values; "+want)
		return nil
	}
	var pairs [][2]*yaml.Node
	seen := map[string]bool{}
	for kv := range slices.Chunk(n.Content, 2) {
		if seen[kv[0].Value] {
			a.refuse(kv[0].Line, quote(kv[0].Value)+" stands there twice")
			continue
		}
		seen[kv[0].Value] = true
		pairs = append(pairs, [2]*yaml.Node{kv[0], kv[1]})
	}
	return pairs
}

// account reads one account.
func (a *accountsFile) account(name, body *yaml.Node) (Account, bool) {
	if !accountName.MatchString(name.Value) {
		a.refuse(name.Line, "an account's name has at most 32 lower-case letters, digits, - and _; "+quote(name.Value)+" has not")
		return Account{}, false
	}
	before := len(a.problems)
	lines := map[string]int{}
	f := &form{values: maps.Clone(a.presets), wrong: map[string]string{}, name: strings.ToLower}
	f.line = func(fd field, problem string) string {
		line, ok := lines[fd.key]
		if !ok {
			line = name.Line
		}
		return a.line(line, fmt.Sprintf("%s: %s: %s (example: %[2]s: %[4]s)", name.Value, f.name(fd.key), problem, fd.example))
	}
	known := map[string]bool{}
	for _, fd := range fieldsOf(Account{}) {
		known[f.name(fd.key)] = true
	}
	for _, kv := range a.pairs(body, "settings of an account stand below its name") {
		if !known[kv[0].Value] {
			a.refuse(kv[0].Line, fmt.Sprintf("%s: %s: there is no such setting%s", name.Value, quote(kv[0].Value),
				didYouMean(kv[0].Value, slices.Sorted(maps.Keys(known)))))
			continue
		}
		key := strings.ToUpper(kv[0].Value)
		lines[key] = kv[0].Line
		value, bad := a.value(kv[1])
		f.values[key] = value
		f.refuse(key, bad)
	}
	acc := Account{Name: event.Account(name.Value)}
	f.fill(&acc)
	acc.check(f)
	acc.checkSignIn(f)
	a.problems = append(a.problems, f.problems()...)
	return acc, len(a.problems) == before
}

// value returns the text of n with each ${NAME} replaced by the variable NAME, or its problem.
// "$${NAME}" stands for itself, without the first "$".
func (a *accountsFile) value(n *yaml.Node) (value, problem string) {
	if n.Kind != yaml.ScalarNode {
		return "", "is not a single value"
	}
	if n.Tag == "!!null" {
		return "", ""
	}
	value = variableRef.ReplaceAllStringFunc(n.Value, func(ref string) string {
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
