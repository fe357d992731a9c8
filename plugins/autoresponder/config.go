package autoresponder

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// Config says where the rules are, and what they may reach. Zero fields take their defaults.
type Config struct {
	// Path is a folder of rule files, or one file: that of all accounts that Folders does not name. Required when there are
	// any.
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
