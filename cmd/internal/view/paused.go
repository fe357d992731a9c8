package view

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// tellStopped says which accounts have stopped, or are paused: what they are to do waits.
func (d *View) tellStopped(ctx context.Context) error {
	known, err := d.KnowledgeOfMeant(ctx)
	if err != nil {
		return err
	}
	for _, account := range d.Meant {
		if len(known[account]) == 0 {
			continue
		}
		r, err := bot.RivalryOf(ctx, known, account)
		if err != nil {
			return err
		}
		p, err := bot.PausesOf(ctx, known, account)
		if err != nil {
			return err
		}
		if state, why := Standing(account, r, p, time.Now()); state != working {
			if _, err := fmt.Fprintf(d.Out, "\nnothing of the account %s leaves: %s\n", account, why); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenFor is how long it is told that another bot was seen.
const seenFor = 7 * 24 * time.Hour

// The states of an account.
const (
	working = "working"
	Stopped = "stopped"
	Paused  = "paused"
)

// Standing says how an account stands, and why; "" where there is nothing to say.
func Standing(account event.Account, r bot.Rivalry, p bot.Pauses, now time.Time) (state, why string) {
	switch {
	case !r.Stopped.IsZero():
		return Stopped, fmt.Sprintf("another bot answers on it: end one of the two; if this one is to stay: nectar accounts resume %s", account)
	case p.Account != nil:
		return Paused, PausedNow(account, p)
	case now.Sub(r.Seen) < seenFor:
		return working, fmt.Sprintf("another bot answered on it, last seen %s: if it still runs, end it", print.When(r.Seen))
	}
	return working, PausedNow(account, p)
}
