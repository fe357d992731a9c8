package words

import (
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// AnotherText says, in a line, whom the database knows an account as, who signs in instead, and what to write; "" when err is about
// something else.
func AnotherText(err error, cfg *config.Config) string {
	parked, is := errors.AsType[*session.ParkedError](err)
	if !is || parked.Other.ID == 0 {
		return ""
	}
	known, other := print.PlainText(named(parked.Known), 0), print.PlainText(named(parked.Other), 0)
	back, of := fmt.Sprintf("Put the e-mail address of %s back, or", known), other
	if parked.Known.Username != "" && known == other {
		back, of = "The platform is another one, or has begun anew:", fmt.Sprintf("%s (number %d)", other, parked.Other.ID)
	}
	instead := fmt.Sprintf("write another NECTAR_STORE for %s, or delete %s with all that the bot knows of %s", of, cfg.Store, known)
	switch {
	case len(cfg.Accounts) > 1 || cfg.AccountsInStore():
		instead = fmt.Sprintf("give %s an account name of its own", of)
	case cfg.Store.OnServer():
		instead = fmt.Sprintf("write another NECTAR_STORE for %s", of)
	}
	return fmt.Sprintf("account %s: in %s it is %s (number %d), and the settings sign in as %s (number %d); nothing is done as %s. %s %s",
		parked.Account, cfg.Store, known, parked.Known.ID, other, parked.Other.ID, of, back, instead)
}

// OthersText says that of each account that err is about, a line each; "" when it is about something else.
func OthersText(err error, cfg *config.Config) string {
	joined, is := err.(interface{ Unwrap() []error }) // it is the list itself that is looked at
	if !is {
		return AnotherText(err, cfg)
	}
	text := ""
	for _, err := range joined.Unwrap() {
		said := OthersText(err, cfg)
		if said != "" && text != "" {
			text += "\n"
		}
		text += said
	}
	return text
}

func named(p platform.Person) string {
	if p.Username == "" {
		return "somebody"
	}
	return "@" + p.Username
}
