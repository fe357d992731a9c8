package config

import (
	"strconv"
	"strings"
	"time"
)

// Retention is how long what is over is kept; 0 is for ever.
type Retention time.Duration

const (
	dayLong    = 24 * time.Hour
	leastKept  = 7 * dayLong
	mostDays   = 100 * 365
	keptReason = "is not a time from 7d to 36500d, or forever"
)

// UnmarshalText reads "90d", which is 90 days, or "forever".
func (r *Retention) UnmarshalText(text []byte) error {
	if string(text) == "forever" || string(text) == "0" {
		*r = 0
		return nil
	}
	days, ok := strings.CutSuffix(string(text), "d")
	if n, err := strconv.Atoi(days); ok && err == nil && n <= mostDays && time.Duration(n)*dayLong >= leastKept {
		*r = Retention(time.Duration(n) * dayLong)
		return nil
	}
	return problem(keptReason)
}
