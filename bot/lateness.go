package bot

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// timerIsLate is how late a timer's turn is when its decision record says so.
const timerIsLate = time.Minute

// Lateness returns how long after the time that it was set to the turn of a timer begins: moments, unless the bot
// was down, a person had the conversation, the handler failed before, or no program had a route for the timer. It
// is 0 for turns that no timer started. Trigger.Late says that it was quarantined in between.
func (t *Turn) Lateness() time.Duration {
	if t.Trigger.Kind != event.ByTimer {
		return 0
	}
	return max(0, t.Now.Sub(firstDue(&t.Trigger.Timer)))
}

// firstDue returns when a timer was due first.
func firstDue(t *event.Timer) time.Time {
	if t.First.IsZero() {
		return t.Due
	}
	return t.First
}

// putOff lets the timer of the turn come again later. It knows when it was due first.
func (t *Turn) putOff(d time.Duration) {
	x := &t.Trigger.Timer
	t.After(d, x.Name, x.Data...)
	t.timers[len(t.timers)-1].First = firstDue(x) //mutate:put-off
}
