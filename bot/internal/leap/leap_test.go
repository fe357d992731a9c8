package leap_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/leap"
	"pgregory.net/rapid"
)

func TestLeap(t *testing.T) {
	t.Parallel()
	const billion = 1_000_000_000
	for _, c := range []struct {
		from, to int64
		want     bool
	}{
		{0, 1, false},
		{0, 5 * billion, false},
		{0, 1 << 61, false},
		{0, math.MaxInt64, true},
		{0, 1<<62 + 1, true},
		{500, 500, false},
		{500, 400, false},
		{500, 501, false},
		{500, 500 + 1<<20, false},
		{500, 501 + 1<<20, true},
		{500, math.MaxInt32, true},
		{500, math.MaxInt64, true},
		{billion, billion + 60_000_000, false},
		{billion, billion + 70_000_000, true}, // a month of a platform of a year and a half
		{1 << 61, math.MaxInt64, true},
		{math.MaxInt64, math.MaxInt64, false},
		{math.MaxInt64 - 1, math.MaxInt64, false},
	} {
		if got := leap.IsLeap(c.from, c.to); got != c.want {
			t.Errorf("Leap(%d, %d) is %v", c.from, c.to, got)
		}
	}
}

// An id that leaps is believed when three rows stand there that came one after another, or eight.
func TestLevel(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, time.March, 3, 9, 0, 0, 0, time.UTC)
	var l leap.Level
	read := func(want int64, ids ...int64) {
		t.Helper()
		at = at.Add(time.Second)
		for _, id := range slices.Sorted(slices.Values(ids)) {
			l.NoteID(at, id)
		}
		if got := l.TopID(); got != want {
			t.Errorf("after %v the level is %d, want %d", ids, got, want)
		}
	}
	read(503, 503, 501)
	read(503, math.MaxInt64)
	for range 10 {
		read(503, math.MaxInt64, 503) // shown again, it proves nothing
	}
	read(504, math.MaxInt64, 504)
	const grown = 5_000_000_000
	read(504, grown, math.MaxInt64)
	read(504, grown+1, grown)
	if !l.IsOdd(grown) || l.IsOdd(504) {
		t.Error("what has leapt is believed, or what has not is not")
	}
	read(grown+2, grown+2)
	read(grown+2, math.MaxInt64, math.MaxInt64-1)
	read(grown+2, 100*grown, 100*grown+1, 100*grown+2, 100*grown+3, 100*grown+4, 100*grown+5, 100*grown+6)
	read(100*grown+7, 100*grown+7)
	l.SetTop(10)
	read(11, 11)
	if got := leap.HighestBelievable([]int64{math.MaxInt64, 7, 9, math.MaxInt32}); got != 9 {
		t.Errorf("believable is %d", got)
	}
	if got := leap.HighestBelievable([]int64{math.MaxInt64}); got != 0 {
		t.Errorf("believable is %d", got)
	}
}

// Whatever a platform shows between the rows that it gives out in order: the level is one of its rows, never falls,
// and follows them.
func TestLevelFollowsTheRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		next := rapid.Int64Range(1, 1<<40).Draw(t, "first")
		var l leap.Level
		at, given, highest := time.Unix(1_740_000_000, 0), []int64{}, int64(0)
		ghosts := rapid.SliceOfN(rapid.Int64Range(1<<50, math.MaxInt64), 0, 2).Draw(t, "ghosts")
		for range rapid.IntRange(1, 60).Draw(t, "reads") {
			at = at.Add(time.Second)
			var page []int64
			for range rapid.IntRange(0, 3).Draw(t, "rows") {
				next += rapid.Int64Range(1, max(1<<20, next/16)).Draw(t, "gap")
				given, page = append(given, next), append(page, next)
			}
			highest = next
			if len(given) > 0 && len(ghosts) > 0 && rapid.Bool().Draw(t, "haunted") {
				page = append(page, ghosts...)
			}
			before := l.TopID()
			if len(given) == 0 {
				continue
			}
			for _, id := range slices.Sorted(slices.Values(page)) {
				l.NoteID(at, id)
			}
			top := l.TopID()
			if top < before || top != highest || !slices.Contains(given, top) {
				t.Fatalf("the level is %d after %d; the newest row is %d", top, before, highest)
			}
		}
	})
}
