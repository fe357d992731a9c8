package engine

import (
	"maps"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// Each answer waits for a time of its own, and those of one conversation stay in the order in which they were
// decided all the same: none leaves before the one before it. What stands behind a wait keeps its order among what
// the same rule says behind a wait: answers need not wait for it.

// inOrder returns when something may be said that would be said at a time.
func (d *decider) inOrder(at time.Time) time.Time {
	m := &d.state.Memory
	if d.state.TakenBack.After(m.Answered) { // what was said last has never left
		// Nothing is on its way behind which the next one would have to stand.
		m.Due = nil
	}
	d.nearer()
	at = latestTime(at, d.spoken)
	at = latestTime(at, m.Due[answersDue]) //mutate:answers-in-turn
	if d.waited {
		at = latestTime(at, m.Due[d.at.id])
	}
	return at
}

// nearer brings what was to be said by a clock that was ahead, and was set back since, as near as it was then: nobody waits for as long as it was ahead.
func (d *decider) nearer() {
	m := &d.state.Memory
	if ahead := m.Answered.Sub(d.now); ahead > 0 { //mutate:pull-in-order
		m.Due = maps.Clone(m.Due)
		for key, due := range m.Due {
			m.Due[key] = due.Add(-ahead)
		}
		m.Answered, d.changed = d.now, true
	}
}

// answersDue is the key in Memory.Due of what does not stand behind a wait.
const answersDue = ""

// noteSpoken notes that something is said at a time.
func (d *decider) noteSpoken(at time.Time) {
	d.spoken = at
	if d.status != decision.Live || !at.After(d.now) { // what waits for a person leaves when they say so
		return
	}
	m := &d.state.Memory
	maps.DeleteFunc(m.Due, func(_ string, due time.Time) bool { return !due.After(d.now) })
	if m.Due == nil {
		m.Due = map[string]time.Time{}
	}
	key := answersDue
	if d.waited {
		key = d.at.id
	}
	m.Due[key], d.changed = at, true
}

func latestTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
