package text_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
	"pgregory.net/rapid"
)

// readers read a value of each kind.
func readers() map[string]func(string) (fmt.Stringer, error) {
	return map[string]func(string) (fmt.Stringer, error){
		"duration": reader[text.Duration], "span": reader[bounds.Span], "limit": reader[text.Limit], "rate": reader[text.Rate],
		"range": reader[bounds.Range], "clock": reader[text.Clock], "day": reader[text.Day], "opening": reader[text.Opening],
		"quiet": reader[text.Quiet], "zone": reader[text.Zone], "moment": reader[text.WhenTime],
	}
}

func reader[T fmt.Stringer](s string) (fmt.Stringer, error) { return read[T](s) }

// read reads a value out of a file.
func read[T any](s string) (T, error) {
	var dst struct {
		Value T `text:"value"`
	}
	f, problems := textfile.Parse("a.yaml", []byte("value: "+strconv.Quote(s)+"\n"))
	if problems = append(problems, f.Decode(&dst)...); len(problems) > 0 {
		return dst.Value, problems
	}
	return dst.Value, nil
}

// A value reads back what it writes.
func TestValues(t *testing.T) {
	written := map[string][]string{
		"duration": {"6s", "14d", "0s", "90m", "1h30m", "2w", "1w2d3h4m5s", "3660d"}, "span": {"10s", "4s..15s", "10s..10s", "1m..1h"}, "limit": {"1 per 12h", "3 per 1d", "1 ever", "1000000 per 1s"}, "rate": {"50 in 10m", "0 in 1d"},
		"range": {"10..400", "10..", "over 150", "under 3", "-5..5", "1.5..2", "7", "..-1", "over -3"}, "clock": {"09:30", "9:30", "24:00", "00:00"}, "day": {"2026-12-25", "2028-02-29"},
		"opening": {"Mon-Fri 09:00-18:30", "Mon, Wed 09:00-12:00", "every day 10:00-17:00", "Sun 20:00-04:00", "Fri-Mon 9:00 - 10:00", "Mon,Wed, Fri 00:00-24:00", "Sat-Fri 10:00-11:00"}, "quiet": {"22:00-08:00", "00:00-24:00", "22:00 - 8:00"},
		"zone": {"Europe/Lisbon", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+3"}, "moment": {"Sat 23:00", "2026-12-25 10:00", "Mon 0:00"},
	}
	for name, parse := range readers() {
		for _, s := range written[name] {
			v, err := parse(s)
			if err != nil {
				t.Errorf("%s %q: %v", name, s, err)
				continue
			}
			if again, err := parse(v.String()); err != nil || again.String() != v.String() {
				t.Errorf("%s %q: written as %q, read again as %v, %v", name, s, v, again, err)
			}
		}
	}
}

func TestValuesOfAnything(t *testing.T) {
	all := readers()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-0-9smhdw:. perinovMFatu]{0,14}`)).Draw(t, "s")
		for name, parse := range all {
			v, err := parse(s)
			if err != nil {
				if err.Error() == "" {
					t.Fatalf("%s %q is refused without a word", name, s)
				}
				continue
			}
			if again, err := parse(v.String()); err != nil || again.String() != v.String() {
				t.Fatalf("%s %q: written as %q, read again as %v, %v", name, s, v, again, err)
			}
		}
	})
}

func TestWhatValuesMean(t *testing.T) {
	got := []any{}
	for _, read := range []func() (any, error){
		func() (any, error) { return read[text.Duration]("1w1d") },
		func() (any, error) { return read[bounds.Span]("4s..2m") },
		func() (any, error) { return read[bounds.Span]("10s") },
		func() (any, error) { return read[text.Limit]("3 per 1d") },
		func() (any, error) { return read[text.Limit]("1 ever") },
		func() (any, error) { return read[text.Rate]("50 in 10m") },
		func() (any, error) { return read[text.Clock]("18:30") },
		func() (any, error) { return read[text.Day]("2026-12-25") },
		func() (any, error) { return read[text.Opening]("Sat, Mon 22:00-02:00") },
		func() (any, error) { return read[text.Quiet]("22:00-08:00") },
		func() (any, error) { return read[text.WhenTime]("2026-12-25 10:00") },
	} {
		v, err := read()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	day := text.Day{Year: 2026, Month: time.December, Day: 25}
	want := []any{
		text.Duration(8 * 24 * time.Hour),
		bounds.Span{From: 4 * time.Second, To: 2 * time.Minute},
		bounds.Span{From: 10 * time.Second, To: 10 * time.Second},
		text.Limit{Max: 3, Per: 24 * time.Hour},
		text.Limit{Max: 1},
		text.Rate{Max: 50, In: 10 * time.Minute},
		text.Clock(18*60 + 30), day,
		text.Opening{Days: [7]bool{1: true, 6: true}, From: 22 * 60, To: 2 * 60},
		text.Quiet{From: 22 * 60, To: 8 * 60},
		text.WhenTime{Weekday: time.Friday, Day: day, Clock: 600},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRangeHolds(t *testing.T) {
	for s, holds := range map[string]map[float64]bool{
		"10..400":  {9.9: false, 10: true, 400: true, 401: false},
		"10..":     {9: false, 10: true, 1e9: true},
		"..400":    {-1e9: true, 400: true, 401: false},
		"over 150": {150: false, 150.1: true},
		"under 3":  {3: false, 2.9: true},
		"7":        {7: true, 7.1: false},
	} {
		r, err := bounds.ParseRange(s)
		if err != nil {
			t.Fatal(err)
		}
		for x, want := range holds {
			if r.HoldsNumber(x) != want {
				t.Errorf("%s holds %v: got %v", s, x, !want)
			}
		}
	}
}

func TestWhenTimeNext(t *testing.T) {
	w, err := text.ParseWhenTime("Sat 23:00")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ now, want string }{
		{"2026-11-20T10:00:00Z", "2026-11-21T23:00:00Z"},
		{"2026-11-21T23:00:00Z", "2026-11-21T23:00:00Z"},
		{"2026-11-21T23:00:01Z", "2026-11-28T23:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, tc.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Next(now).Format(time.RFC3339); got != tc.want {
			t.Errorf("after %s: got %s, want %s", tc.now, got, tc.want)
		}
	}
}
