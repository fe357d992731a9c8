package store_test

import (
	"context"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// highest returns the highest message that is stored; 0 for none.
func highest(ctx context.Context, r interface {
	Newest(ctx context.Context, account event.Account, source event.Source, limit int) ([]event.Event, error)
},
) (int64, error) {
	events, err := r.Newest(ctx, ana, event.Messages, 1)
	if err != nil || len(events) == 0 {
		return 0, err
	}
	return events[0].ID.Number, nil
}

// What a conversation said last comes first, and so do the highest numbers of a source.
func testNewest(w *world) {
	for _, e := range []event.Event{message(7, 501), message(8, 502), message(7, 503)} {
		w.must(turnOf(e))
	}
	numbers := func(events []event.Event, err error) (got []int64) {
		if err != nil {
			w.Error(err)
		}
		for _, e := range events {
			got = append(got, e.ID.Number)
		}
		return got
	}
	w.same("newest", []int64{503, 502}, numbers(w.Newest(w.Context(), ana, event.Messages, 2)))
	w.same("of another source", []int64(nil), numbers(w.Newest(w.Context(), ana, event.Notifs, 2)))
	w.same("recent", []int64{503, 501}, numbers(w.RecentEvents(w.Context(), event.Key{Account: ana, Peer: 7}, 5)))
	said, err := w.RecentEvents(w.Context(), event.Key{Account: ana, Peer: 8}, 1)
	want := message(8, 502)
	want.NotBefore, want.SaidAt = said[0].NotBefore, said[0].SaidAt
	if d := cmp.Diff(want, said[0]); d != "" || err != nil {
		w.Errorf("%v, event (-want +got):\n%s", err, d)
	}
}

// A cursor that was set back takes the place of the stored one, whatever is queued beside it; what was queued
// before it does not come back, and what comes after it goes on from there.
func testCursorSetBack(w *world) {
	at := func(id int64, back bool) record.Cursor {
		return record.Cursor{Account: ana, Source: event.Notifs, ID: id, Mark: 7, Back: back}
	}
	for name, c := range map[string]struct {
		queued []record.Cursor
		want   int64
	}{
		"alone":                     {[]record.Cursor{at(50, true)}, 50},
		"behind a higher one":       {[]record.Cursor{at(1<<60, false), at(50, true)}, 50},
		"before a higher one":       {[]record.Cursor{at(50, true), at(60, false)}, 60},
		"before a lower one":        {[]record.Cursor{at(50, true), at(40, false)}, 50},
		"twice":                     {[]record.Cursor{at(50, true), at(40, true)}, 40},
		"not at all, a lower one":   {[]record.Cursor{at(50, false)}, 1 << 62},
		"between two, not the last": {[]record.Cursor{at(1<<60, false), at(50, true), at(51, false)}, 51},
	} {
		w.QueueCursors(at(1<<62, false))
		if err := w.MarkNow(w.Context()); err != nil {
			w.Fatal(err)
		}
		w.QueueCursors(c.queued...)
		if err := w.MarkNow(w.Context()); err != nil {
			w.Fatal(err)
		}
		got, err := w.Cursors(w.Context(), ana, event.Notifs, []platform.UserID{0})
		if err != nil || len(got) != 1 || got[0].ID != c.want || got[0].Back {
			w.Errorf("%s: %v, %v, want %d", name, got, err, c.want)
		}
	}
}
