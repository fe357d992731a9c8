package autoresponder

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// Config says where the rules are, and what they may reach. Zero fields take their defaults.
type Config struct {
	// Path is a folder of rule files, or one file, for all accounts that Folders does not name. Required when there are such
	// accounts.
	Path string
	// Folders are those of accounts that act by rules of their own. None unless set.
	Folders map[event.Account]string
	// Accounts are all accounts of the bot; Module knows them. Without it all act by the rules of Path.
	Accounts []event.Account
	// InForce is told when rules come into force for an account, also at the start, before the bot has its first turn; for ""
	// when they are for all accounts, and Accounts does not say which there are. It returns soon. Nobody is told unless set.
	InForce func(account event.Account, v *rules.Version)
	// WebhookHosts are the hosts that notices may be sent to: "hooks.example.org" at the port that its service has,
	// "chat.example.org:8443" at another. No rule file reaches any other. None unless set.
	WebhookHosts []string
	// Lookup returns variables of the environment, for what is secret of the addresses of teams. Defaults to that of the
	// process.
	Lookup func(name string) (string, bool)
	// Look is how often the files are looked at, and whether there are notices to deliver. Defaults to 1 s.
	Look time.Duration
	// Log takes a line for every change of what is in force, for every problem, and for every notice.
	// Defaults to nothing.
	Log *slog.Logger
	// Transport carries notices over HTTP. Defaults to one of its own.
	Transport http.RoundTripper
	// MailTLS is for mail servers. Defaults to that of the machine.
	MailTLS *tls.Config
}

func (c Config) withDefaults() Config {
	if c.Look <= 0 {
		c.Look = time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Lookup == nil {
		c.Lookup = os.LookupEnv
	}
	return c
}

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

// isOf reports whether just those accounts act by the rules, in any order.
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
