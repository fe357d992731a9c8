package engine

import (
	"time"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Zone returns the time zone of the settings, or else the first one that a file names.
func (v *Version) Zone() *time.Location { return v.Folder.ZoneOf(v.HomeFile()) }

// HomeFile returns a file in the zone of the folder.
func (v *Version) HomeFile() *grammar.File {
	if v.Folder.Settings.Timezone.Location == nil {
		for _, f := range v.Folder.Files {
			if f.Timezone.Location != nil {
				return f
			}
		}
	}
	return &grammar.File{}
}

// testTime is a Tuesday at 10:00.
func testTime(zone *time.Location) time.Time { return time.Date(2026, time.June, 2, 10, 0, 0, 0, zone) }

// TestNow returns when a test happens: then when it says so, else on a Tuesday on which we are at work.
func (v *Version) TestNow(f *grammar.File, then *text.WhenTime) time.Time {
	now := testTime(v.Folder.ZoneOf(f))
	if then != nil {
		return then.Next(now)
	}
	hours := v.Folder.Hours(f)
	for week := range 52 {
		if at := now.AddDate(0, 0, 7*week); hours == nil || hours.OpenAt(at) {
			return at
		}
	}
	if at, ok := hours.NextOpen(now); ok {
		return at
	}
	return now
}
