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
func (v *View) tellStopped(ctx context.Context) error {
	known, err := v.KnowledgeOfMeant(ctx)
	if err != nil {
		return err
	}
	for _, account := range v.Meant {
		if len(known[account]) == 0 {
			continue
		}
		s, err := inspect.StandingOf(ctx, known, account)
		if err != nil {
			return err
		}
		if s.State != inspect.Working {
			if _, err := fmt.Fprintf(v.Out, "\nnothing of the account %s leaves: %s\n", account, StandsText(account, s, time.Now())); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenFor is how long it is told that another bot was seen.
const seenFor = 7 * 24 * time.Hour

// StandsText says why an account stands as it does; "" where there is nothing to say.
func StandsText(account event.Account, s inspect.Standing, now time.Time) string {
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
		return fmt.Sprintf("another bot answered on it, last seen %s: if it still runs, end it", print.TimeText(s.Rivalry.Seen))
	}
	return ""
}
