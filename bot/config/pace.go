package config

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Pace is a number of sends per second; +Inf is unlimited.
type Pace float64

// Unlimited tells whether there is no limit.
func (p Pace) Unlimited() bool { return math.IsInf(float64(p), 1) }

// UnmarshalText reads "20/s", "30/m", "500/h" or "unlimited".
func (p *Pace) UnmarshalText(text []byte) error {
	if string(text) == "unlimited" {
		*p = Pace(math.Inf(1))
		return nil
	}
	count, unit, _ := strings.Cut(string(text), "/")
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > 1_000_000 || units[unit] == 0 {
		return problem("is not a pace like 1/s, 30/m, 500/h or unlimited")
	}
	*p = Pace(float64(n) / units[unit].Seconds())
	return nil
}

// HostRate is a number of requests per second; 0 is unlimited.
type HostRate float64

// UnmarshalText reads what Pace reads.
func (r *HostRate) UnmarshalText(text []byte) error {
	var p Pace
	if err := p.UnmarshalText(text); err != nil {
		return err
	}
	if *r = HostRate(p); p.Unlimited() {
		*r = 0
	}
	return nil
}
