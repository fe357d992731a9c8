package lease

import "time"

const (
	// Term is how long others wait for a worker that does not move before they take over.
	Term = 5 * time.Second
	// Margin is how much earlier a worker stops by itself: clocks run at different speeds.
	// A tenth of the term: two clocks may differ in speed by that much before a worker acts that others have declared dead.
	Margin = 500 * time.Millisecond
	// beatEvery is how often a worker renews its lease, and looks at the others.
	beatEvery = time.Second
	// beatPatience is how long a beat may take: there is time for a second one in a lease.
	beatPatience = 1500 * time.Millisecond
	// lookPatience is how long a look may take, and goodLook how long one that counts.
	lookPatience = 2 * time.Second
	goodLook     = time.Second
	// callPatience is how long anything else may take.
	callPatience = 5 * time.Second
	// shutEarly is how long before the end of a lease that is not renewed a worker shuts its guard, and killLate how long after that
	// end one is ended that has not: a worker that is short of CPU has both together.
	shutEarly = 250 * time.Millisecond
	killLate  = 250 * time.Millisecond
)

// Clock is what a worker knows of the time.
type Clock struct {
	// Steady is the time since some moment. It is never set, and also counts while the machine sleeps, where the system can tell.
	// What a lease is good for is decided by it alone.
	Steady func() time.Duration
	// Wall is the time of day.
	Wall func() time.Time
}

// SystemClock is that of the machine.
func SystemClock() Clock { return Clock{Steady: steadyTime, Wall: time.Now} }

// GoClock is that of the Go runtime, also in a bubble of testing/synctest.
func GoClock() Clock {
	began := time.Now()
	return Clock{Steady: func() time.Duration { return time.Since(began) }, Wall: time.Now}
}
