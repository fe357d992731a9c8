package inspect

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// What of an account is looked at for who waits.
const (
	mostWaiting = 10_000 // of what is held, of what people have, and of what is quarantined
	lastSaid    = 20     // of the events of a conversation
)

// Waiting is somebody who waits for a person of ours: for what is done with an action that is held, for an answer in a conversation that a person
// has, or for another try of an event that is quarantined.
type Waiting struct {
	Key          event.Key
	Since        time.Time
	Action       *event.Action           // that is held; see HoldOf
	Conversation *record.ConversationRow // whose owner has not written since
	Event        *record.EventRow        // that is quarantined, or was said last in the conversation
}

// WhoWaits returns who waits on some accounts, however long: who has waited longest comes first.
func WhoWaits(ctx context.Context, i Inspector, accounts ...event.Account) ([]Waiting, error) {
	held, err := i.Among(ctx, accounts, record.Having{Thing: record.HasActions, State: string(event.StateHeld)})
	if err != nil {
		return nil, err
	}
	owned, err := i.Among(ctx, accounts, record.Having{Thing: record.HasOwned})
	if err != nil {
		return nil, err
	}
	quarantined, err := i.Heads(ctx, accounts, record.EventQuery{State: record.EventQuarantined})
	if err != nil {
		return nil, err
	}
	var stuck []event.Account
	for _, h := range quarantined {
		stuck = append(stuck, h.Account)
	}
	var all []Waiting
	for _, x := range []struct {
		accounts []event.Account
		find     func(context.Context, Inspector, event.Account) ([]Waiting, error)
	}{{held, waitsHeld}, {owned, waitsOwned}, {stuck, waitsQuarantined}} {
		for _, account := range x.accounts {
			some, err := x.find(ctx, i, account)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	slices.SortStableFunc(all, func(a, b Waiting) int { return a.Since.Compare(b.Since) })
	return all, nil
}

// waitsHeld finds what is held.
func waitsHeld(ctx context.Context, i Inspector, account event.Account) ([]Waiting, error) {
	held, err := i.Actions(ctx, record.ActionQuery{Account: account, State: event.StateHeld, Limit: mostWaiting})
	all := make([]Waiting, len(held))
	for n := range held {
		a := &held[n]
		all[n] = Waiting{Key: a.Conversation(), Since: HoldOf(a, &event.Approval{}, time.Time{}, a.DecidedAt).Since, Action: a}
	}
	return all, err
}

// waitsOwned finds the conversations of people of ours in which the other one has the last word.
func waitsOwned(ctx context.Context, i Inspector, account event.Account) (all []Waiting, err error) {
	rows, err := i.Owned(ctx, record.ConversationQuery{Account: account, Limit: mostWaiting})
	if err != nil {
		return nil, err
	}
	for n := range rows {
		c := &rows[n]
		events, err := i.Events(ctx, record.EventQuery{Account: account, Peer: c.Key.Peer, Limit: lastSaid})
		if err != nil {
			return nil, err
		}
		events = slices.DeleteFunc(events, func(e record.EventRow) bool { return e.Kind != event.KindMessage || e.SeenAt.Before(c.OwnerWrote) })
		for len(events) > 1 && events[len(events)-2].SeenAt.Before(c.OwnerSince) { // before what it was handed over for
			events = events[:len(events)-1]
		}
		if len(events) > 0 {
			all = append(all, Waiting{Key: c.Key, Since: events[len(events)-1].SeenAt, Conversation: c, Event: &events[0]})
		}
	}
	return all, nil
}

// waitsQuarantined finds what failed too often.
func waitsQuarantined(ctx context.Context, i Inspector, account event.Account) ([]Waiting, error) {
	events, err := i.Events(ctx, record.EventQuery{Account: account, State: record.EventQuarantined, Limit: mostWaiting})
	all := make([]Waiting, len(events))
	for n := range events {
		e := &events[n]
		all[n] = Waiting{Key: e.Key(), Since: e.SeenAt, Event: e}
	}
	return all, err
}
