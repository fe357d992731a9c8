package lease

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Timer is a timer of the kernel that ends this process with SIGKILL, also when it is stopped by a signal or a debugger.
type Timer struct {
	mu     sync.Mutex // guards the fields below
	id     int32
	closed bool
}

// sigevent is the kernel's struct of that name; see timer_create(2).
type sigevent struct {
	value  uintptr
	signal int32
	notify int32
	_      [64 - 8 - unsafe.Sizeof(uintptr(0))]byte
}

const (
	notifyBySignal = 0 // SIGEV_SIGNAL
	absoluteTime   = 1 // TIMER_ABSTIME
)

// NewDeadman makes the timer of this process. Close it. It fails where there is none, see ErrNoDeadman.
func NewDeadman() (*Timer, error) {
	t := &Timer{}
	event := sigevent{signal: int32(unix.SIGKILL), notify: notifyBySignal}
	_, _, errno := unix.Syscall(unix.SYS_TIMER_CREATE, unix.CLOCK_BOOTTIME, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&t.id))) //nolint:gosec // the kernel's way
	if errno != 0 {
		return nil, fmt.Errorf("%w: %w", ErrNoDeadman, errno)
	}
	return t, nil
}

// SetDeadline sets the time; see Deadman.
func (t *Timer) SetDeadline(until time.Duration) error {
	at := unix.NsecToTimespec(max(int64(until), 1)) // 0 would disarm it
	return t.set(&at)
}

// ClearDeadline lets the process live.
func (t *Timer) ClearDeadline() error { return t.set(new(unix.Timespec)) }

// set sets the timer, which fires once.
func (t *Timer) set(at *unix.Timespec) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	times := [2]unix.Timespec{1: *at}                                                                                           // how often, and when
	_, _, errno := unix.Syscall6(unix.SYS_TIMER_SETTIME, uintptr(t.id), absoluteTime, uintptr(unsafe.Pointer(&times)), 0, 0, 0) //nolint:gosec // the kernel's way
	if errno != 0 {
		return fmt.Errorf("set the timer that ends this process: %w", errno)
	}
	return nil
}

// Close deletes the timer.
func (t *Timer) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if _, _, errno := unix.Syscall(unix.SYS_TIMER_DELETE, uintptr(t.id), 0, 0); errno != 0 {
		return fmt.Errorf("delete the timer that ends this process: %w", errno)
	}
	return nil
}
