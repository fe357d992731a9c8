package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
)

// staleAfter is how long after its last good poll a running bot is looked at with doubt.
const staleAfter = 10 * time.Minute

// polled says when an account was polled last. running tells whether a bot runs now.
func (d *doctor) polled(ctx context.Context, cfg config.Config, account event.Account, running bool) {
	r, err := store.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return // the check of the database says so
	}
	defer func() { _ = r.Close() }() // it was only read
	var last time.Time
	for _, source := range []event.Source{event.Messages, event.Notifs, event.Mentions} {
		cursors, err := r.Cursors(ctx, account, source, []platform.UserID{0})
		if err != nil {
			d.note(finding{string(account), "last good poll", failed, err.Error()})
			return
		}
		for _, c := range cursors {
			if c.PolledAt.After(last) {
				last = c.PolledAt
			}
		}
	}
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
