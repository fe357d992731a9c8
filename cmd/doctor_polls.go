package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
)

// staleAfter is how long after its last good poll a running bot is looked at with doubt.
const staleAfter = 10 * time.Minute

// polls returns when the accounts were polled last; nil when that cannot be read.
func (d *doctor) polls(ctx context.Context, cfg config.Config) map[event.Account]time.Time {
	r, err := store.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return nil // the check of the database says so
	}
	defer func() { _ = r.Close() }() // it was only read
	all, err := r.Polled(ctx, accountsOf(cfg))
	if err != nil {
		d.note(finding{Check: "last good poll", Status: failed, Said: err.Error()})
	}
	return all
}

// polled says when an account was polled last. running tells whether a bot runs now.
func (d *doctor) polled(polls map[event.Account]time.Time, account event.Account, running bool) {
	if polls == nil {
		return
	}
	last := polls[account]
	f := finding{string(account), "last good poll", good, fmt.Sprintf("%s ago, %s", age(time.Since(last)), when(last))}
	switch {
	case last.IsZero():
		f.Said = "never: the bot has not run with this account yet"
	case !running:
		f.Status, f.Said = odd, f.Said+"; no bot runs at the moment"
	case time.Since(last) > staleAfter:
		f.Status, f.Said = odd, f.Said+", although a bot runs: look into its log"
	}
	d.note(f)
}
