package view

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// A rule that fires too often stops itself (if_too_many). It is let go on by its name alone: a person who resumes everything has not looked at why it did.

// StoppedRules returns, for each account that has some, its rules that have stopped themselves: the key of an entry is the rule, its text why.
func StoppedRules(ctx context.Context, r inspect.Reader, accounts []event.Account) (map[event.Account][]event.Entry, error) {
	those, err := r.Among(ctx, accounts, record.Having{Thing: record.HasEntriesOn, List: PausedRules})
	if err != nil {
		return nil, err
	}
	stopped := map[event.Account][]event.Entry{}
	for _, account := range those {
		if stopped[account], err = r.Entries(ctx, account, PausedRules, "", entriesAtOnce); err != nil {
			return nil, err
		}
	}
	return stopped, nil
}

// StoppedNow says which rules have stopped themselves, and what to do; "" for none.
func StoppedNow(rules []event.Entry) string {
	if len(rules) == 0 {
		return ""
	}
	said := make([]string, len(rules))
	for i, e := range rules {
		said[i] = fmt.Sprintf("%s (%s)", print.PlainText(e.Key, 40), print.TimeText(e.At))
	}
	return fmt.Sprintf("stopped by itself, since it fired too often: %s; nectar resume %s lets it go on", strings.Join(said, ", "), print.PlainText(rules[0].Key, 40))
}

// tellStays tells what goes on by nothing that was resumed: rules that have stopped themselves, and accounts that stand still for another reason.
func (v *View) tellStays(ctx context.Context, stopped map[event.Account][]event.Entry) error {
	if v.JSON {
		return nil
	}
	known, err := v.KnowledgeOfMeant(ctx)
	if err != nil {
		return err
	}
	for _, account := range v.Meant {
		s, err := inspect.StandingOf(ctx, known, account)
		if err != nil {
			return err
		}
		lines := []string{StoppedNow(stopped[account])}
		if s.State == inspect.Stopped {
			lines = append(lines, OtherBot(account, s, s.Since))
		}
		for _, line := range lines {
			if line == "" {
				continue
			}
			if _, err := fmt.Fprintf(v.Out, "still%s %s\n", onAccount(v, account), line); err != nil {
				return err
			}
		}
	}
	return nil
}

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
