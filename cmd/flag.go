package cmd

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// span is a flag for a length of time: what Go writes, with days, from 0 on.
type span time.Duration

var errSpan = errors.New("want a time from 0 on, like 30s, 24h or 7d")

// Set implements the value of a flag.
func (s *span) Set(text string) error {
	total := time.Duration(0)
	days, rest, dated := strings.Cut(text, "d")
	if dated {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return errSpan
		}
		total, text = time.Duration(n)*24*time.Hour, rest
	}
	if text != "" || !dated {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return errSpan
		}
		total += d
	}
	*s = span(total)
	return nil
}

// String implements the value of a flag.
func (s *span) String() string {
	if *s == 0 {
		return "0" // help texts leave it out
	}
	text := time.Duration(*s).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Type implements the value of a flag.
func (*span) Type() string { return "time" }

// number is a flag for a number from 1 on.
type number int

// Set implements the value of a flag.
func (c *number) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("want a whole number from 1 on")
	}
	*c = number(n)
	return nil
}

// String implements the value of a flag.
func (c *number) String() string { return strconv.Itoa(int(*c)) }

// Type implements the value of a flag.
func (*number) Type() string { return "number" }
