package inspect

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Events returns a page of events, newest first. From page to page the events of each source come in the order of its numbers: one that was
// read later than others with higher numbers stands behind these when a page ends between them. Since may end a page before it is full, and
// ends a source where a whole page of it is older. The query's Source and After are those of the page.
func Events(ctx context.Context, i Inspector, q record.EventQuery, after Cursor) (Page[record.EventRow], error) {
	filters := []any{"events", q.Account, q.Peer, q.State, q.Rule, q.Outcome}
	place, err := placeOf[eventPlace](after, filters...)
	if err != nil {
		return Page[record.EventRow]{}, err
	}
	q.Limit = length(q.Limit)
	var rows []record.EventRow
	var next eventPlace // nil when nothing follows
	if q.Peer != 0 || q.State != "" && !searches(&q) {
		rows, next, err = eventsInOrder(ctx, i, q, place)
	} else {
		rows, next, err = eventsOfSources(ctx, i, q, place)
	}
	page := Page[record.EventRow]{Rows: rows}
	if err == nil && next != nil {
		page.Next, err = cursorAt(next, filters...)
	}
	return page, err
}

// searches reports whether a query looks at what was decided.
func searches(q *record.EventQuery) bool { return q.Rule != "" || q.Outcome != "" }

// eventPlace is the last event that was shown, of each source that has been begun. A list that an index has in its order has one alone.
type eventPlace map[event.Source]seenEvent

// seenEvent is an event's place in its list.
type seenEvent struct {
	Number int64 `json:"number"`
	Seen   int64 `json:"seen"` // in microseconds
}

// note puts the place behind an event of a source.
func (p eventPlace) note(e *record.EventRow) {
	p[e.ID.Source] = seenEvent{e.ID.Number, e.SeenAt.UnixMicro()}
}

// begin lets a query begin behind the place in a source; from the first event on when there is none.
func (p eventPlace) begin(q *record.EventQuery, source event.Source) {
	q.After, q.AfterSeen = event.ID{}, time.Time{}
	if at, ok := p[source]; ok {
		q.After, q.AfterSeen = event.ID{Source: source, Number: at.Number}, time.UnixMicro(at.Seen)
	}
}

// eventsInOrder reads what an index has in the order of the list.
func eventsInOrder(ctx context.Context, i Inspector, q record.EventQuery, place eventPlace) ([]record.EventRow, eventPlace, error) {
	q.Source, q.After = 0, event.ID{}
	for source := range place { // at most one
		place.begin(&q, source)
	}
	q.Limit++
	rows, err := i.Events(ctx, q)
	if err != nil || len(rows) < q.Limit {
		return rows, nil, err
	}
	next := eventPlace{}
	rows = rows[:q.Limit-1]
	next.note(&rows[len(rows)-1])
	return rows, next, nil
}

// eventsOfSources reads each source as its numbers are, and puts them together by when they were seen.
func eventsOfSources(ctx context.Context, i Inspector, q record.EventQuery, place eventPlace) (rows []record.EventRow, next eventPlace, err error) {
	limit, since, more := q.Limit, q.Since, false
	q.Limit++
	if !searches(&q) {
		q.Since = time.Time{} // where a source ends is seen by all that it has
	}
	var heads []head
	for q.Source = event.Messages; q.Source <= event.Snapshots; q.Source++ {
		place.begin(&q, q.Source)
		some, err := i.Events(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		full := len(some) == q.Limit
		some = slices.DeleteFunc(some, func(e record.EventRow) bool { return e.SeenAt.Before(since) })
		more = more || full && len(some) > 0 // all of a source that is older than Since is its end
		heads = append(heads, headsOf(some)...)
	}
	slices.SortStableFunc(heads, func(a, b head) int { return cmp.Or(b.by.Compare(a.by), cmp.Compare(b.row.ID.Source, a.row.ID.Source)) })
	if more = more || len(heads) > limit; more {
		next = eventPlace{}
		maps.Copy(next, place)
	}
	for _, h := range heads[:min(len(heads), limit)] {
		rows = append(rows, *h.row)
		if more {
			next.note(h.row)
		}
	}
	newestFirst(rows)
	return rows, next, nil
}

// head is an event with the time by which its source is put among the others.
type head struct {
	row *record.EventRow
	by  time.Time
}

// headsOf gives each event of a source the latest time of those from it on: so none is put among the others that has one before it in its
// source which is not, and a page ends in each source at one number.
func headsOf(rows []record.EventRow) []head {
	heads := make([]head, len(rows))
	latest := time.Time{}
	for i := range slices.Backward(rows) {
		if rows[i].SeenAt.After(latest) {
			latest = rows[i].SeenAt
		}
		heads[i] = head{&rows[i], latest} //mutate:page-heads
	}
	return heads
}

// newestFirst sorts events.
func newestFirst(rows []record.EventRow) {
	slices.SortStableFunc(rows, func(a, b record.EventRow) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), cmp.Compare(b.ID.Source, a.ID.Source), cmp.Compare(b.ID.Number, a.ID.Number))
	})
}
