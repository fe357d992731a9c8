package inspect

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Occasion is what calls for a turn: an event, or a timer.
type Occasion struct {
	Event *record.EventRow // nil for a timer
	Timer *record.TimerRow
}

// Occasions returns a page of events as Events does, with the timers in the query's state among them, by when they were due. Timers that are due and
// wait count as record.EventPending. With record.TimerOrphaned there are timers alone, and without a state events alone.
func Occasions(ctx context.Context, i Inspector, q record.EventQuery, after Cursor, accounts ...event.Account) (Page[Occasion], error) {
	filters := []any{"occasions", soleAccount(q.Account, accounts), q.Peer, q.State, q.Rule, q.Outcome}
	place, err := placeOf[occasionPlace](after, filters...)
	if err != nil {
		return Page[Occasion]{}, err
	}
	q.Limit = pageLength(q.Limit)
	l := eventList{i, q, listAccounts(q.Account, accounts), 0}
	timers, err := timersOf(ctx, &l, place.Timer)
	if err != nil {
		return Page[Occasion]{}, err
	}
	read := &eventsRead{}
	if q.State != record.TimerOrphaned {
		if read, err = l.read(ctx, place.Events); err != nil {
			return Page[Occasion]{}, err
		}
	}
	var page Page[Occasion]
	heads, last := read.heads, place.Timer
	for len(page.Rows) < q.Limit && len(heads)+len(timers) > 0 {
		if len(timers) > 0 && (len(heads) == 0 || !timers[0].Due.Before(heads[0].by)) { // at the same moment, timers come first
			page.Rows, last, timers = append(page.Rows, Occasion{Timer: &timers[0]}), placeOfTimer(&timers[0]), timers[1:]
			continue
		}
		page.Rows, heads = append(page.Rows, Occasion{Event: heads[0].showEvent()}), heads[1:]
	}
	if read.more || len(heads)+len(timers) > 0 {
		page.Next, err = cursorAt(occasionPlace{read.nextPlaces(place.Events), last}, filters...)
	}
	return page, err
}

// occasionPlace is where a list of both goes on.
type occasionPlace struct {
	Events eventPlaces `json:"events,omitempty"`
	Timer  *timerPlace `json:"timer,omitempty"` // the last timer that was shown; nil for none
}

// timerPlace is a timer's place among those of all accounts: by when they are due, and of one moment as their accounts are given.
type timerPlace struct {
	Due     int64         `json:"due"` // in microseconds
	Account event.Account `json:"account"`
	Peer    int64         `json:"peer"`
	Name    string        `json:"name"`
}

func placeOfTimer(t *record.TimerRow) *timerPlace {
	return &timerPlace{t.Due.UnixMicro(), t.Key.Account, int64(t.Key.Peer), t.Name}
}

// timersOf returns the timers of a list behind a place, one more than a page has.
func timersOf(ctx context.Context, l *eventList, after *timerPlace) ([]record.TimerRow, error) {
	q := record.TimerQuery{Peer: l.q.Peer, State: l.q.State, Since: l.q.Since, Until: time.Now(), Limit: l.q.Limit + 1}
	switch {
	case q.State == "" || isSearch(&l.q):
		return nil, nil
	case q.State == record.EventPending:
		q.State = record.TimerWaiting
	}
	if after != nil {
		q.Until = time.UnixMicro(after.Due)
	}
	accounts, err := l.withTimers(ctx, &q, after)
	if err != nil {
		return nil, err
	}
	places := placesIn(l.accounts)
	var all []record.TimerRow
	for _, q.Account = range accounts {
		q.After = after.placeIn(q.Account, places)
		some, err := l.Timers(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b record.TimerRow) int { return b.Due.Compare(a.Due) })
	return all[:min(len(all), q.Limit)], nil
}

// withTimers returns the accounts that have timers of a query behind a place: of few, all.
func (l *eventList) withTimers(ctx context.Context, q *record.TimerQuery, after *timerPlace) ([]event.Account, error) {
	if len(l.accounts) == 1 {
		return l.accounts, nil
	}
	if q.State != record.TimerWaiting {
		return l.Among(ctx, l.accounts, record.Having{Thing: record.HasTimersIn, State: q.State})
	}
	if after == nil {
		return l.DueLatest(ctx, l.accounts, q.Since, q.Until, q.Limit)
	}
	// Those that are due at the moment of the place may have been shown: they must not count as the latest.
	at := slices.Index(l.accounts, after.Account) + 1
	those, err := l.DueLatest(ctx, l.accounts, q.Since, q.Until.Add(-time.Microsecond), q.Limit)
	if err != nil {
		return nil, err
	}
	same, err := l.DueLatest(ctx, l.accounts[at:], q.Until, q.Until, q.Limit)
	if err != nil {
		return nil, err
	}
	wanted := append(append(those, same...), after.Account)
	return slices.DeleteFunc(slices.Clone(l.accounts), func(a event.Account) bool { return !slices.Contains(wanted, a) }), nil
}

// placeIn returns behind which timer an account's stand that are behind the place; nil for the beginning.
func (p *timerPlace) placeIn(account event.Account, places map[event.Account]int) *event.Timer {
	if p == nil {
		return nil
	}
	t := event.Timer{Key: event.Key{Account: account, Peer: platform.UserID(p.Peer)}, Name: p.Name, Due: time.UnixMicro(p.Due)}
	if account != p.Account {
		t.Key.Peer, t.Name = peerBeside(places, account, p.Account), ""
	}
	return &t
}
