package view

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
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
		s, err := inspect.StandingOf(ctx, known, account)
		if err != nil {
			return err
		}
		if s.State != inspect.Working {
			if _, err := fmt.Fprintf(d.Out, "\nnothing of the account %s leaves: %s\n", account, Stands(account, s, time.Now())); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenFor is how long it is told that another bot was seen.
const seenFor = 7 * 24 * time.Hour

// Stands says why an account stands as it does; "" where there is nothing to say.
func Stands(account event.Account, s inspect.Standing, now time.Time) string {
	if why := OtherBot(account, s, now); why != "" && s.State != inspect.Paused {
		return why
	}
	return PausedNow(account, s.Pauses)
}

// OtherBot says that another bot was seen on an account; "" for none.
func OtherBot(account event.Account, s inspect.Standing, now time.Time) string {
	switch {
	case s.State == inspect.Stopped:
		return fmt.Sprintf("another bot answers on it: end one of the two; if this one is to stay: nectar accounts resume %s", account)
	case now.Sub(s.Rivalry.Seen) < seenFor:
		return fmt.Sprintf("another bot answered on it, last seen %s: if it still runs, end it", print.When(s.Rivalry.Seen))
	}
	return ""
}
