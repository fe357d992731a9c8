package inspect_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// whole turns the pages of a list, and returns the names of all rows. between is called after each page.
func whole[T any](t *rapid.T, page func(after inspect.Cursor) (inspect.Page[T], error), name func(*T) string, between func()) (names []string) {
	var after inspect.Cursor
	for n := 0; ; n++ {
		p, err := page(after)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Rows {
			names = append(names, name(&p.Rows[i]))
		}
		if p.Next == "" {
			return names
		}
		if n > 500 {
			t.Fatal("no end of pages")
		}
		after = p.Next
		between()
	}
}

// shownOnce wants each of some rows once, and no other twice.
func shownOnce(t *rapid.T, want, have []string) {
	times := map[string]int{}
	for _, name := range have {
		times[name]++
	}
	for name, n := range times {
		if n > 1 {
			t.Errorf("%s is shown %d times", name, n)
		}
	}
	for _, name := range want {
		if times[name] == 0 {
			t.Errorf("%s is left out", name)
		}
	}
}

var accounts atomic.Int64

// someAccount is one that nothing else has.
func someAccount() event.Account { return event.Account(fmt.Sprint("account", accounts.Add(1))) }

// someAccounts are an account, or two that are listed together.
func someAccounts(t *rapid.T) (all, together []event.Account) {
	if rapid.Bool().Draw(t, "together") {
		all = []event.Account{someAccount(), someAccount()}
		return all, all
	}
	return []event.Account{someAccount()}, nil
}

// drawnEvents are events that were seen in whatever order, or in that of their numbers.
func drawnEvents(t *rapid.T, account event.Account, taken map[event.ID]bool, inOrder bool, most int) (all []event.Event) {
	for range rapid.IntRange(0, most).Draw(t, "events") {
		e := event.Event{Account: account, Kind: event.KindMessage, Text: "hello"}
		e.ID = event.ID{Source: rapid.SampledFrom([]event.Source{1, 2, 3, 4}).Draw(t, "source"), Number: rapid.Int64Range(1, 60).Draw(t, "number")}
		e.Peer = platform.UserID(rapid.Int64Range(7, 9).Draw(t, "peer"))
		e.SeenAt = noon.Add(time.Duration(rapid.IntRange(0, 12).Draw(t, "seen")) * time.Second)
		if inOrder {
			e.SeenAt = noon.Add(time.Duration(e.ID.Number/5) * time.Second)
		}
		if !taken[e.ID] {
			taken[e.ID] = true
			all = append(all, e)
		}
	}
	return all
}

// Whoever turns pages of events sees each that there was once, whatever is stored meanwhile, and in whatever order they were seen; also those
// of several accounts.
func TestPagesOfEvents(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		rapid.Check(t, func(r *rapid.T) {
			some, together := someAccounts(r)
			taken := make([]map[event.ID]bool, len(some))
			q := record.EventQuery{Account: some[0], Limit: rapid.IntRange(1, 7).Draw(r, "limit")}
			q.Peer = platform.UserID(rapid.SampledFrom([]int64{0, 0, 7}).Draw(r, "whose"))
			q.State = rapid.SampledFrom([]string{"", "", record.EventPending}).Draw(r, "state")
			q.Outcome = rapid.SampledFrom([]string{"", "", "pending"}).Draw(r, "outcome")
			since := rapid.Bool().Draw(r, "since") // it ends a source at a page of what is older
			if since {
				q.Since = noon.Add(4 * time.Second)
			}
			put := func(most int) (names []string) {
				for n, account := range some {
					if taken[n] == nil {
						taken[n] = map[event.ID]bool{}
					}
					drawn := drawnEvents(r, account, taken[n], since, most)
					s.put(r, stored.Write{Pending: drawn})
					for i := range drawn {
						if e := &drawn[i]; (q.Peer == 0 || e.Peer == q.Peer) && !e.SeenAt.Before(q.Since) {
							names = append(names, nameOfEvent(e))
						}
					}
				}
				return names
			}
			before := put(40 / len(some))
			have := whole(r, func(after inspect.Cursor) (inspect.Page[record.EventRow], error) {
				return inspect.Events(r.Context(), s, q, after, together...)
			}, func(e *record.EventRow) string { return nameOfEvent(&e.Event) }, func() { put(3) })
			shownOnce(r, before, have)
		})
	})
}

func nameOfEvent(e *event.Event) string { return string(e.Account) + " " + e.ID.String() }

// A page begins as the list does that has no pages, where the platform's numbers grow with time.
func TestFirstPageOfEvents(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		var all []event.Event
		for n := range 30 {
			all = append(all, event.Event{
				Account: "shop", ID: event.ID{Source: event.Source(1 + n%4), Number: int64(100 + n)}, Kind: event.KindMessage, Peer: 7,
				SeenAt: noon.Add(time.Duration(n/3) * time.Second),
			})
		}
		s.put(t, stored.Write{Pending: all})
		q := record.EventQuery{Account: "shop", Limit: 10}
		want, err := s.Events(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		page, err := inspect.Events(t.Context(), s, q, "")
		if err != nil || page.Next == "" || !slices.EqualFunc(want, page.Rows, func(a, b record.EventRow) bool { return a.ID == b.ID }) {
			t.Errorf("have %v, %v, want %v", page, err, want)
		}
	})
}

func TestCursorOfAnotherList(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		var all []event.Event
		for n := range int64(5) {
			all = append(all, event.Event{Account: "shop", ID: event.ID{Source: event.Messages, Number: n}, Kind: event.KindMessage, Peer: 7, SeenAt: noon})
		}
		s.put(t, stored.Write{Pending: all})
		page, err := inspect.Events(t.Context(), s, record.EventQuery{Account: "shop", Limit: 2}, "")
		if err != nil || page.Next == "" {
			t.Fatal(page, err)
		}
		for name, c := range map[string]struct {
			q      record.EventQuery
			cursor inspect.Cursor
		}{
			"another account": {record.EventQuery{Account: "cafe"}, page.Next},
			"another filter":  {record.EventQuery{Account: "shop", Peer: 7}, page.Next},
			"a torn one":      {record.EventQuery{Account: "shop"}, page.Next[:len(page.Next)-3]},
			"a longer one":    {record.EventQuery{Account: "shop"}, page.Next + "e30"},
			"no cursor":       {record.EventQuery{Account: "shop"}, "message:3"},
		} {
			if page, err := inspect.Events(t.Context(), s, c.q, c.cursor); !errors.Is(err, inspect.ErrCursor) {
				t.Errorf("%s: %v, %v", name, page, err)
			}
		}
	})
}
