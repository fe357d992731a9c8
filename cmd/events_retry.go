package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/spf13/cobra"
)

const retryHelp = `Retry lets quarantined events and timers have their turn again, once what made
them fail is put right: in the order in which they happened, behind what the
conversation is doing now, however old they are, and with all tries before them.
Handlers can see that they are late. What fails again is quarantined again.

Without a running bot it is done when one starts.`

// maxRetry is how many quarantined events --all takes at a time.
const maxRetry = 10_000

func newRetry(sh shell, f *deskFlags) *cobra.Command {
	var all bool
	var ids []string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "retry ID… | --all",
		Short:   "Let quarantined events and timers be tried again",
		Long:    retryHelp,
		Example: "  nectar events retry message:501 message:507\n  nectar events retry --all --account shop",
		Args: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return badUsage(cmd, errors.New("name events like message:501, or all of them with --all"))
			}
			ids = args
			for _, id := range args {
				_, err := event.ParseID(id)
				if strings.HasPrefix(id, "timer:") {
					_, err = event.ParseTimer(id)
				}
				if err != nil {
					return badUsage(cmd, err)
				}
			}
			return nil
		},
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, _ []string) error { return d.retry(ctx, ids, wait) }),
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that is quarantined")
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// retry asks for another try of events and timers; of all that are quarantined when ids is empty.
func (d *desk) retry(ctx context.Context, ids []string, wait time.Duration) error {
	var all []occasion
	var err error
	if len(ids) > 0 {
		all, err = d.quarantined(ctx, ids)
	} else {
		l := eventList{quarantined: true, limit: maxRetry}
		all, err = l.occasions(ctx, d)
	}
	if err != nil {
		return err
	}
	if len(all) == 0 && d.json {
		return nil
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(d.out, "nothing is quarantined: there is nothing to retry")
		return err
	}
	var decisions []decision
	places := map[event.Key]int{}
	oldestFirst(all)
	for i := range all {
		o := &all[i]
		place, ok := places[o.key()]
		if !ok {
			place = len(decisions)
			places[o.key()] = place
			decisions = append(decisions, decision{event.Request{Key: o.key(), Wish: event.WishRetry}, o.who()})
		}
		if q := &decisions[place]; o.event != nil {
			q.Events = append(q.Events, o.event.ID)
		} else {
			q.Timers = append(q.Timers, o.id())
		}
	}
	return d.decide(ctx, wait, decisions)
}

// listQuarantined ends what is said about something that cannot be retried.
const listQuarantined = "nectar events --quarantined lists what is quarantined"

// quarantined returns events and timers that have to be quarantined.
func (d *desk) quarantined(ctx context.Context, ids []string) ([]occasion, error) {
	found := make([]occasion, len(ids))
	for i, id := range ids {
		var err error
		if timer, not := event.ParseTimer(id); not == nil {
			found[i], err = d.quarantinedTimer(ctx, timer)
		} else if e, not := event.ParseID(id); not == nil {
			found[i], err = d.quarantinedEvent(ctx, e)
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// quarantinedEvent returns an event that has to be quarantined.
func (d *desk) quarantinedEvent(ctx context.Context, id event.ID) (o occasion, err error) {
	those, err := d.among(ctx, record.Having{Thing: record.HasEvent, Event: id})
	if err != nil {
		return o, err
	}
	var of []record.EventRow
	state := ""
	for _, account := range those {
		e, ok, err := d.Event(ctx, account, id)
		if err != nil {
			return o, err
		}
		if ok && e.State == record.EventQuarantined {
			of = append(of, e)
		} else if ok {
			state = e.State
		}
	}
	switch {
	case len(of) == 1:
		return occasion{event: &of[0]}, nil
	case len(of) > 1:
		return o, fmt.Errorf("several accounts have an event %s: say which one, with --account %s", id, of[0].Account)
	case state != "":
		return o, fmt.Errorf("%s is %s, not quarantined; %s", id, state, listQuarantined)
	}
	return o, fmt.Errorf("there is no event %s; %s", id, listQuarantined)
}
