//go:build unix

package sqlite

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// giveToFolder gives a file that root has just made to the owner of its folder. Where that is impossible, as on some mounts, the file stays
// root's, and root can go on; another user is told who owns it.
func giveToFolder(f *os.File) {
	if os.Geteuid() != 0 {
		return
	}
	if info, err := os.Stat(filepath.Dir(f.Name())); err == nil {
		if is, ok := info.Sys().(*syscall.Stat_t); ok && is.Uid != 0 {
			_ = f.Chown(int(is.Uid), int(is.Gid))
		}
	}
}

// GiveToFolder does so with a file that was made beside a database.
func GiveToFolder(path string) {
	if f, err := os.Open(path); err == nil { //nolint:gosec // the path is the user's choice
		giveToFolder(f)
		_ = f.Close()
	}
}

// ownerText says who owns a file of a database that this user cannot open, and what to do about it; "" when the owner is not the problem.
func ownerText(path, suffix string) string {
	path, err := FileBehind(path)
	if err != nil {
		return ""
	}
	of, err := os.Stat(path + suffix)
	if err != nil || of.Mode().Perm()&0o022 != 0 {
		return ""
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return ""
	}
	switch name, owner, folder := filepath.Base(path+suffix), ownerOf(of), ownerOf(dir); {
	case owner == folder && of.Mode().Perm()&0o077 == 0:
		return fmt.Sprintf("%s belongs to %s alone: run this as that user", name, owner)
	case owner == folder:
		return ""
	case folder == ownerOf(nil):
		return fmt.Sprintf("%s belongs to %s: sudo chown USER %s*, with the user as whom the bot runs", name, owner, path)
	default:
		return fmt.Sprintf("%s belongs to %s, and its folder to %s: sudo chown %[3]s %s*", name, owner, folder, path)
	}
}

// ownerOf returns the name of a file's owner, of root for nil, or the number where there is none.
func ownerOf(info fs.FileInfo) string {
	id := "0"
	if info != nil {
		is, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return "another user"
		}
		id = strconv.FormatUint(uint64(is.Uid), 10)
	}
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}
