package record

import "time"

// Answer is what became of a request.
type Answer struct {
	Outcome string // as in a decision record
	Note    string
	At      time.Time
}
