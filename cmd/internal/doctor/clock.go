package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// clockTolerance is by how much clocks may differ: nothing depends on less.
const clockTolerance = 2 * time.Minute

// clockWrong is from when on slots wait.
const clockWrong = 5 * time.Minute

// clock is what a platform says of the clock of this machine. Its methods may be called at once.
type clock struct {
	mu    sync.Mutex // guards the fields below
	ahead time.Duration
	told  bool
}

// noteAhead is told by how much this machine is ahead.
func (c *clock) noteAhead(ahead time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.told = ahead, true
}

// lookClock tells of a clock that is hours off: all that has a time comes at the wrong one then.
func lookClock(_ context.Context, p *patient) (said string, st Status, err error) {
	c := &p.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	is, comes := "ahead of", "early"
	switch {
	case !c.told:
		return "the platform does not say what time it is: nothing shows whether this machine is right", Good, nil
	case c.ahead.Abs() < clockTolerance:
		return "this machine agrees with the platform", Good, nil
	case c.ahead < 0:
		is, comes = "behind", "late"
	}
	slots := "campaigns,"
	if c.ahead.Abs() > clockWrong {
		slots = "slots of campaigns wait for it, and"
	}
	return fmt.Sprintf("this machine is %[1]s %[2]s the platform: %[4]s hours and whatever else has a time come %[1]s too %[3]s; set the clock, and let the "+
		"system keep it by the network", text.Duration(c.ahead.Abs()), is, comes, slots), Odd, nil
}
