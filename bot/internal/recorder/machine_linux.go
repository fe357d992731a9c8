package recorder

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// bootID returns the number that the kernel gives itself at each start.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "" // no /proc is mounted: then the file says nothing
	}
	return strings.TrimSpace(string(id))
}

// steadyTime is the time since the machine was started, with what it slept.
func steadyTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil { // every kernel since 2.6.39 has it
		return 0
	}
	return time.Duration(t.Nano())
}
