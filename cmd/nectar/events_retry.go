package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/spf13/cobra"
)

const retryHelp = `Retry lets quarantined events have their turn again, once what made them fail is
put right: in the order in which they happened, behind what the conversation is
doing now, however old they are, and with all tries before them. Handlers can see
that they are late. One that fails again is quarantined again.

Without a running bot it is done when one starts.`

// maxRetry is how many quarantined events --all takes at a time.
const maxRetry = 10_000

func newRetry(sh shell, f *deskFlags) *cobra.Command {
	var all bool
	var ids []event.ID
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "retry ID… | --all",
		Short:   "Let quarantined events be tried again",
		Long:    retryHelp,
		Example: "  nectar events retry message:501 message:507\n  nectar events retry --all --account shop",
		Args: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return badUsage(cmd, errors.New("name events like message:501, or all of them with --all"))
			}
			ids = make([]event.ID, len(args))
			for i, arg := range args {
				var err error
				if ids[i], err = event.ParseID(arg); err != nil {
					return badUsage(cmd, err)
				}
			}
			return nil
		},
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, _ []string) error { return d.retry(ctx, ids, wait) }),
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that is quarantined")
	waitFlag(cmd, &wait)
	return cmd
}

// retry asks for another try of events; of all that are quarantined when ids is empty.
func (d *desk) retry(ctx context.Context, ids []event.ID, wait time.Duration) error {
	var events []store.EventRow
	var err error
	if len(ids) > 0 {
		events, err = d.quarantined(ctx, ids)
	} else {
		l := eventList{quarantined: true, limit: maxRetry}
		events, err = l.read(ctx, d)
	}
	if err != nil {
		return err
	}
	if len(events) == 0 && d.json {
		return nil
	}
	if len(events) == 0 {
		_, err := fmt.Fprintln(d.out, "nothing is quarantined: there is nothing to retry")
		return err
	}
	var decisions []decision
	places := map[event.Key]int{}
	slices.Reverse(events) // those that have waited longest first
	for i := range events {
		e := &events[i]
		place, ok := places[e.Key()]
		if !ok {
			place = len(decisions)
			places[e.Key()] = place
			q := event.Request{Key: e.Key(), Wish: event.WishRetry}
			decisions = append(decisions, decision{q, who(e.User, int64(e.Peer))})
		}
		decisions[place].Events = append(decisions[place].Events, e.ID)
	}
	return d.decide(ctx, wait, decisions)
}

// quarantined returns events that have to be quarantined, the newest first.
func (d *desk) quarantined(ctx context.Context, ids []event.ID) ([]store.EventRow, error) {
	var found []store.EventRow
	for _, id := range ids {
		var of []store.EventRow
		state := ""
		for _, account := range d.accounts {
			e, ok, err := d.Event(ctx, account, id)
			if err != nil {
				return nil, err
			}
			if ok && e.State == store.EventQuarantined {
				of = append(of, e)
			} else if ok {
				state = e.State
			}
		}
		const list = "nectar events --quarantined lists what is quarantined"
		switch {
		case len(of) == 1:
			found = append(found, of[0])
		case len(of) > 1:
			return nil, fmt.Errorf("several accounts have an event %s: say which one, with --account %s", id, of[0].Account)
		case state != "":
			return nil, fmt.Errorf("%s is %s, not quarantined; %s", id, state, list)
		default:
			return nil, fmt.Errorf("there is no event %s; %s", id, list)
		}
	}
	slices.SortStableFunc(found, func(a, b store.EventRow) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), cmp.Compare(b.ID.Number, a.ID.Number))
	})
	return found, nil
}
