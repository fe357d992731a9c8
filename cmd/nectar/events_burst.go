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

// burstTurns are in the ids of the turns that answer what was gathered.
const burstTurns = "/rules/burst/"

// bursts puts into events that were gathered, to be answered together, what became of them.
func (d *desk) bursts(ctx context.Context, events []store.EventRow) error {
	since := map[event.Account]time.Time{}
	for i := range events {
		e := &events[i]
		if first, ok := since[e.Account]; isGathered(e) && (!ok || e.HandledAt.Before(first)) {
			since[e.Account] = e.HandledAt
		}
	}
	for account, first := range since {
		answered := map[event.ID]store.Trace{}
		err := d.Recorded(ctx, account, first, func(r store.Recorded) error {
			if r.Turn == nil || !strings.Contains(r.Turn.ID, burstTurns) {
				return nil
			}
			for _, id := range burstEvents(r.Turn.Trace.Before) {
				answered[id] = r.Turn.Trace
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range events {
			e := &events[i]
			if trace, ok := answered[e.ID]; ok && e.Account == account && isGathered(e) {
				e.Trace = trace
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
