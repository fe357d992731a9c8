package bind

import "time"

// Micros makes a stored number of a time: microseconds, 0 for the zero time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Moment makes the time of a stored number again.
func Moment(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us)
}

// Instant is the moment of probing as a parameter, in microseconds: a beginning goes on with the one at which it was read ahead.
type Instant int64
