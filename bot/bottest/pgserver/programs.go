//go:build unix

package pgserver

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// programsFolder returns the folder of the newest programs.
func programsFolder() (string, error) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	best, newest := "", 0
	for _, f := range folders {
		if n, _ := strconv.Atoi(filepath.Base(filepath.Dir(f))); n > newest && exists(filepath.Join(f, "postgres")) && exists(filepath.Join(f, "initdb")) {
			best, newest = f, n
		}
	}
	if best != "" {
		return best, nil
	}
	for _, f := range filepath.SplitList(os.Getenv("PATH")) {
		if exists(filepath.Join(f, "initdb")) && exists(filepath.Join(f, "postgres")) {
			return f, nil
		}
	}
	return "", ErrNone
}

func exists(path string) bool {
	_, err := os.Stat(path) //nolint:gosec // whoever runs this says where programs are
	return err == nil
}

// serverUser returns who runs the server: root may not.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // whoever runs this
	}
	var u *user.User
	var err error
	for _, name := range []string{"postgres", "nobody"} {
		if u, err = user.Lookup(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("root may not run PostgreSQL, and there is nobody else: %w", err)
	}
	uid, uerr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gerr := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uerr, gerr)
}
