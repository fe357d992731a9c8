package record

import "time"

// Answer is what became of a request.
type Answer struct {
	Outcome string // as in a Trace
	Note    string
	At      time.Time
}
