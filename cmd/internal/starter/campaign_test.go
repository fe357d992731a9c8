package starter

import (
	"testing"
	"time"
)

// Whoever tries the campaign reposts its post on the same day: the first slot is far enough away on each day of the week.
func TestCampaignBeginsInAWeek(t *testing.T) {
	t.Parallel()
	c := FirstCampaign{Beginning: &Beginning{Zone: "Europe/Lisbon"}}
	for day := range 7 {
		now := time.Date(2026, 12, 1+day, 23, 59, 0, 0, time.UTC)
		starts, err := time.Parse(time.DateOnly, c.filled("%STARTS%", now))
		if err != nil || starts.Weekday() != time.Monday {
			t.Fatalf("on %s it starts on %s: %v", now, starts, err)
		}
		if tuesday := starts.AddDate(0, 0, 1).Add(9*time.Hour + 30*time.Minute); tuesday.Sub(now) < 6*24*time.Hour || tuesday.Sub(now) > 14*24*time.Hour {
			t.Errorf("on %s its first slot is on %s", now, tuesday)
		}
	}
}
