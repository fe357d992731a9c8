// Package bounds has the ranges of numbers and of times that rules say.
package bounds

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Range is a range of numbers: 10..400, 10.., ..400, over 150, under 3, or one number alone.
type Range struct {
	Min, Max           float64
	HasMin, HasMax     bool
	AboveMin, BelowMax bool // the bound itself is not in the range: over 150, under 3
}

// ParseRange reads a range. The error says how to write it.
func ParseRange(s string) (Range, error) {
	var r Range
	ok, ok2 := true, true
	from, to, two := strings.Cut(s, "..")
	over, isOver := strings.CutPrefix(s, "over ")
	under, isUnder := strings.CutPrefix(s, "under ")
	switch {
	case isOver:
		r.HasMin, r.AboveMin = true, true
		r.Min, ok = parseNumber(over)
	case isUnder:
		r.HasMax, r.BelowMax = true, true
		r.Max, ok = parseNumber(under)
	case !two:
		r.HasMin, r.HasMax = true, true
		r.Min, ok = parseNumber(s)
		r.Max = r.Min
	default:
		if r.HasMin = from != ""; r.HasMin {
			r.Min, ok = parseNumber(from)
		}
		if r.HasMax = to != ""; r.HasMax {
			r.Max, ok2 = parseNumber(to)
		}
	}
	switch {
	case !ok || !ok2 || !r.HasMin && !r.HasMax:
		return Range{}, errors.New("write it like 10..400, over 150 or under 3")
	case r.HasMin && r.HasMax && r.Min > r.Max:
		return Range{}, fmt.Errorf("write the smaller number first: %s..%s", to, from)
	}
	return r, nil
}

// parseNumber reads a number such as 3, -3 or 2.5.
func parseNumber(s string) (float64, bool) {
	digits := strings.TrimPrefix(s, "-")
	whole, rest, dot := strings.Cut(digits, ".")
	if whole == "" || strings.ContainsFunc(whole+rest, notDigit) || dot && rest == "" || len(s) > 30 {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

// HoldsNumber reports whether x lies in the range.
func (r Range) HoldsNumber(x float64) bool {
	switch {
	case x != x: // not a number
		return false
	case r.HasMin && (x < r.Min || r.AboveMin && x == r.Min):
		return false
	case r.HasMax && (x > r.Max || r.BelowMax && x == r.Max):
		return false
	default:
		return true
	}
}

// FromText reads a range.
func (r *Range) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, r, "numbers such as 10..400", ParseRange)
}

// String returns the range as people write it.
func (r Range) String() string {
	show := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case r.AboveMin:
		return "over " + show(r.Min)
	case r.BelowMax:
		return "under " + show(r.Max)
	case r.HasMin && r.HasMax && r.Min == r.Max:
		return show(r.Min)
	case r.HasMin && r.HasMax:
		return show(r.Min) + ".." + show(r.Max)
	case r.HasMin:
		return show(r.Min) + ".."
	default:
		return ".." + show(r.Max)
	}
}
