//go:build !linux

package lease

import "time"

var began = time.Now()

// steadyTime is the time since the program was started. On some systems it stands still while the machine sleeps.
func steadyTime() time.Duration { return time.Since(began) }
