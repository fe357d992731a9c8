package inspect

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Actions returns a page of actions in one state that is not an end, or of all actions with a person, in any state. Those that are due come in
// the order in which they leave, others newest first. Of a person it looks at the actions of the newest events and timers, as Inspector.Actions
// does. Of several accounts the page has a page of each, one behind the other. The query's After is that of the page.
//
// wanted picks, out of some actions, those that belong into the list, in the same order; nil picks all. All actions are looked at, until a page is full.
func Actions(ctx context.Context, i Inspector, q record.ActionQuery, wanted func(context.Context, []event.Action) ([]event.Action, error),
	after Cursor, accounts ...event.Account,
) (Page[event.Action], error) {
	filters := []any{"actions", soleAccount(q.Account, accounts), q.Peer, q.State}
	places, err := placeOf[map[event.Account]actionPlace](after, filters...)
	if err != nil {
		return Page[event.Action]{}, err
	}
	those := listAccounts(q.Account, accounts)
	if len(those) > 1 && q.State != "" {
		if those, err = i.Among(ctx, those, record.Having{Thing: record.HasActions, State: string(q.State)}); err != nil {
			return Page[event.Action]{}, err
		}
	}
	q.Limit = pageLength(q.Limit)
	page, next := Page[event.Action]{}, map[event.Account]actionPlace{}
	for _, q.Account = range those {
		place, goesOn := places[q.Account]
		if after != "" && !goesOn {
			continue // it has ended
		}
		rows, more, err := actionsBehind(ctx, i, q, wanted, place.action(goesOn))
		if err != nil {
			return Page[event.Action]{}, err
		}
		page.Rows = append(page.Rows, rows...)
		if more {
			next[q.Account] = placeOfAction(&rows[len(rows)-1])
		}
	}
	if len(next) > 0 {
		page.Next, err = cursorAt(next, filters...)
	}
	return page, err
}

// sift returns those of some actions that a list is of, in the same order.
type sift = func(ctx context.Context, rows []event.Action) ([]event.Action, error)

// sifted is how many actions are looked at at a time for those that are wanted.
const sifted = 1000

// actionsBehind returns an account's part of a page, and whether something follows.
func actionsBehind(ctx context.Context, i Inspector, q record.ActionQuery, wanted sift, after *event.Action) (page []event.Action, more bool, err error) {
	limit := q.Limit
	q.Limit, q.After = limit+1, after
	if wanted != nil {
		q.Limit = max(q.Limit, sifted)
	}
	if q.State == event.StateDue && q.After == nil {
		q.After = &event.Action{Position: -1, Due: time.UnixMicro(-1)} // one order, also of a person's
	}
	for ends := false; !ends && len(page) <= limit; {
		rows, err := i.Actions(ctx, q)
		if err != nil {
			return nil, false, err
		}
		if ends = len(rows) < q.Limit; !ends {
			last := rows[len(rows)-1] // of all, before some of them are taken out
			q.After = &last
		}
		if wanted != nil {
			if rows, err = wanted(ctx, rows); err != nil {
				return nil, false, err
			}
		}
		page = append(page, rows...)
	}
	return page[:min(len(page), limit)], len(page) > limit, nil
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
func (p *actionPlace) action(goesOn bool) *event.Action {
	if !goesOn {
		return nil
	}
	a := &event.Action{Position: p.Position, Priority: p.Priority, Key: p.Key, DecidedAt: time.UnixMicro(p.Decided)}
	if p.Due != 0 {
		a.Due = time.UnixMicro(p.Due)
	}
	return a
}
