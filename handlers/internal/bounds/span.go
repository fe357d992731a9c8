package bounds

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Span is a length of time between two, 4s..15s, or of exactly one, 10s. To is never below From.
type Span struct{ From, To time.Duration }

// parseSpan reads a span. The error says how to write it.
func parseSpan(s string) (Span, error) {
	from, to, two := strings.Cut(s, "..")
	if !two {
		d, err := length(s)
		if err != nil {
			return Span{}, errors.New("write it like 10s, or 4s..15s")
		}
		return Span{d, d}, nil
	}
	a, err := length(from)
	unit := strings.TrimLeft(to, "0123456789")
	if one := len(unit) == 1 && unit != to && strings.Contains("smhdw", unit); err != nil && one && !strings.ContainsFunc(from, notDigit) {
		return Span{}, fmt.Errorf("write the unit twice: %s%s..%s", from, unit, to)
	}
	b, err2 := length(to)
	switch {
	case err != nil || err2 != nil:
		return Span{}, errors.New("write it like 10s, or 4s..15s")
	case a > b:
		return Span{}, fmt.Errorf("write the shorter one first: %s..%s", to, from)
	}
	return Span{a, b}, nil
}

// length reads a length of time.
func length(s string) (time.Duration, error) {
	d, err := text.ParseDuration(s)
	return time.Duration(d), err
}

func notDigit(ch rune) bool { return ch < '0' || ch > '9' }

// FromText reads a span.
func (s *Span) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, s, "a time such as 10s or 4s..15s", parseSpan)
}

// String returns the span as people write it.
func (s Span) String() string {
	if s.From == s.To {
		return text.Duration(s.From).String()
	}
	return text.Duration(s.From).String() + ".." + text.Duration(s.To).String()
}
