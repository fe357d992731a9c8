package broadcast_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/internal/broadcast"
)

// What is outside of the window waits for its next beginning, on the clock of its zone, also when that is set forward.
func TestWindow(t *testing.T) {
	t.Parallel()
	day, night := broadcast.Window{From: 8 * 60, To: 22 * 60, Zone: "Europe/Lisbon"}, broadcast.Window{From: 20 * 60, To: 2 * 60, Zone: "Europe/Lisbon"}
	for name, c := range map[string]struct {
		window   broadcast.Window
		at, want string
	}{
		"always":               {broadcast.Window{}, "2027-03-02T03:00:00Z", "2027-03-02T03:00:00Z"},
		"within":               {day, "2027-03-02T08:00:00Z", "2027-03-02T08:00:00Z"},
		"before":               {day, "2027-03-02T07:59:59Z", "2027-03-02T08:00:00Z"},
		"behind":               {day, "2027-03-02T22:00:00Z", "2027-03-03T08:00:00Z"},
		"on the day of summer": {day, "2027-03-27T23:00:00Z", "2027-03-28T07:00:00Z"},
		"over midnight":        {night, "2027-03-02T01:59:00Z", "2027-03-02T01:59:00Z"},
		"before the evening":   {night, "2027-03-02T02:00:00Z", "2027-03-02T20:00:00Z"},
		"in no zone":           {broadcast.Window{From: 1, To: 2, Zone: "Nowhere"}, "2027-03-02T03:00:00Z", "2027-03-02T03:00:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.window.Next(at).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Twenty the first day, fifty the second, a hundred each day then; none outside of the window.
func TestSlots(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 2, 21, 30, 0, 0, time.UTC)
	days := map[string]int{}
	last := time.Time{}
	for _, at := range broadcast.PlanSlots(300, now, broadcast.Window{From: 8 * 60, To: 22 * 60, Zone: "UTC"}, 0) {
		if h := at.UTC().Hour(); h < 8 || h >= 22 || at.Before(last.Add(broadcast.Gap)) {
			t.Fatalf("%s, after %s", at, last)
		}
		last = at
		begun := now
		for begun.Add(24 * time.Hour).Before(at.Add(time.Second)) {
			begun = begun.Add(24 * time.Hour)
		}
		days[begun.Format("02")]++
	}
	if days["02"] != 20 || days["03"] > 50 || days["04"] > 100 || days["05"] > 100 {
		t.Errorf("by days: %v", days)
	}
	for week, want := range map[int]int{0: 20, 19: 20, 20: 50, 69: 50, 70: 100, 5000: 100} {
		if got := broadcast.MostPerDay(week); got != want {
			t.Errorf("after %d in a week %d, want %d", week, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	if got := broadcast.SaidText("say.owned?owner=ines"); got != "ines has the conversation" {
		t.Error(got)
	}
}
