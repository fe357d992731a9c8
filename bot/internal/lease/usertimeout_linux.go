package lease

import (
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// userTimeout lets the kernel give up what nobody acknowledges for so long.
func userTimeout(c net.Conn, patience time.Duration) error {
	raw, ok := c.(syscall.Conn)
	if _, tcp := c.(*net.TCPConn); !ok || !tcp || patience <= 0 {
		return nil
	}
	control, err := raw.SyscallConn()
	if err != nil {
		return fmt.Errorf("bound what a connection repeats: %w", err)
	}
	var setErr error
	err = control.Control(func(fd uintptr) {
		setErr = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(patience.Milliseconds()))
	})
	if err == nil {
		err = setErr
	}
	if err != nil {
		return fmt.Errorf("bound what a connection repeats: %w", err)
	}
	return nil
}
