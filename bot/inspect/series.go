package inspect

import (
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// eventPlaces is where a list goes on in each account that has been begun.
type eventPlaces map[event.Account]eventPlace

// eventPlace says where each source that the list has begun goes on. A list in the order of an index has a single place.
type eventPlace map[event.Source]seenEvent

// seenEvent is an event's place in its source: it was shown, and all before it.
type seenEvent struct {
	Number int64 `json:"number,omitempty"`
	Seen   int64 `json:"seen,omitempty"` // in microseconds; 0: not even the first one was shown
	// Ahead are the numbers behind the place that were shown already, since they were seen later than an event before them.
	Ahead []int64 `json:"ahead,omitempty"`
}

// mostAhead is how many events of a source may be shown ahead of one that was seen long before them. After so many, it is shown.
const mostAhead = 16

// begin lets a query begin behind the place in a source; from the first event on when there is none.
func (p eventPlace) begin(q *record.EventQuery, source event.Source) {
	q.After, q.AfterSeen = event.ID{}, time.Time{}
	if at := p[source]; at.Seen != 0 {
		q.After, q.AfterSeen = event.ID{Source: source, Number: at.Number}, time.UnixMicro(at.Seen)
	}
}

// eventsRead is what was read for a page.
type eventsRead struct {
	heads  []head
	series []*series
	more   bool // something follows behind what was read
}

// add adds what else was read.
func (r *eventsRead) add(o *eventsRead) {
	r.heads, r.series, r.more = append(r.heads, o.heads...), append(r.series, o.series...), r.more || o.more
}

// nextPlaces returns where the list goes on behind what was shown.
func (r *eventsRead) nextPlaces(after eventPlaces) eventPlaces {
	all := eventPlaces{}
	for account, place := range after {
		all[account] = maps.Clone(place)
	}
	for _, s := range r.series {
		if len(s.shown) > 0 {
			s.move(all)
		}
	}
	return all
}

// series are events behind a place, as their source has them by their numbers, or an index.
type series struct {
	rows    []record.EventRow
	ahead   []int64 // numbers of these that were shown on earlier pages
	isIndex bool
	passed  time.Time // what is older is not wanted
	shown   map[event.ID]bool
}

// head is an event with the time by which it is put among the others.
type head struct {
	row *record.EventRow
	by  time.Time
	of  *series
}

// showEvent notes that an event is on the page, and returns it.
func (h head) showEvent() *record.EventRow {
	if h.of.shown == nil {
		h.of.shown = map[event.ID]bool{}
	}
	h.of.shown[h.row.ID] = true
	return h.row
}

// headsSince returns at most so many events that may be shown: since a time, and not yet.
func (s *series) headsSince(since time.Time, most int) []head {
	s.passed = since
	var heads []head
	for i := range s.rows {
		if e := &s.rows[i]; len(heads) < most && !e.SeenAt.Before(since) && !slices.Contains(s.ahead, e.ID.Number) {
			heads = append(heads, head{e, e.SeenAt, s})
		}
	}
	if len(s.ahead) > mostAhead {
		latest := time.Time{}
		for i := range slices.Backward(heads) { // none is put among the others that has one before it which is not
			if heads[i].by.After(latest) {
				latest = heads[i].by
			}
			heads[i].by = latest
		}
	}
	return heads
}

// move moves the place of a series behind what was shown.
func (s *series) move(all eventPlaces) {
	account := s.rows[0].Account
	if all[account] == nil || s.isIndex {
		all[account] = eventPlace{}
	}
	source, whole := s.rows[0].ID.Source, true
	place := all[account][source]
	place.Ahead = slices.Clone(s.ahead)
	for i := range s.rows {
		e := &s.rows[i]
		place.Ahead = slices.DeleteFunc(place.Ahead, func(n int64) bool { return n == e.ID.Number }) // the others are behind what was read
		isShown := s.shown[e.ID] || slices.Contains(s.ahead, e.ID.Number)
		switch whole = whole && (isShown || e.SeenAt.Before(s.passed)); {
		case whole:
			place.Number, place.Seen, source = e.ID.Number, e.SeenAt.UnixMicro(), e.ID.Source
		case isShown:
			place.Ahead = append(place.Ahead, e.ID.Number) //mutate:page-ahead
		}
	}
	all[account][source] = place
}
