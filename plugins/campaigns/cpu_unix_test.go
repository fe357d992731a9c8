//go:build unix

package campaigns_test

import "syscall"

// cpu returns how many seconds the process has computed.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it is asked of itself
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
