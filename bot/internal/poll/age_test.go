package poll_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/poll"
)

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		text      string
		age, unit time.Duration // unit 0: it cannot be read
	}{
		{"just now", 0, time.Minute},
		{"Now", 0, time.Minute},
		{"1 second ago", time.Second, time.Second},
		{"24 seconds ago", 24 * time.Second, time.Second},
		{"a minute ago", time.Minute, time.Minute},
		{" 5 Minutes Ago ", 5 * time.Minute, time.Minute},
		{"20 min ago", 20 * time.Minute, time.Minute},
		{"an hour ago", time.Hour, time.Hour},
		{"about 2 hours ago", 2 * time.Hour, time.Hour},
		{"3d", 3 * day, day},
		{"3 d", 3 * day, day},
		{"2 weeks ago", 14 * day, 7 * day},
		{"11 months ago", 330 * day, 30 * day},
		{"99 years ago", 99 * 365 * day, 365 * day},
		{"999 years ago", 0, 0},
		{"5000 days ago", 0, 0},
		{"5 minutos", 0, 0},
		{"vor 5 Minuten", 0, 0},
		{"5 минут назад", 0, 0},
		{"il y a 5 minutes", 0, 0},
		{"3 hours, 2 minutes ago", 0, 0},
		{"s", 0, 0},
		{"5", 0, 0},
		{"a", 0, 0},
		{"", 0, 0},
		{" ago", 0, 0},
	} {
		age, unit, ok := poll.ParseAge(c.text)
		if ok != (c.unit > 0) || ok && (age != c.age || unit != c.unit) {
			t.Errorf("%q is read as %v in %v (%v), want %v in %v", c.text, age, unit, ok, c.age, c.unit)
		}
	}
}

func FuzzParseAge(f *testing.F) {
	for _, text := range []string{"just now", "5 minutes ago", "an hour ago", "about 3d", "99 y", "\xff 1 s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		age, unit, ok := poll.ParseAge(text)
		if ok && (age < 0 || unit <= 0 || age%time.Second != 0) {
			t.Errorf("%q is read as %v in %v", text, age, unit)
		}
	})
}
