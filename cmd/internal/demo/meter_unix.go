//go:build unix

package demo

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

const hasMeter = true

// usage is what the system has counted of this process.
func usage() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for other constants alone
	return u
}

// cpuUsed is what this process has used of processors.
func cpuUsed() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// residentSet returns the memory of this process, and the most that it was. Linux counts the process that started it in what Getrusage tells of
// the most, so its own files are asked first.
func residentSet() (now, peak int64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		u := usage()
		if peak = int64(u.Maxrss); runtime.GOOS != "darwin" { //nolint:unconvert // not everywhere that wide; macOS counts bytes
			peak *= 1024
		}
		return peak, peak
	}
	defer func() { _ = f.Close() }() // nothing was written
	for lines := bufio.NewScanner(f); lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "VmRSS: %d kB", &now) // most lines are about something else
		_, _ = fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &peak)
	}
	return now * 1024, peak * 1024
}
