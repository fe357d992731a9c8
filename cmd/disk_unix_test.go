//go:build unix

package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// The signals that make the disk of a process full, and make room on it again.
const (
	diskFull = syscall.SIGUSR1
	diskFree = syscall.SIGUSR2
)

// haveDisk lets a process started by a test obey these signals: with a full disk, no file can be
// written.
func haveDisk() {
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		panic(err)
	}
	full := free
	full.Cur = 0
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, diskFull, diskFree)
	go func() {
		for s := range asked {
			limit := full
			if s == diskFree {
				limit = free
			}
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
				panic(err)
			}
		}
	}()
}
