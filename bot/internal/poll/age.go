package poll

import (
	"strconv"
	"strings"
	"time"
)

// ageUnits are the units of humanised times, in the spellings seen in clients and documentation.
var ageUnits = [...]struct {
	unit  time.Duration
	names [4]string
}{
	{time.Second, [4]string{"second", "sec", "s"}},
	{time.Minute, [4]string{"minute", "min", "m"}},
	{time.Hour, [4]string{"hour", "hr", "h"}},
	{24 * time.Hour, [4]string{"day", "d"}},
	{7 * 24 * time.Hour, [4]string{"week", "wk", "w"}},
	{30 * 24 * time.Hour, [4]string{"month", "mo"}},
	{365 * 24 * time.Hour, [4]string{"year", "yr", "y"}},
}

// Age reads a humanised English time, such as "5 minutes ago", as the platform shows it: what it tells of
// is at least age old, and younger than age+unit. Other languages are not read.
func Age(shown string) (age, unit time.Duration, ok bool) { return parseAge(shown) }

// maxAge is the highest age that is believed.
const maxAge = 100 * 365 * 24 * time.Hour

// parseAge reads a humanised English time: "just now", "5 minutes ago", "an hour ago", "3d". It
// returns the age and the unit in which it is counted. Other languages are not read.
func parseAge(text string) (age, unit time.Duration, ok bool) {
	text = strings.TrimSpace(text)
	if n := len(text) - len(" ago"); n > 0 && strings.EqualFold(text[n:], " ago") {
		text = text[:n]
	}
	if strings.EqualFold(text, "just now") || strings.EqualFold(text, "now") {
		return 0, time.Minute, true
	}
	if n := len("about "); len(text) > n && strings.EqualFold(text[:n], "about ") {
		text = text[n:]
	}
	count, word, ok := splitAge(text)
	if !ok {
		return 0, 0, false
	}
	if n := len(word) - 1; n > 0 && (word[n] == 's' || word[n] == 'S') {
		word = word[:n]
	}
	for _, u := range ageUnits {
		for _, name := range u.names {
			if name != "" && strings.EqualFold(word, name) {
				n := min(time.Duration(count), maxAge/u.unit+1) // no overflow
				return n * u.unit, u.unit, n*u.unit <= maxAge
			}
		}
	}
	return 0, 0, false
}

// splitAge splits "5 minutes", "5m" and "an hour" into a count, below 1,000, and a word.
func splitAge(text string) (count int, word string, ok bool) {
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		head, word, ok := strings.Cut(text, " ")
		return 1, word, ok && (strings.EqualFold(head, "a") || strings.EqualFold(head, "an"))
	}
	if digits > 3 {
		return 0, "", false
	}
	count, err := strconv.Atoi(text[:digits])
	return count, strings.TrimSpace(text[digits:]), err == nil
}
