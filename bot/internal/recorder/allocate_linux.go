package recorder

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocateRoom gives a file its room on the disk, so that a disk that is full later is no matter.
func allocateRoom(f *os.File, from, to int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, from, to-from)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return fillZeros(f, from, to)
	}
	return err
}
