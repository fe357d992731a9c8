package inspect

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Events returns a page of events, newest first: of the query's account, or of some together. Each source is read in the order of its numbers: one
// that was read much later than others with higher numbers may stand behind these, on another page. Since may end
// a page before it is full, and ends a source where a whole page of it is older. The query's Source and After are those of the page.
func Events(ctx context.Context, i Inspector, q record.EventQuery, after Cursor, accounts ...event.Account) (Page[record.EventRow], error) {
	filters := []any{"events", soleAccount(q.Account, accounts), q.Peer, q.State, q.Rule, q.Outcome}
	place, err := placeOf[eventPlaces](after, filters...)
	if err != nil {
		return Page[record.EventRow]{}, err
	}
	q.Limit = pageLength(q.Limit)
	l := eventList{i, q, listAccounts(q.Account, accounts), 0}
	read, err := l.read(ctx, place)
	if err != nil {
		return Page[record.EventRow]{}, err
	}
	var page Page[record.EventRow]
	for _, h := range read.heads[:min(len(read.heads), q.Limit)] {
		page.Rows = append(page.Rows, *h.showEvent())
	}
	if read.more || len(read.heads) > len(page.Rows) {
		page.Next, err = cursorAt(read.nextPlaces(place), filters...)
	}
	return page, err
}

// isSearch reports whether a query looks at what was decided.
func isSearch(q *record.EventQuery) bool { return q.Rule != "" || q.Outcome != "" }

// eventList is a list of events of some accounts.
type eventList struct {
	Inspector
	q        record.EventQuery
	accounts []event.Account
	people   int // how many people are wanted, by events of any kind; 0 when events are wanted
}

// inOrder reports whether an index has the list in its order.
func (l *eventList) inOrder() bool { return l.q.Peer != 0 || l.q.State != "" && !isSearch(&l.q) }

// read reads what may be on the page behind a place.
func (l *eventList) read(ctx context.Context, after eventPlaces) (*eventsRead, error) {
	accounts, err := l.newestAccounts(ctx)
	if err != nil {
		return nil, err
	}
	all := &eventsRead{}
	var latest []time.Time // of what counts, the newest first
	for _, a := range accounts {
		if n := l.enough(); len(latest) >= n && latest[n-1].After(a.Newest) {
			all.more = true
			break
		}
		q := l.q
		q.Account, q.Limit = a.Account, q.Limit+1
		read := l.ofSources
		if l.inOrder() {
			read = l.ofIndex
		}
		some, err := read(ctx, q, after[a.Account])
		if err != nil {
			return nil, err
		}
		if l.people > 0 && len(some.heads) > l.q.Limit { // the others of some sources would come before newer ones of others
			l.sort(some.heads)
			some.heads, some.more = some.heads[:l.q.Limit], true
		}
		all.add(some)
		latest = append(latest, l.counted(some.heads)...)
		slices.SortFunc(latest, func(a, b time.Time) int { return b.Compare(a) })
		latest = latest[:min(len(latest), l.enough())]
	}
	l.sort(all.heads)
	return all, nil
}

// sort puts events in the order of the list.
func (l *eventList) sort(heads []head) {
	place := placesIn(l.accounts)
	slices.SortStableFunc(heads, func(a, b head) int {
		return cmp.Or(b.by.Compare(a.by), cmp.Compare(place[a.row.Account], place[b.row.Account]), cmp.Compare(b.row.ID.Source, a.row.ID.Source))
	})
}

// newestAccounts returns the accounts with the newest event that each may have. Of few accounts nobody asks for that: each is read.
func (l *eventList) newestAccounts(ctx context.Context) ([]record.Head, error) {
	if len(l.accounts) > fewAccounts {
		return l.Heads(ctx, l.accounts, l.q)
	}
	heads := make([]record.Head, len(l.accounts))
	for i, a := range l.accounts {
		heads[i] = record.Head{Account: a, Newest: farOff}
	}
	return heads, nil
}

// enough is how many rows, or people, are wanted.
func (l *eventList) enough() int { return cmp.Or(l.people, l.q.Limit) }

// counted returns when those were seen that count for the length of a page.
func (l *eventList) counted(heads []head) []time.Time {
	var all []time.Time
	known := map[event.Key]bool{}
	for _, h := range heads {
		if l.people == 0 || !known[h.row.Key()] {
			known[h.row.Key()] = true
			all = append(all, h.row.SeenAt)
		}
	}
	return all
}

// ofIndex reads what an index has in the order of the list.
func (l *eventList) ofIndex(ctx context.Context, q record.EventQuery, place eventPlace) (*eventsRead, error) {
	q.Source, q.After = 0, event.ID{}
	for source := range place { // at most one
		place.begin(&q, source)
	}
	rows, err := l.Events(ctx, q)
	some := &series{rows: rows, isIndex: true}
	return &eventsRead{some.headsSince(time.Time{}, q.Limit), []*series{some}, len(rows) == q.Limit}, err
}

// ofSources reads each source as its numbers are.
func (l *eventList) ofSources(ctx context.Context, q record.EventQuery, place eventPlace) (*eventsRead, error) {
	since, limit := q.Since, q.Limit
	if !isSearch(&q) {
		q.Since = time.Time{} // where a source ends is seen by all that it has
	}
	all := &eventsRead{}
	for q.Source = event.Messages; q.Source <= event.Deliveries; q.Source++ {
		place.begin(&q, q.Source)
		some := &series{ahead: place[q.Source].Ahead}
		q.Limit = limit + len(some.ahead)
		var err error
		if some.rows, err = l.Events(ctx, q); err != nil {
			return nil, err
		}
		heads := some.headsSince(since, limit-1)
		// A page of a source that is older than Since as a whole ends the source.
		all.add(&eventsRead{heads, []*series{some}, len(some.rows) == q.Limit && len(heads) > 0})
	}
	return all, nil
}
