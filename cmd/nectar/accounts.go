package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/spf13/cobra"
)

const accountsHelp = `Accounts lists the accounts that have been at work on the database, and whether they
still are. One that sees another bot answer on it, with a database of its own, stops by
itself: nothing of it leaves, and nothing is dropped, until you let it go on. Accounts
that say state: paused in the settings are listed, too. It works while the bot runs.`

const resumeHelp = `Resume lets an account go on that has stopped because of another bot. What it held
leaves then, but for what somebody else has answered meanwhile.

End the other bot first: for a day, this one goes on whatever it sees, so that people
may hear both. An account that has not stopped is kept from stopping in the same way.

Without a running bot it is done when one starts.`

func newAccounts(sh shell) *cobra.Command {
	var f deskFlags
	cmd := &cobra.Command{
		Use:     "accounts",
		Short:   "List accounts; let one go on that has stopped because of another bot",
		Long:    accountsHelp,
		Example: "  nectar accounts\n  nectar accounts resume main",
		GroupID: groupCare,
		Args:    usage(knownCommand),
		RunE:    sh.atDesk(&f, printAccounts),
	}
	f.add(cmd)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newResume(sh, &f))
	return cmd
}

func newResume(sh shell, f *deskFlags) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "resume NAME",
		Short:   "Let an account go on that has stopped because of another bot",
		Long:    resumeHelp,
		Example: "  nectar accounts resume main",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return badUsage(cmd, errors.New("name one account; nectar accounts lists them"))
			}
			return nil
		},
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, args []string) error {
			name := event.Account(args[0])
			if !slices.Contains(d.accounts, name) {
				return &exitError{exitUsage, fmt.Errorf("no account %q has been at work on this database; there %s", name, theseAre(d.accounts))}
			}
			q := event.Request{Key: event.Key{Account: name}, Wish: event.WishResume}
			return d.decide(ctx, wait, []decision{{q, args[0]}})
		}),
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// accountJSON is an account for machines.
type accountJSON struct {
	Account event.Account `json:"account"`
	State   string        `json:"state"` // working, stopped or paused
	Stopped time.Time     `json:"stopped,omitzero"`
	Seen    time.Time     `json:"other_bot_seen,omitzero"`
	Spared  time.Time     `json:"goes_on_until,omitzero"`
	Paused  *bot.Pauses   `json:"paused,omitempty"`
	Shelved bool          `json:"paused_in_settings,omitempty"` // it is not polled either
	Asked   *askedJSON    `json:"asked,omitempty"`
}

func printAccounts(ctx context.Context, d *desk, _ []string) error {
	open, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	known, err := d.knowledge(ctx)
	if err != nil {
		return err
	}
	t := &table{head: []string{"ACCOUNT", "STATE", "SINCE", "WHY"}}
	for _, account := range d.withShelved() {
		r, err := bot.RivalryOf(ctx, known, account)
		if err != nil {
			return err
		}
		asked := open.find(event.Key{Account: account}, func(q *event.Request) bool { return q.Wish == event.WishResume })
		p, err := bot.PausesOf(ctx, known, account)
		if err != nil {
			return err
		}
		state, why := standing(account, r, p, time.Now())
		shelved := slices.Contains(d.shelved, account)
		if shelved {
			state, why = paused, and("state: paused in the settings: it is not polled; with state: on, and SIGHUP or a start, it goes on", why)
		}
		if d.json {
			a := accountJSON{account, state, r.Stopped.UTC(), r.Seen.UTC(), r.Spared.UTC(), nil, shelved, asked.forMachines()}
			if !p.None() {
				a.Paused = &p
			}
			if err := printLine(d.out, a); err != nil {
				return err
			}
			continue
		}
		row := []string{plain(string(account), 0), state, "", and(why, asked.String())}
		switch {
		case !r.Stopped.IsZero():
			row[2] = when(r.Stopped)
		case p.Account != nil:
			row[2] = when(p.Account.Since)
		}
		t.add(row...)
	}
	if d.json {
		return nil
	}
	t.squeeze("SINCE", "WHY")
	return t.print(d.out, "no account has been at work on this database yet")
}

// withShelved returns the accounts of the database, and those that are paused in the settings and were never at work.
func (d *desk) withShelved() []event.Account {
	all := slices.Clone(d.accounts)
	for _, account := range d.shelved {
		if !slices.Contains(all, account) {
			all = append(all, account)
		}
	}
	return all
}

// tellStopped says which accounts have stopped, or are paused: what they are to do waits.
func (d *desk) tellStopped(ctx context.Context) error {
	known, err := d.knowledge(ctx)
	if err != nil {
		return err
	}
	for _, account := range d.accounts {
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
		if state, why := standing(account, r, p, time.Now()); state != working {
			if _, err := fmt.Fprintf(d.out, "\nnothing of the account %s leaves: %s\n", account, why); err != nil {
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
	stopped = "stopped"
	paused  = "paused"
)

// standing says how an account stands, and why; "" where there is nothing to say.
func standing(account event.Account, r bot.Rivalry, p bot.Pauses, now time.Time) (state, why string) {
	switch {
	case !r.Stopped.IsZero():
		return stopped, fmt.Sprintf("another bot answers on it: end one of the two; if this one is to stay: nectar accounts resume %s", account)
	case p.Account != nil:
		return paused, pausedNow(account, p)
	case now.Sub(r.Seen) < seenFor:
		return working, fmt.Sprintf("another bot answered on it, last seen %s: if it still runs, end it", when(r.Seen))
	}
	return working, pausedNow(account, p)
}
