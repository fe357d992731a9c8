//go:build unix && !aix

package lean

import (
	"errors"
	"syscall"
)

// looks says that an idle connection can be looked at on this system.
const looks = true

// isQuiet reports whether nothing has arrived at a socket: neither bytes, which nobody has asked for, nor its end.
func isQuiet(fd uintptr) bool {
	var b [1]byte
	_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
}
