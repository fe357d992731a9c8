//go:build unix

package demo

import (
	"os"
	"runtime"
	"syscall"
)

// usageOf returns the most memory that a process held, and how many bytes it wrote to disks. Only Linux counts these: in blocks of
// half a kilobyte, and of a file system in memory none.
func usageOf(p *os.ProcessState) (peakMB float64, written int64) {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0
	}
	unit := 1024.0 // bytes; macOS counts single ones
	switch runtime.GOOS {
	case "linux":
		written = int64(u.Oublock) * 512 //nolint:unconvert // it is shorter on machines of 32 bits
	case "darwin":
		unit = 1
	}
	return float64(u.Maxrss) * unit / 1e6, written
}
