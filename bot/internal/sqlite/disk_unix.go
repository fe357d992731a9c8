//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// Free returns how many bytes are free for this user on the disk of a folder; false where that is not known.
func Free(dir string) (uint64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
