package text

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Span is a length of time between two, 4s..15s, or of exactly one, 10s. To is never below From.
type Span struct{ From, To time.Duration }

// parseSpan reads a span. The error says how to write it.
func parseSpan(s string) (Span, error) {
	from, to, two := strings.Cut(s, "..")
	if !two {
		d, err := parseLength(s)
		if err != nil {
			return Span{}, errors.New("write it like 10s, or 4s..15s")
		}
		return Span{d, d}, nil
	}
	a, err := parseLength(from)
	if number, unit, after := amount(to); err != nil && number != "" && unit != 0 && after == "" && !strings.ContainsFunc(from, notDigit) {
		return Span{}, fmt.Errorf("write the unit twice: %s%s..%s", from, to[len(number):], to)
	}
	b, err2 := parseLength(to)
	switch {
	case err != nil || err2 != nil:
		return Span{}, errors.New("write it like 10s, or 4s..15s")
	case a > b:
		return Span{}, fmt.Errorf("write the shorter one first: %s..%s", to, from)
	}
	return Span{a, b}, nil
}

func notDigit(ch rune) bool { return ch < '0' || ch > '9' }

// fromText reads a span.
func (s *Span) fromText(n Node) Problems {
	return readValue(n, s, "a time such as 10s or 4s..15s", parseSpan)
}

// String returns the span as people write it.
func (s Span) String() string {
	if s.From == s.To {
		return length(s.From)
	}
	return length(s.From) + ".." + length(s.To)
}
