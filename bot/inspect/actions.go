package inspect

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Actions returns a page of actions in a state that is not an end, or of all with a person, in whatever state: those that are due in the order
// in which they leave, others newest first. Of a person's, what the newest of her events and timers led to is looked at, as Inspector.Actions
// does. The query's After is that of the page.
func Actions(ctx context.Context, i Inspector, q record.ActionQuery, after Cursor) (Page[event.Action], error) {
	filters := []any{"actions", q.Account, q.Peer, q.State}
	place, err := placeOf[*actionPlace](after, filters...)
	if err != nil {
		return Page[event.Action]{}, err
	}
	limit := length(q.Limit)
	q.Limit, q.After = limit+1, place.action()
	if q.State == event.StateDue && q.After == nil {
		q.After = &event.Action{Position: -1, Due: time.UnixMicro(-1)} // one order, also of a person's
	}
	rows, err := i.Actions(ctx, q)
	if err != nil || len(rows) <= limit {
		return Page[event.Action]{Rows: rows}, err
	}
	rows = rows[:limit]
	next, err := cursorAt(placeOfAction(&rows[limit-1]), filters...)
	return Page[event.Action]{Rows: rows, Next: next}, err
}

// actionPlace is an action's place in any of the lists.
type actionPlace struct {
	Position int64          `json:"position"`
	Priority event.Priority `json:"priority,omitempty"`
	Due      int64          `json:"due,omitempty"`     // in microseconds; 0 for at once
	Decided  int64          `json:"decided,omitempty"` // the same
	Key      string         `json:"key,omitempty"`
}

func placeOfAction(a *event.Action) actionPlace {
	p := actionPlace{Position: a.Position, Priority: a.Priority, Key: a.Key, Decided: a.DecidedAt.UnixMicro()}
	if !a.Due.IsZero() {
		p.Due = a.Due.UnixMicro()
	}
	return p
}

// action returns what a query knows the place by; nil for the beginning.
func (p *actionPlace) action() *event.Action {
	if p == nil {
		return nil
	}
	a := &event.Action{Position: p.Position, Priority: p.Priority, Key: p.Key, DecidedAt: time.UnixMicro(p.Decided)}
	if p.Due != 0 {
		a.Due = time.UnixMicro(p.Due)
	}
	return a
}
