//go:build !unix

package demo

import "os"

// peakMB returns 0: the system does not tell.
func peakMB(*os.ProcessState) float64 { return 0 }
