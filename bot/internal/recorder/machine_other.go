//go:build !linux

package recorder

import "time"

// bootID is unknown here, so that the file of an earlier incarnation says nothing.
func bootID() string { return "" }

var began = time.Now()

// steadyTime is the time since the process was started: nobody compares it with that of another process, since its boot is unknown.
func steadyTime() time.Duration { return time.Since(began) }
