package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Span is a flag for a length of time: what Go writes, with days, from 0 on.
type Span time.Duration

var errSpan = errors.New("want a time from 0 on, like 30s, 24h or 7d")

// Set implements the value of a flag.
func (s *Span) Set(text string) error {
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
	*s = Span(total)
	return nil
}

// String implements the value of a flag.
func (s *Span) String() string {
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
func (*Span) Type() string { return "time" }

// Number is a flag for a number from 1 on.
type Number int

// Set implements the value of a flag.
func (n *Number) Set(text string) error {
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 {
		return errors.New("want a whole number from 1 on")
	}
	*n = Number(count)
	return nil
}

// String implements the value of a flag.
func (n *Number) String() string { return strconv.Itoa(int(*n)) }

// Type implements the value of a flag.
func (*Number) Type() string { return "number" }

// Rate is a flag for how often a second something happens.
type Rate float64

// Set implements the value of a flag.
func (r *Rate) Set(text string) error {
	count, unit, named := strings.Cut(text, "/")
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}
	if !named {
		unit = "s"
	}
	n, err := strconv.ParseFloat(count, 64)
	if err != nil || !(n > 0 && n <= 1_000_000) || units[unit] == 0 {
		return errors.New("want a number a second, a minute or an hour, like 1000/s, 60/m or 30/h")
	}
	*r = Rate(n / units[unit].Seconds())
	return nil
}

// String implements the value of a flag.
func (r *Rate) String() string {
	if *r == 0 {
		return "" // help texts leave it out
	}
	return strconv.FormatFloat(float64(*r), 'g', -1, 64) + "/s"
}

// Type implements the value of a flag.
func (*Rate) Type() string { return "rate" }
