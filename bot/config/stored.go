package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// inStore is what NECTAR_ACCOUNTS says where accounts stand in the database.
const inStore = "store"

// AccountsInStore reports whether the accounts stand in the database, which is one of PostgreSQL.
func (c Config) AccountsInStore() bool { return c.AccountsFile == inStore }

// ReadEntries reads the accounts of a file, in their order. The error is of type Problems.
func (c Config) ReadEntries(path string) ([]Entry, error) {
	vars := map[string]string{}
	for name, value := range c.Variables {
		vars[name] = value.Reveal()
	}
	entries, wrong := readAccounts(path, vars, c.Presets)
	if len(wrong) > 0 {
		for i := range wrong {
			wrong[i] = strings.TrimPrefix(wrong[i], envPrefix+"ACCOUNTS: ")
		}
		return nil, wrong
	}
	return entries, nil
}

// What is sealed of an account, and not known without the key.
var sealedSettings = []string{"email", "password", "oauth_token"}

// Row returns the account as it stands in the database. That says in full where it signs in: as whom it does must not depend on the
// settings of the process that reads it.
func (e *Entry) Row() record.StoredAccount {
	open, sealed := map[string]string{}, map[string]string{}
	says := maps.Clone(e.says)
	if says == nil {
		says = map[string]platform.Secret{}
	}
	says["base_url"] = platform.Secret(e.BaseURL)
	delete(says, "state")
	for name, value := range says {
		if slices.Contains(sealedSettings, name) {
			sealed[name] = value.Reveal()
		} else {
			open[name] = value.Reveal()
		}
	}
	return record.StoredAccount{
		Account: e.Name, Settings: inJSON(open), SignIn: platform.Secret(inJSON(sealed)), Person: e.signInPerson(), State: e.State,
	}
}

func inJSON(settings map[string]string) string {
	text, err := json.Marshal(settings)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

// Stored returns the account of a row of the database. What it does not say, it takes from the presets. One that is not on may lack
// what it signs in with. The error is of type Problems, or says why what is sealed does not open.
func (c Config) Stored(row record.StoredAccount) (Entry, error) {
	if row.Broken != nil {
		return Entry{Account: Account{Name: row.Account, State: row.State}}, row.Broken
	}
	e := Entry{Account: Account{Name: row.Account}, says: map[string]platform.Secret{}}
	for _, text := range []string{row.Settings, row.SignIn.Reveal()} {
		some := map[string]string{}
		if text != "" && json.Unmarshal([]byte(text), &some) != nil {
			return e, Problems{string(row.Account) + ": what it says in the database is no JSON"}
		}
		for name, value := range some {
			if name != "state" {
				e.says[name] = platform.Secret(value) // a later version may have more, which the form does not mind
			}
		}
	}
	f := formOf(c.Presets)
	f.line = func(fd field, problem string) string {
		name := strings.ToLower(fd.key)
		return fmt.Sprintf("%s: %s: %s (example: %[2]s: %[4]s)", row.Account, name, problem, fd.example)
	}
	delete(f.values, "STATE")
	e.read(f)
	if e.State = row.State; e.State == StateOn {
		e.checkSignIn(f)
	}
	if wrong := f.problems(); len(wrong) > 0 {
		return e, wrong
	}
	return e, nil
}

// Person returns as whom, and where, the account of a row signs in; see record.StoredAccount.
func (c Config) Person(row record.StoredAccount) platform.Secret {
	e, _ := c.Stored(row) // what is wrong with the rest of it is told where it is served
	return e.signInPerson()
}

// Differences returns in which settings two rows differ, by their names.
func Differences(a, b record.StoredAccount) (names []string) {
	mine, theirs := rowSettings(a), rowSettings(b)
	for _, name := range settingNames() {
		if mine[name] != theirs[name] {
			names = append(names, name)
		}
	}
	return names
}

// rowSettings returns what a row says, as far as that can be read.
func rowSettings(row record.StoredAccount) map[string]string {
	all := map[string]string{}
	for _, text := range []string{row.Settings, row.SignIn.Reveal()} {
		_ = json.Unmarshal([]byte(text), &all) // what is no JSON differs
	}
	return all
}

// WithStored returns the settings with the accounts of the database, as far as nothing is wrong with them. The error says what is.
func (c Config) WithStored(rows []record.StoredAccount) (Config, error) {
	c.Accounts = []Account{}
	var errs []error
	for i := range rows {
		if rows[i].State == record.AccountRemoved {
			continue
		}
		e, err := c.Stored(rows[i])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.Accounts = append(c.Accounts, e.Account)
	}
	return c, errors.Join(errs...)
}
