package config

import "github.com/dustin/go-humanize"

// Size is a number of bytes.
type Size int64

const (
	leastSize = 1 << 20
	mostSize  = 64 << 30
)

// UnmarshalText reads "256MiB", "1GiB" or "500MB".
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n < leastSize || n > mostSize {
		return problem("is not a size from 1MiB to 64GiB")
	}
	*s = Size(n)
	return nil
}
