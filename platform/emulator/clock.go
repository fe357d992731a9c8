package emulator

import (
	"net/http"
	"time"
)

// SetClock sets the clock that the platform shows from now on: see Dialect.Clock.
func (p *Platform) SetClock(ahead time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ahead.Store(int64(ahead))
	p.dialect.Clock = ahead
	p.dialectVersion++ // rows show times
}

// shownClock returns when something was, by the clock that the platform shows.
func (e *encoder) shownClock(at time.Time) time.Time { return at.Add(e.dialect.Clock) }

// setDate says what time it is, where the platform's clock is not this machine's.
func (p *Platform) setDate(w http.ResponseWriter) {
	if ahead := time.Duration(p.ahead.Load()); ahead != 0 {
		w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
	}
}

// retryAfter returns the header Retry-After of an answer, for a second: as a date where the answer has one.
func retryAfter(h http.Header) string {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return "1"
	}
	return now.Add(time.Second).Format(http.TimeFormat)
}
