package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
)

const (
	timerBurst = "rules/burst"          // the timer that answers what was gathered
	burstTurns = "/" + timerBurst + "/" // in the ids of its turns

	answeredByNobody = "was not answered: somebody took the conversation over, or wanted to be left alone"
)

// bursts puts into events that were gathered, to be answered together, what became of them.
func (d *desk) bursts(ctx context.Context, events []store.EventRow) error {
	if err := d.prepared(ctx, events); err != nil {
		return err
	}
	since := map[event.Account]time.Time{}
	aside := map[event.Key]string{} // the timer that is to answer them, and why it does not
	waits := map[event.Key]bool{}   // asked before the turns: what does not wait any more has had its turn by then
	for i := range events {
		e := &events[i]
		if !isGathered(e) {
			continue
		}
		if first, ok := since[e.Account]; !ok || e.HandledAt.Before(first) {
			since[e.Account] = e.HandledAt
		}
		if _, ok := waits[e.Key()]; !ok {
			timer, _, err := d.Alarm(ctx, e.Key(), timerBurst)
			if err != nil {
				return err
			}
			waits[e.Key()] = !timer.Due.IsZero()
			if waits[e.Key()] && timer.State != store.TimerWaiting {
				aside[e.Key()] = "its answer is " + timer.State + " as " + timer.ID()
			}
		}
	}
	for account, first := range since {
		answered := map[event.ID]store.Trace{}
		err := d.Recorded(ctx, account, first, func(r store.Recorded) error {
			if r.Turn == nil || !strings.Contains(r.Turn.ID, burstTurns) {
				return nil
			}
			ids := burstEvents(r.Turn.Trace.Before)
			if len(ids) > 0 && r.Turn.Trace.Outcome == string(rules.Prepared) {
				if err := d.sinceApproved(ctx, account, &r.Turn.Trace, r.Actions); err != nil {
					return err
				}
			}
			for _, id := range ids {
				answered[id] = r.Turn.Trace
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range events {
			e := &events[i]
			if e.Account != account || !isGathered(e) {
				continue
			}
			if trace, ok := answered[e.ID]; ok {
				e.Trace = trace
			} else if !waits[e.Key()] { //mutate:gathered
				e.Trace.Outcome, e.Trace.Note = string(rules.LeftAlone), "it waited for what else was written, and "+answeredByNobody
			} else if why := aside[e.Key()]; why != "" {
				e.Trace.Note = why
			}
		}
	}
	return nil
}

func isGathered(e *store.EventRow) bool {
	return e.State == store.EventHandled && e.Trace.Outcome == string(rules.Gathering)
}

// burstEvents returns the events that a turn answered, as its conversation was before.
func burstEvents(before []byte) []event.ID {
	var state rules.State
	if err := json.Unmarshal(before, &state); err != nil || state.Memory.Burst == nil {
		return nil // what another version kept may look otherwise
	}
	return state.Memory.Burst.Events
}
