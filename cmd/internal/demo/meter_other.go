//go:build !unix

package demo

import "time"

const hasMeter = false // --idle is refused

func cpuUsed() time.Duration { return 0 }

func residentSet() (now, peak int64) { return 0, 0 }
