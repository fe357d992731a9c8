package config

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// readPace reads a number a second: "20/s", "30/m", "500/h" or "unlimited", which is +Inf.
func readPace(text string) (any, problem) {
	if text == "unlimited" {
		return math.Inf(1), ""
	}
	count, unit, _ := strings.Cut(text, "/")
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > 1_000_000 || units[unit] == 0 {
		return nil, "is not a pace like 1/s, 30/m, 500/h or unlimited"
	}
	return float64(n) / units[unit].Seconds(), ""
}

// readRate reads what readPace reads, with 0 for unlimited.
func readRate(text string) (any, problem) {
	if text == "unlimited" {
		return 0.0, ""
	}
	return readPace(text)
}
