package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// staleAfter is how long after its last good poll a running bot is looked at with doubt.
const staleAfter = 10 * time.Minute

// lastPolls returns when the accounts were polled last; nil when that cannot be read.
func (d *Doctor) lastPolls(ctx context.Context, cfg config.Config) map[event.Account]time.Time {
	r, err := inspect.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return nil // the check of the database says so
	}
	defer func() { _ = r.Close() }() // it was only read
	all, err := r.Polled(ctx, accountsOf(cfg))
	if err != nil {
		d.NoteFinding(Finding{Check: "last good poll", Status: Failed, Said: err.Error()})
	}
	return all
}

// tellPolled says when an account was polled last. running reports whether a bot runs now.
func (d *Doctor) tellPolled(polls map[event.Account]time.Time, account event.Account, running bool) {
	if polls == nil {
		return
	}
	last := polls[account]
	f := Finding{string(account), "last good poll", Good, fmt.Sprintf("%s ago, %s", ageText(time.Since(last)), print.TimeText(last))}
	ahead := time.Until(last) > clockTolerance //mutate:doctor-ahead
	if ahead {
		f.Status, f.Said = Odd, print.TimeText(last)+", which has not come yet: the clock was ahead by at least "+ageText(time.Until(last))+" then, and was set back since"
	}
	switch {
	case last.IsZero():
		f.Said = "never: the bot has not run with this account yet"
	case ahead && running:
		f.Said += "; it has not been polled since, although a bot runs: look into its log, and whether the clock of its machine is right"
	case !running:
		f.Status, f.Said = Odd, f.Said+"; no bot runs at the moment"
	case time.Since(last) > staleAfter:
		f.Status, f.Said = Odd, f.Said+", although a bot runs: look into its log"
	}
	d.NoteFinding(f)
}
