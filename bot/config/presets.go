package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// signInKeys are the settings that sign one account in.
var signInKeys = []string{"EMAIL", "PASSWORD", "OAUTH_TYPE", "OAUTH_TOKEN"}

// presetsOf returns what a form says about accounts, but for what is wrong in it: reported once is enough.
func presetsOf(f *form) map[string]string {
	all := map[string]string{}
	for _, fd := range fieldsOf(Account{}) {
		if value := f.values[fd.key]; value != "" && f.wrong[fd.key] == "" && !slices.Contains(signInKeys, fd.key) {
			all[strings.ToLower(fd.key)] = value
		}
	}
	return all
}

// formOf returns the form of an account with these presets, without what it says itself.
func formOf(presets map[string]string) *form {
	f := &form{values: map[string]string{}, wrong: map[string]string{}, name: strings.ToLower}
	for name, value := range presets {
		f.values[strings.ToUpper(name)] = value
	}
	return f
}

// settingNames returns the names of all that an account says, in the accounts file and elsewhere.
func settingNames() (names []string) {
	for _, fd := range fieldsOf(Account{}) {
		names = append(names, strings.ToLower(fd.key))
	}
	return names
}

// nameProblem says why text cannot be the name of an account; "" when it can.
func nameProblem(text string) string {
	if accountName.MatchString(text) {
		return ""
	}
	return "an account's name has at most 32 lower-case letters, digits, - and _; " + quote(text) + " has not"
}

// storedStates are the states of an account in the database.
var storedStates = []string{StateOn, StatePaused, StateParked}

// Entry is an account with what it says itself. What it does not say, it takes from the presets.
type Entry struct {
	Account
	says map[string]platform.Secret // by the names of settings
}

// read reads and checks what the account says, with the presets of the form, whether or not it is complete.
func (e *Entry) read(f *form) {
	for name, value := range e.says {
		f.values[strings.ToUpper(name)] = value.Reveal()
	}
	e.Account = Account{Name: e.Name}
	f.fillFields(&e.Account)
	e.check(f)
}

// signInPerson returns where an account signs in, and as whom; "" for nobody.
func (a *Account) signInPerson() platform.Secret {
	if a.Email == "" && a.OAuthToken == "" {
		return ""
	}
	who := platform.Secret(strings.ToLower(a.Email))
	if who == "" {
		who = platform.Secret(a.OAuthType) + " " + a.OAuthToken
	}
	return platform.Secret(strings.ToLower(strings.TrimRight(a.BaseURL, "/"))) + "\x00" + who
}

// Says returns the names of what an account says itself.
func (e *Entry) Says() []string { return slices.Sorted(maps.Keys(e.says)) }

// Named returns the account of a name that says something: settings by their names. What is empty is as if it did not say it; with the
// state "" it has that of the presets. One that is not on may lack what it signs in with. The error is of type Problems; a problem of
// a setting begins with its name as call has it.
func (c Config) Named(name string, says map[string]platform.Secret, state string, call func(setting string) string) (Entry, error) {
	if problem := nameProblem(name); problem != "" {
		return Entry{}, Problems{problem}
	}
	e := Entry{Account: Account{Name: event.Account(name)}, says: maps.Clone(says)}
	maps.DeleteFunc(e.says, func(setting string, value platform.Secret) bool {
		return value == "" || setting == "state" && state != ""
	})
	f := formOf(c.Presets)
	f.line = func(fd field, problem string) string { return call(strings.ToLower(fd.key)) + ": " + problem }
	e.read(f)
	if state != "" {
		if e.State = state; !slices.Contains(storedStates, state) {
			f.refuseKey("STATE", quote(state)+" is not on, paused or parked")
		}
	}
	if e.State == StateOn {
		e.checkSignIn(f)
	}
	if wrong := f.problems(); len(wrong) > 0 {
		return e, wrong
	}
	return e, nil
}

// But returns what the account says itself, with changes.
func (e *Entry) But(changes map[string]platform.Secret) map[string]platform.Secret {
	says := maps.Clone(e.says)
	if says == nil {
		says = map[string]platform.Secret{}
	}
	maps.Copy(says, changes)
	return says
}
