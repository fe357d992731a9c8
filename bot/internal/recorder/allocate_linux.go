package recorder

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate gives a file its room on the disk, so that a disk that is full later is no matter.
func allocate(f *os.File, from, to int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, from, to-from)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return fill(f, from, to)
	}
	return err
}
