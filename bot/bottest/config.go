package bottest

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// Config is the bot under test and the world around it. Zero fields take their defaults.
type Config struct {
	// Routes, Flows, Middleware and Fallback are what the bot does; see bot.RouterConfig.
	Routes     []bot.Route
	Flows      []bot.Machine
	Middleware []bot.Middleware
	Fallback   bot.Handler

	// Plugins makes what lives and dies with each incarnation of the bot, of the incarnation's store and log.
	Plugins func(st bot.Store, log *slog.Logger) ([]Plugin, error)

	// Bot changes how the bot runs: pace, timeouts, backlog. Its Accounts, Store, Router, Transport
	// and Log are the test's own. Defaults to the bot's defaults.
	Bot bot.Config

	// Accounts are the local names of the bot's accounts, which are also their user names. The first
	// is the one that people deal with unless told otherwise. Defaults to one named "bot".
	Accounts []event.Account

	// Credentials are what the bot signs in with, at each start; see emulator.Platform.SetOAuth for
	// social ones. Defaults to the e-mail address and the password that the platform knows.
	Credentials func(account event.Account) session.Credentials

	// Platform is the platform: its dialect, its faults, its seed.
	Platform emulator.Config

	// Before runs before the bot starts for the first time: what people do there is its backlog.
	Before func(w *World)

	// Key seals what people say in the bot's database, as NECTAR_SECRET_KEY does. Defaults to none.
	Key platform.Secret

	// Start is when the test begins. Defaults to Monday, 3 March 2025, 09:00 UTC.
	Start time.Time

	// Patience is how long people wait for what they expect, by the clock of the test. Defaults to 10
	// minutes: as long as the bot may take to find out what became of a request.
	Patience time.Duration

	// Latency is how long a request and its answer are under way, each. Below 0 there is none.
	// Defaults to 20 ms, so that a crash can come between them.
	Latency time.Duration

	// CommitTime is how long a commit of the store takes. Below 0 it takes no time. Defaults to 2 ms.
	CommitTime time.Duration

	// Transport stands between the bot and the platform: it may delay, change or fail requests and
	// answers, as a network does. Defaults to nothing in between.
	Transport func(next http.RoundTripper) http.RoundTripper

	// Keep is how long the store keeps what is over; see bot.StoreOptions. Defaults to for ever.
	Keep time.Duration

	// Commit makes a commit of the store, or fails it as a disk does. Defaults to making it.
	Commit func(commit func() error) error
}

func (c Config) withDefaults() Config {
	if len(c.Accounts) == 0 {
		c.Accounts = []event.Account{"bot"}
	}
	if c.Start.IsZero() {
		c.Start = time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC)
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Patience, 10 * time.Minute}, {&c.Latency, 20 * time.Millisecond}, {&c.CommitTime, 2 * time.Millisecond},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.Transport == nil {
		c.Transport = func(next http.RoundTripper) http.RoundTripper { return next }
	}
	if c.Commit == nil {
		c.Commit = func(commit func() error) error { return commit() }
	}
	return c
}
