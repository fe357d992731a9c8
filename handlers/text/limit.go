package text

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Limit is how often something may happen: 3 per 1d, or 1 ever, which has a Per of 0. Max is at least 1.
type Limit struct {
	Max int
	Per time.Duration
}

// parseLimit reads a limit. The error says how to write it.
func parseLimit(s string) (Limit, error) {
	number, rest, _ := strings.Cut(s, " ")
	most, ok := parseCount(number)
	switch {
	case !ok:
		return Limit{}, errors.New("write it like 1 per 12h, or 1 ever")
	case most == 0:
		return Limit{}, errors.New("the smallest limit is 1. To stop a rule, write status: paused")
	}
	if rest == "ever" {
		return Limit{Max: most}, nil
	}
	per, found := strings.CutPrefix(rest, "per ")
	d, err := parseLength(per)
	if !found || err != nil || d == 0 {
		return Limit{}, errors.New("write it like 1 per 12h, or 1 ever")
	}
	return Limit{most, d}, nil
}

// parseCount reads a whole number up to a million.
func parseCount(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n <= 1_000_000 && strconv.Itoa(n) == s
}

// FromText reads a limit.
func (l *Limit) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, l, "a limit such as 1 per 12h", parseLimit)
}

// String returns the limit as people write it.
func (l Limit) String() string {
	if l.Per == 0 {
		return fmt.Sprintf("%d ever", l.Max)
	}
	return fmt.Sprintf("%d per %s", l.Max, lengthText(l.Per))
}
