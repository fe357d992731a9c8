package bottest

import (
	"slices"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// AddAccount takes an account up while the bot runs, as bot.Bot.Add does, and in each later incarnation. One that has not been there
// before is new on the platform.
func (w *World) AddAccount(name event.Account) *Account {
	w.t.Helper()
	if w.incarnation == nil {
		w.fail("the bot is stopped: name the account in Config.Accounts")
	}
	i := slices.IndexFunc(w.gone, func(a *Account) bool { return a.name == name })
	var a *Account
	if i < 0 {
		a = w.newAccount(name)
	} else {
		a = w.gone[i]
	}
	if err := w.incarnation.bot.Add(w.incarnation.accountConfig(a)); err != nil {
		w.fail("%v", err)
	}
	if i >= 0 {
		w.gone = slices.Delete(w.gone, i, i+1)
	}
	w.accounts = append(w.accounts, a)
	return a
}

// RemoveAccount gives an account up while the bot runs, as bot.Bot.Remove does.
func (w *World) RemoveAccount(name event.Account) {
	w.t.Helper()
	a := w.Account(name)
	if w.incarnation != nil {
		if err := w.incarnation.bot.Remove(name); err != nil {
			w.fail("%v", err)
		}
	}
	w.accounts = slices.DeleteFunc(w.accounts, func(x *Account) bool { return x == a })
	w.gone = append(w.gone, a)
}

// accountConfig returns the configuration of an account.
func (in *incarnation) accountConfig(a *Account) bot.Account {
	return bot.Account{Name: a.name, BaseURL: in.pipe.BaseURL(), Credentials: a.signInCredentials()}
}
