//go:build unix

package sqlite

import (
	"golang.org/x/sys/unix"
)

// fileID identifies a file under any path.
type fileID struct{ device, number uint64 }

// idOf returns which file is at a path. It is looked up each second: os.Stat costs more, and when a test has called it a million times, go test looks at
// each of those once more.
func idOf(path string) (fileID, error) {
	var s unix.Stat_t
	for {
		switch err := unix.Stat(path, &s); err {
		case nil:
			return fileID{uint64(s.Dev), s.Ino}, nil //nolint:gosec,unconvert,nolintlint // its type depends on the system
		case unix.EINTR:
		default:
			return fileID{}, err
		}
	}
}
