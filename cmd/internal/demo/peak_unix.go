//go:build unix

package demo

import (
	"os"
	"runtime"
	"syscall"
)

// peakMB returns the most memory that a process held.
func peakMB(p *os.ProcessState) float64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	unit := 1024.0 // bytes; macOS counts single ones
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(u.Maxrss) * unit / 1e6
}
