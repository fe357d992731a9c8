package main

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// The pattern for editors accepts what is accepted, and what a value writes.
func TestPatternsOfValues(t *testing.T) {
	accepts[text.Duration](t, "0s", "90m", "1h30m", "2w", "1w2d3h4m5s", "3660d")
	accepts[bounds.Span](t, "10s..10s", "1m..1h")
	accepts[text.Limit](t, "1000000 per 1s")
	accepts[text.Rate](t, "0 in 1d")
	accepts[bounds.Range](t, "-5..5", "1.5..2", "7", "..-1", "over -3")
	accepts[text.Clock](t, "9:30", "24:00", "00:00")
	accepts[text.Day](t, "2028-02-29")
	accepts[text.Dates](t, "2027-08-01..2027-08-01", "02-29", "12-24 .. 01-06")
	accepts[grammar.Weekdays](t, "every day", "Fri-Mon", "Mon, Wed-Thu")
	accepts[text.Opening](t, "Sun 20:00-04:00", "Fri-Mon 9:00 - 10:00", "Mon,Wed, Fri 00:00-24:00", "Sat-Fri 10:00-11:00")
	accepts[text.Quiet](t, "00:00-24:00", "22:00 - 8:00")
	accepts[text.Zone](t, "America/Argentina/Buenos_Aires", "Etc/GMT+3")
	accepts[text.WhenTime](t, "Mon 0:00")
	accepts[text.WhenTimes](t, "Tue,Thu 9:30", "every day 09:30,17:00", "Sat-Mon 23:59, 0:00", "2026-12-25 10:00, 17:00")
}

func accepts[T any](t *testing.T, written ...string) {
	t.Helper()
	kind := reflect.TypeFor[T]()
	schema := valueSchema(kind)
	if schema == nil {
		t.Errorf("%s has no pattern", kind)
		return
	}
	for _, example := range schema.Examples {
		written = append(written, fmt.Sprint(example))
	}
	pattern := regexp.MustCompile(schema.Pattern)
	for _, s := range written {
		var dst struct {
			Value T `text:"value"`
		}
		f, problems := textfile.Parse("a.yaml", []byte("value: "+strconv.Quote(s)+"\n"))
		if problems = append(problems, f.Decode(&dst)...); len(problems) > 0 {
			t.Errorf("%s %q: %v", kind, s, problems)
			continue
		}
		shown, ok := any(dst.Value).(fmt.Stringer)
		if !pattern.MatchString(s) || ok && !pattern.MatchString(shown.String()) {
			t.Errorf("%s: the pattern %v refuses %q or %v", kind, pattern, s, dst.Value)
		}
	}
}
