package config

import (
	"strconv"
	"strings"
	"time"
)

const (
	dayLong    = 24 * time.Hour
	leastKept  = 7 * dayLong
	mostDays   = 100 * 365
	keptReason = "is not a time from 7d to 36500d, or forever"
)

// readRetention reads how long what is over is kept: "90d", which is 90 days, or "forever", which is 0.
func readRetention(text string) (any, problem) {
	if text == "forever" || text == "0" {
		return time.Duration(0), ""
	}
	days, ok := strings.CutSuffix(text, "d")
	if n, err := strconv.Atoi(days); ok && err == nil && n <= mostDays && time.Duration(n)*dayLong >= leastKept {
		return time.Duration(n) * dayLong, ""
	}
	return nil, keptReason
}
