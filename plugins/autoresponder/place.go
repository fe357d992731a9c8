package autoresponder

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// place is a folder of rule files, one file, or what is published, with the accounts that act by it.
type place struct {
	path     string          // record.PlaceOf a set that is published
	accounts []event.Account // none: all
}

// set returns the name of what is published there; false for files.
func (p *place) set() (string, bool) { return record.SetOf(p.path) }

// namedAccounts returns the accounts as the store knows them.
func (p *place) namedAccounts() []event.Account {
	if len(p.accounts) == 0 {
		return []event.Account{""}
	}
	return p.accounts
}

// isOf reports whether those accounts act by the rules, in whichever order.
func (p *place) isOf(accounts []event.Account) bool {
	return slices.Equal(slices.Sorted(slices.Values(p.accounts)), slices.Sorted(slices.Values(accounts)))
}

// readPlaces returns the folders, each once, in the order of their accounts. The error says which field is wrong.
func (c *Config) readPlaces() ([]place, error) {
	const missing = "autoresponder.Config.Path: it must name the folder of the rule files"
	switch {
	case len(c.Folders) > 0 && len(c.Accounts) == 0:
		return nil, errors.New("autoresponder.Config.Accounts: it must name all accounts, since some have a folder of their own")
	case len(c.Accounts) == 0 && c.Path == "":
		return nil, errors.New(missing)
	case len(c.Accounts) == 0:
		return []place{{path: c.Path}}, nil
	}
	known := setOf(c.Accounts)
	for account := range c.Folders {
		if !known[account] {
			return nil, fmt.Errorf("autoresponder.Config.Folders: there is no account %q", account)
		}
	}
	var all []place
	for _, account := range c.Accounts {
		path := c.Path
		if own := c.Folders[account]; own != "" {
			path = own
		}
		if path == "" {
			return nil, fmt.Errorf("%s, or Folders one for %q", missing, account)
		}
		at := slices.IndexFunc(all, func(p place) bool { return filepath.Clean(p.path) == filepath.Clean(path) })
		if at < 0 {
			at, all = len(all), append(all, place{path: path})
		}
		all[at].accounts = append(all[at].accounts, account)
	}
	return all, nil
}
