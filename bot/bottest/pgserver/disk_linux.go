package pgserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// makeRoom gives the server its disk.
func (s *Server) makeRoom() error {
	if s.o.Room == 0 {
		return nil
	}
	err := syscall.Mount("tmpfs", s.Dir, "tmpfs", 0, fmt.Sprintf("size=%d", s.o.Room))
	if errors.Is(err, syscall.EPERM) {
		return ErrNoDisk
	}
	s.mounted = err == nil
	return err
}

// giveRoom gives the disk back.
func (s *Server) giveRoom() {
	if s.mounted {
		_ = syscall.Unmount(s.Dir, syscall.MNT_DETACH) // the disk is freed with the last process that uses it
		s.mounted = false
	}
}

// FillDisk takes all the room that is left on the server's disk, and returns what gives it back.
func (s *Server) FillDisk() (empty func() error, _ error) {
	if !s.mounted {
		return nil, ErrNoDisk
	}
	name := filepath.Join(s.Dir, "filler")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) //nolint:gosec // it is in a folder of the server
	if err != nil {
		return nil, err
	}
	for zeros := make([]byte, 1<<16); err == nil; {
		_, err = f.Write(zeros)
	}
	if err = errors.Join(err, f.Close()); !errors.Is(err, syscall.ENOSPC) {
		return nil, errors.Join(err, os.Remove(name))
	}
	return func() error { return os.Remove(name) }, nil
}
