package bot

import "fmt"

// laneState is where a lane stands.
type laneState uint32

const (
	laneIdle    laneState = iota // nothing is in it: it may be forgotten
	laneWaiting                  // something is in it, and no goroutine works on it
	laneRunning                  // a goroutine runs its turns
	laneFailing                  // the same, and a commit has failed meanwhile
	laneBroken                   // a commit has failed: nothing runs until everything under way has come back
	lanePaused                   // it starts again from the store after a while
	laneStates
)

var laneStateNames = [laneStates]string{"idle", "waiting", "running", "failing", "broken", "paused"}

func (s laneState) String() string { return laneStateNames[s] }

// mayRun reports whether turns may begin in this state.
func (s laneState) mayRun() bool { return s <= laneRunning }

// laneTransition is one way from a state to another. docs/architecture.md has a diagram of them.
type laneTransition struct {
	from, to laneState
	why      string
}

var laneTransitions = []laneTransition{
	{laneIdle, laneWaiting, "something comes in"},
	{laneWaiting, laneRunning, "a turn may begin"},
	{laneWaiting, laneIdle, "the last commit is made"},
	{laneWaiting, laneBroken, "a commit fails"},
	{laneRunning, laneWaiting, "no turn may begin, or a handler is left behind"},
	{laneRunning, laneIdle, "nothing is left"},
	{laneRunning, laneFailing, "a commit fails"},
	{laneFailing, laneBroken, "the goroutine ends, or is left behind"},
	{laneBroken, laneWaiting, "all has come back"},
	{laneBroken, laneIdle, "all has come back, and nothing is left"},
	{laneBroken, lanePaused, "all has come back, and the store is failing"},
	{lanePaused, laneWaiting, "its time is over"},
}

// laneMay has, for each state, a bit for each one that it may become.
var laneMay = func() (may [laneStates]uint8) {
	for _, t := range laneTransitions {
		may[t.from] |= 1 << t.to
	}
	return may
}()

// state returns where the lane stands. Who has not locked it learns how it stood a moment ago, but for one thing: with the
// account's lanes locked, what is idle stays so.
func (l *lane) state() laneState { return laneState(l.stateNow.Load()) }

// enterLocked is the only way to another state. One that is not in the table is a mistake of ours, after which nobody knows what the
// lane would do, or repeat: a crash loses nothing.
func (l *lane) enterLocked(to laneState) {
	from := l.state()
	if from == to {
		return
	}
	if laneMay[from]&(1<<to) == 0 {
		panic(fmt.Sprintf("bot: a lane that is %v becomes %v", from, to))
	}
	l.stateNow.Store(uint32(to))
}

// restLocked takes a lane that nothing holds up, and nobody works on, to where it waits.
func (l *lane) restLocked() {
	if len(l.queue)+len(l.inFlight)+len(l.toRetry) == 0 {
		l.enterLocked(laneIdle)
		return
	}
	l.enterLocked(laneWaiting)
}

// endRunLocked notes that no goroutine works on the lane any more.
func (l *lane) endRunLocked() {
	l.run = nil
	if l.state() == laneFailing {
		l.enterLocked(laneBroken)
		return
	}
	l.restLocked()
}

// breakLocked notes that a commit has failed, or was dropped: what was decided behind it does not count.
func (l *lane) breakLocked() {
	switch l.state() {
	case laneRunning:
		l.enterLocked(laneFailing)
	case laneFailing, laneBroken:
	default:
		l.enterLocked(laneBroken)
	}
}
