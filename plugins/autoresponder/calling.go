package autoresponder

import (
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// calling is how people are called about the accounts of one folder of rule files.
type calling struct {
	rules.Calling
	known    bool            // the rules of the folder were in force once
	accounts []event.Account // that act by its rules
	others   []event.Account // that act by those of other folders
	client   *notify.Client
}

// leadAccount is the account under which notices about the whole folder stand; "" where there is no other folder.
func (c *calling) leadAccount() event.Account {
	if len(c.others) == 0 {
		return ""
	}
	return c.accounts[0]
}

// isAbout reports whether people of the folder are called about an account; "" is the whole bot. About one that is not there any
// more all are.
func (c *calling) isAbout(account event.Account) bool {
	return !slices.Contains(c.others, account) //mutate:called-account
}

// hasTeam reports whether the settings of the folder have a team of that name.
func (c *calling) hasTeam(name string) bool {
	return slices.ContainsFunc(c.Teams, func(t rules.CalledTeam) bool { return t.Name == name })
}

// callings are those of all folders.
type callings []*calling

// onlyKnown returns those that are known.
func (cs callings) onlyKnown() callings {
	return slices.DeleteFunc(slices.Clone(cs), func(c *calling) bool { return !c.known })
}

// isUnknown reports whether it is not known yet who is called about an account.
func (cs callings) isUnknown(account event.Account) bool {
	return slices.ContainsFunc(cs, func(c *calling) bool { return !c.known && c.isAbout(account) })
}
