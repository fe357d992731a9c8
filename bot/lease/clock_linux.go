package lease

import (
	"time"

	"golang.org/x/sys/unix"
)

// steady is the time since the machine was started, with what it slept.
func steady() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil { // every kernel since 2.6.39 has it
		panic("the system has no CLOCK_BOOTTIME: " + err.Error())
	}
	return time.Duration(t.Nano())
}
