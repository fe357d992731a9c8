package bind

import "time"

// ToMicros makes a stored number of a time: microseconds, 0 for the zero time.
func ToMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// FromMicros makes the time of a stored number again.
func FromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us)
}

// Instant is the moment of probing as a parameter, in microseconds: a beginning goes on with the one at which it was read ahead.
type Instant int64
