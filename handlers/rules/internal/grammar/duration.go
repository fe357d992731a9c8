package grammar

import (
	"fmt"
	"time"
)

// parseDuration reads a time such as 12h, in the units that people write.
func parseDuration(word string) (time.Duration, error) {
	var n int
	var unit string
	if _, err := fmt.Sscanf(word, "%d%s", &n, &unit); err != nil || n < 0 || n > 10_000 {
		return 0, fmt.Errorf("%q is no time", word)
	}
	each, ok := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[unit]
	if !ok {
		return 0, fmt.Errorf("%q is no time", word)
	}
	return time.Duration(n) * each, nil
}
