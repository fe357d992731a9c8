package view

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// maxRetry is how many quarantined events --all takes at a time.
const maxRetry = 10_000

// RetryEvents asks for another try of events and timers; of all that are quarantined when ids is empty.
func (v *View) RetryEvents(ctx context.Context, ids []string, wait time.Duration) error {
	var all []occasion
	var err error
	if len(ids) > 0 {
		all, err = v.quarantined(ctx, ids)
	} else {
		l := EventList{Quarantined: true, Limit: maxRetry}
		all, err = l.readOccasions(ctx, v)
	}
	if err != nil {
		return err
	}
	if len(all) == 0 && v.JSON {
		return nil
	}
	if len(all) == 0 {
		return print.SayLine(v.Out, "nothing is quarantined: there is nothing to retry")
	}
	var decisions []Decision
	places := map[event.Key]int{}
	// In their old order, and one request for each conversation: the bot tries them one after another, as they came.
	oldestFirst(all)
	for i := range all {
		o := &all[i]
		place, ok := places[o.key()]
		if !ok {
			place = len(decisions)
			places[o.key()] = place
			decisions = append(decisions, Decision{event.Request{Key: o.key(), Wish: event.WishRetry}, o.personName()})
		}
		if q := &decisions[place]; o.event != nil {
			q.Events = append(q.Events, o.event.ID)
		} else {
			q.Timers = append(q.Timers, o.id())
		}
	}
	return v.AskDecisions(ctx, wait, decisions)
}

// listQuarantined ends what is said about something that cannot be retried.
const listQuarantined = "nectar events --quarantined lists what is quarantined"

// quarantined returns events and timers that have to be quarantined.
func (v *View) quarantined(ctx context.Context, ids []string) ([]occasion, error) {
	found := make([]occasion, len(ids))
	for i, id := range ids {
		var err error
		if timer, not := event.ParseTimer(id); not == nil {
			found[i], err = v.quarantinedTimer(ctx, timer)
		} else if e, not := event.ParseID(id); not == nil {
			found[i], err = v.quarantinedEvent(ctx, e)
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// quarantinedEvent returns an event that has to be quarantined.
func (v *View) quarantinedEvent(ctx context.Context, id event.ID) (o occasion, err error) {
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasEvent, Event: id})
	if err != nil {
		return o, err
	}
	var of []record.EventRow
	state := ""
	for _, account := range those {
		e, ok, err := v.Event(ctx, account, id)
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
