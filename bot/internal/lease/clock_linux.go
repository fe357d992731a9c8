package lease

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// steadyTime is the time since the machine was started, with what it slept. It never waits, so the scheduler need not know of the call.
func steadyTime() time.Duration {
	var t unix.Timespec
	_, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_BOOTTIME, uintptr(unsafe.Pointer(&t)), 0) //nolint:gosec // the kernel's way
	if errno != 0 {                                                                                             // every kernel since 2.6.39 has it
		panic("the system has no CLOCK_BOOTTIME: " + errno.Error())
	}
	return time.Duration(t.Nano())
}
