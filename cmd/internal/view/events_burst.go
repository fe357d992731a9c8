package view

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

const (
	TimerBurst = "rules/burst" // the timer that answers what was gathered

	// AnsweredByNobody is said of what was gathered in vain.
	AnsweredByNobody = "was not answered: somebody took the conversation over, or wanted to be left alone"
)

// burstEvent is an event that was gathered.
type burstEvent struct {
	account event.Account
	id      event.ID
}

// triggerOf returns the id of what started the turn that decided about an event.
func (v *View) triggerOf(e *record.EventRow) string {
	return cmp.Or(v.bursts[burstEvent{e.Account, e.ID}], e.ID.String())
}

// addGathered puts into events that were gathered, to be answered together, what became of them.
func (v *View) addGathered(ctx context.Context, events []record.EventRow) error {
	if err := v.addPrepared(ctx, events); err != nil {
		return err
	}
	since := map[event.Key]time.Time{} // when the first of a conversation was gathered
	aside := map[event.Key]string{}    // the timer that is to answer them, and why it does not
	waits := map[event.Key]bool{}      // asked before the turns: what does not wait any more has had its turn by then
	for i := range events {
		e := &events[i]
		if !IsGathered(e) {
			continue
		}
		if first, ok := since[e.Key()]; !ok || e.HandledAt.Before(first) {
			since[e.Key()] = e.HandledAt
		}
		if _, ok := waits[e.Key()]; !ok {
			timer, _, err := v.Alarm(ctx, e.Key(), TimerBurst)
			if err != nil {
				return err
			}
			waits[e.Key()] = !timer.Due.IsZero()
			if waits[e.Key()] && timer.State != record.TimerWaiting {
				aside[e.Key()] = "its answer is " + timer.State + " as " + timer.ID()
			}
		}
	}
	answered := map[event.Key]map[event.ID]event.DecisionRecord{}
	for key, first := range since {
		of, err := v.answeredSince(ctx, key, first)
		if err != nil {
			return err
		}
		answered[key] = of
	}
	for i := range events {
		e := &events[i]
		if !IsGathered(e) {
			continue
		}
		if rec, ok := answered[e.Key()][e.ID]; ok {
			e.Record = rec
		} else if !waits[e.Key()] { //mutate:gathered
			e.Record.Outcome, e.Record.Note = string(ruledecision.LeftAlone), "it waited for what else was written, and "+AnsweredByNobody
		} else if why := aside[e.Key()]; why != "" {
			e.Record.Note = why
		}
	}
	return nil
}

// MostBursts is how many answers to bursts of a conversation are read: more than a person gets in a lifetime.
const MostBursts = 1 << 20

// answeredSince returns what became of the events of a conversation that were gathered since a time, as far as they
// were answered.
func (v *View) answeredSince(ctx context.Context, key event.Key, first time.Time) (map[event.ID]event.DecisionRecord, error) {
	turns, err := v.Turns(ctx, record.TurnQuery{Account: key.Account, Peer: key.Peer, Timer: TimerBurst, Since: first, Limit: MostBursts})
	if err != nil {
		return nil, err
	}
	answered := map[event.ID]event.DecisionRecord{}
	for i := range turns {
		if err := v.turnPrepared(ctx, &turns[i]); err != nil {
			return nil, err
		}
		for _, id := range burstEvents(turns[i].Record.Before) {
			answered[id] = turns[i].Record
			v.answeredBy(key.Account, id, turns[i].ID)
		}
	}
	return answered, nil
}

// answeredBy notes which turn answered an event.
func (v *View) answeredBy(account event.Account, id event.ID, turn string) {
	if v.bursts == nil {
		v.bursts = map[burstEvent]string{}
	}
	v.bursts[burstEvent{account, id}] = turn
}

// IsGathered reports whether an event was gathered, to be answered with others.
func IsGathered(e *record.EventRow) bool {
	return e.State == record.EventHandled && e.Record.Outcome == string(ruledecision.Gathering)
}

// burstEvents returns the events that a turn answered, as its conversation was before.
func burstEvents(before []byte) []event.ID {
	var state ruledecision.State
	if err := json.Unmarshal(before, &state); err != nil || state.Memory.Burst == nil {
		return nil // what another version kept may look otherwise
	}
	return state.Memory.Burst.Events
}
