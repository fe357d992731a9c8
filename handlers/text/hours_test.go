package text_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
	"pgregory.net/rapid"
)

// zones change their clocks: at one, at two, by half an hour, and at midnight.
func zones(tb testing.TB) []*time.Location {
	tb.Helper()
	var all []*time.Location
	for _, name := range []string{"Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago", "UTC"} {
		z, err := text.ParseZone(name)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, z.Location)
	}
	return all
}

// moments draws moments, many of them near a change of clocks.
func moments(zone *time.Location) *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		at := time.Unix(rapid.Int64Range(1735689600, 1861920000).Draw(t, "unix"), 0).In(zone)
		if _, end := at.ZoneBounds(); !end.IsZero() && rapid.Bool().Draw(t, "near a change") {
			at = end.Add(time.Duration(rapid.IntRange(-40*3600, 30*3600).Draw(t, "seconds")) * time.Second)
		}
		return at.In(zone)
	})
}

func TestNextOpenIsTheFirstOpenMinute(t *testing.T) {
	all := zones(t)
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(all).Draw(t, "zone")
		at := moments(zone).Draw(t, "at")
		var h text.Hours
		for range rapid.IntRange(1, 3).Draw(t, "openings") {
			o := text.Opening{From: wall(t), To: wall(t)}
			o.Days[rapid.IntRange(0, 6).Draw(t, "day")] = true
			o.Days[at.Weekday()] = rapid.Bool().Draw(t, "today")
			if o.From == o.To {
				o.To++
			}
			h.Open = append(h.Open, o)
		}
		if rapid.Bool().Draw(t, "closed") {
			day := text.DayOf(at.AddDate(0, 0, rapid.IntRange(-1, 2).Draw(t, "days")))
			h.ClosedOn = append(h.ClosedOn, text.Dates{From: day, To: day})
		}
		want := at
		for !h.OpenAt(want) {
			if want = want.Truncate(time.Minute).Add(time.Minute); want.Sub(at) > 20*24*time.Hour {
				return
			}
		}
		got, ok := h.NextOpen(at)
		if !ok || !got.Equal(want) {
			t.Fatalf("next open after %v: got %v %v, want %v; %v closed %v", at, got, ok, want, h.Open, h.ClosedOn)
		}
	})
}

// wall draws a time on the wall, many of them in the hours in which clocks change.
func wall(t *rapid.T) text.Clock {
	if rapid.Bool().Draw(t, "at night") {
		return text.Clock(rapid.IntRange(0, 8).Draw(t, "half hours") * 30)
	}
	return text.Clock(rapid.IntRange(0, 1439).Draw(t, "minute"))
}

// What is open is what a clock on the wall shows.
func TestOpenAtReadsTheClockOnTheWall(t *testing.T) {
	h := hours(t, "open: [Mon-Fri 09:00-18:30, Fri 22:00-02:00]\nclosed_on: [2026-12-25, 2027-01-04]\n")
	for _, tc := range []struct {
		at   string
		want bool
	}{
		{"2026-11-20 09:00", true},
		{"2026-11-20 08:59", false},
		{"2026-11-20 18:29", true},
		{"2026-11-20 18:30", false},
		{"2026-11-20 22:00", true},
		{"2026-11-21 01:59", true},
		{"2026-11-21 02:00", false},
		{"2026-11-21 10:00", false},
		{"2026-12-25 10:00", false},
		{"2026-12-25 23:00", false},
		{"2026-12-26 01:00", false},
		{"2027-01-04 10:00", false},
	} {
		at, err := time.Parse("2006-01-02 15:04", tc.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.OpenAt(at); got != tc.want {
			t.Errorf("open at %s: got %v", tc.at, got)
		}
	}
	never := text.Hours{Open: textfile.List[text.Opening]{{}}}
	if at, ok := never.NextOpen(time.Unix(0, 0).UTC()); ok {
		t.Error("open on no day, but next open at", at)
	}
}

func hours(tb testing.TB, src string) text.Hours {
	tb.Helper()
	f, problems := textfile.Parse("hours.yaml", []byte(src))
	var h text.Hours
	if problems = append(problems, f.Decode(&h)...); len(problems) > 0 {
		tb.Fatal(problems)
	}
	return h
}

func TestQuietEndsWithTheFirstMinuteThatIsNot(t *testing.T) {
	all := zones(t)
	rapid.Check(t, func(t *rapid.T) {
		q := text.Quiet{From: wall(t), To: wall(t)}
		if q.From == q.To {
			q.To++
		}
		at := moments(rapid.SampledFrom(all).Draw(t, "zone")).Draw(t, "at")
		quiet := func(at time.Time) bool {
			m := text.Clock(at.Hour()*60 + at.Minute())
			if q.From < q.To {
				return q.From <= m && m < q.To
			}
			return m >= q.From || m < q.To
		}
		want := at
		for quiet(want) {
			want = want.Truncate(time.Minute).Add(time.Minute)
		}
		got, ok := q.Until(at)
		if ok != quiet(at) || ok && !got.Equal(want) {
			t.Fatalf("%v at %v: got %v %v, want %v", q, at, got, ok, want)
		}
	})
}

// A time on the wall that comes twice is the first of the two; of one that is left out it is the first
// moment after it.
func TestDayAt(t *testing.T) {
	all := zones(t)
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(all).Draw(t, "zone")
		day, clock := text.DayOf(moments(zone).Draw(t, "day")), wall(t)
		got := day.At(clock, zone)
		show := func(at time.Time) string { return at.Format("2006-01-02 15:04") }
		name := day.String() + " " + clock.String()
		want := time.Date(day.Year, day.Month, day.Day, 0, 0, 0, 0, time.UTC).Add(-15 * time.Hour).In(zone)
		for show(want) < name {
			want = want.Add(time.Minute)
		}
		if !got.Equal(want) {
			t.Fatalf("%s in %v: got %v, want %v", name, zone, got, want)
		}
	})
}
