package config

import "github.com/dustin/go-humanize"

const (
	leastSize = 1 << 20
	mostSize  = 64 << 30
)

// readSize reads a number of bytes: "256MiB", "1GiB" or "500MB".
func readSize(text string) (any, problem) {
	n, err := humanize.ParseBytes(text)
	if err != nil || n < leastSize || n > mostSize {
		return nil, "is not a size from 1MiB to 64GiB"
	}
	return int64(n), ""
}
