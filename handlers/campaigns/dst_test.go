package campaigns_test

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// zoneNames are all zones of the list that comes with Go.
func zoneNames(tb testing.TB) []string {
	tb.Helper()
	root, err := exec.CommandContext(tb.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	list, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	var all []string
	for _, f := range list.File {
		if !strings.HasSuffix(f.Name, "/") {
			all = append(all, f.Name)
		}
	}
	if slices.Sort(all); len(all) < 400 {
		tb.Fatal("these are not all zones:", all)
	}
	return all
}

// Clocks have changed by half an hour, by a quarter, at midnight, and over a whole day.
func TestSlotsOfOddChanges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ zone, month string }{
		{"Pacific/Apia", "2011-12"},         // there was no 30 December
		{"Pacific/Kwajalein", "1993-08"},    // nor a 21 August
		{"America/Scoresbysund", "2024-03"}, // the last hour of a day was missing
		{"Australia/Lord_Howe", "2027-04"},  // by half an hour
		{"Asia/Pyongyang", "2018-05"},       // the last half hour of a day was missing
		{"America/Caracas", "2007-12"},
		{"Asia/Kathmandu", "1985-12"},   // by a quarter
		{"America/Santiago", "2027-09"}, // at midnight
		{"America/Havana", "2027-03"},
		{"Africa/Casablanca", "2027-02"}, // back, and forward again, in one month
		{"Antarctica/Troll", "2027-03"},  // by two hours
		{"Asia/Gaza", "2027-03"},
		{"Africa/Juba", "2021-01"},
	} {
		from, err := time.Parse("2006-01", tc.month)
		if err != nil {
			t.Fatal(err)
		}
		if walked(t, zone(t, tc.zone), from, from.AddDate(0, 1, 0)) == 0 {
			t.Errorf("no clock changes in %s in %s", tc.zone, tc.month)
		}
	}
}

// walked compares the slots of a campaign that has one each hour, and one each minute around changes, with a walk. It returns how many
// changes there were.
func walked(tb testing.TB, loc *time.Location, from, to time.Time) (changes int) {
	tb.Helper()
	compare(tb, often(tb, loc, 60), from, to, 60)
	minutely := often(tb, loc, 1)
	for at := from; ; {
		_, change := at.In(loc).ZoneBounds()
		if change.IsZero() || !change.Before(to) {
			return changes
		}
		compare(tb, minutely, change.Add(-26*time.Hour), change.Add(26*time.Hour), 1)
		changes++
		at = change
	}
}

// often is a campaign with a slot every so many minutes.
func often(tb testing.TB, loc *time.Location, every int) *campaigns.Campaign {
	tb.Helper()
	c := campaigns.Campaign{ID: "x", Zone: loc}
	for d := range time.Weekday(7) {
		for clock := 0; clock < 24*60; clock += every {
			c.Lines = append(c.Lines, campaigns.Line{When: text.WhenTime{Weekday: d, Clock: text.Clock(clock)}})
		}
	}
	return ready(tb, c)
}

// wall is what the clock on the wall shows, in minutes since it showed the first of 1970.
func wall(t time.Time) int {
	_, offset := t.Zone()
	return int(t.Unix()+int64(offset)) / 60
}

// named is the same of the name of a slot.
func named(id campaigns.SlotID) int {
	return int(time.Date(id.Day.Year, id.Day.Month, id.Day.Day, 0, 0, 0, 0, time.UTC).Unix())/60 + int(id.Clock)
}

// compare looks at the clock on the wall step by step, and notes when it first shows a time, or has gone over it.
func compare(tb testing.TB, c *campaigns.Campaign, from, to time.Time, every int) {
	tb.Helper()
	const aday = 24 * 60
	first := wall(from.In(c.Zone)) - 3*aday
	have := make([]int64, wall(to.In(c.Zone))-first+3*aday)
	missing := map[int]bool{}
	for s := range c.Slots(from.Add(-day), to.Add(day)) {
		have[named(s.ID)-first] = s.At.Unix()
		if s.NoDay {
			missing[named(s.ID)/aday] = true
		}
	}
	days := map[int]bool{}
	seen := wall(from.Add(-time.Second).In(c.Zone))
	var change time.Time
	for at := from; at.Before(to); {
		shows := at.In(c.Zone)
		now := wall(shows)
		for days[now/aday] = true; seen < now; {
			if seen++; seen%every == 0 && have[seen-first] != at.Unix() {
				tb.Fatalf("%s: %s comes at %s, and the clock shows it at %s", c.Zone, time.Unix(int64(seen)*60, 0).UTC().Format("2006-01-02 15:04"),
					time.Unix(have[seen-first], 0).In(c.Zone), shows)
			}
		}
		at = at.Add(time.Duration(every-now%every) * time.Minute)
		if !shows.Before(change) {
			if _, change = shows.ZoneBounds(); change.IsZero() {
				change = to
			}
		}
		if change.Before(at) {
			at = change
		}
	}
	for d := wall(from.In(c.Zone))/aday + 1; d < wall(to.In(c.Zone))/aday; d++ {
		if missing[d] == days[d] {
			tb.Fatalf("%s: day %s is missing: %v, and was seen: %v", c.Zone, time.Unix(int64(d)*86400, 0).UTC(), missing[d], days[d])
		}
	}
}
