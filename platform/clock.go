package platform

import (
	"net/http"
	"sync/atomic"
	"time"
)

const (
	clockPause = time.Minute      // between two looks at what time it is
	clockSlow  = 10 * time.Second // answers that took longer say too little about when they were made
)

// clock compares the clock of this machine with what answers say of the platform's.
type clock struct {
	tell  func(ahead time.Duration) // nil: nobody wants to know
	begun time.Time                 // for a clock that nobody sets
	next  atomic.Int64              // when to look again, in nanoseconds since begun
}

// compareClocks compares the clocks now and then, by the answer to a request that left at a time.
func (c *clock) compareClocks(h http.Header, left time.Time) {
	if c.tell == nil {
		return
	}
	back := time.Now()
	now, next := int64(back.Sub(c.begun)), c.next.Load()
	if now < next {
		return
	}
	if ahead, ok := clockAhead(h, left, back); ok && c.next.CompareAndSwap(next, now+int64(clockPause)) {
		c.tell(ahead)
	}
}

// clockAhead returns by how much the clock of this machine is ahead of the one of an answer, to a second; false when the answer does not
// say what time it is.
func clockAhead(h http.Header, left, back time.Time) (ahead time.Duration, ok bool) {
	date, err := http.ParseTime(h.Get("Date"))
	took := back.Sub(left)
	if err != nil || took > clockSlow {
		return 0, false
	}
	// The header has whole seconds, cut off.
	return back.Round(0).Add(-took / 2).Sub(date.Add(time.Second / 2)).Round(time.Second), true
}
