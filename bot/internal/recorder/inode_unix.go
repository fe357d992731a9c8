//go:build unix

package recorder

import (
	"os"
	"syscall"
)

// inodeOf tells a file from a copy of it; zeros where the system does not tell.
func inodeOf(f *os.File) (device, number uint64) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(is.Dev), is.Ino //nolint:unconvert // of another type on other systems
}
