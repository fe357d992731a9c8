//go:build !linux

package recorder

import "time"

// boot is unknown here, so that the file of an earlier incarnation says nothing.
func boot() string { return "" }

var began = time.Now()

// steady is the time since the process was started: nobody compares it with that of another one, whose boot is unknown.
func steady() time.Duration { return time.Since(began) }
