package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Whoever writes a stop word is left alone until they write again, whoever has the conversation: nothing that was
// decided before is said any more, and what they did not write begins nothing.

// stops tells whether the event asks us to be silent.
func (d *decider) stops() bool { return d.when == OnMessage && d.v.stops(d.event.Text) }

// stopped lets somebody alone who asks for it. The step that they stand in may have something to say to that.
func (d *decider) stopped() {
	d.hear(d.event.Text)
	why := d.leaveAlone()
	heard := false
	if d.inTalk() {
		t, p, _ := d.talk()
		heard = d.pausedBy(t.rule) == "" && d.anyStep(t, p)
	}
	if len(d.out.Needs) > 0 {
		return
	}
	if !heard {
		d.leave()
	}
	if d.winner == nil {
		d.end(LeftAlone, "%s", why)
	}
}

// leaveAlone takes back what was to be said, and returns why.
func (d *decider) leaveAlone() string {
	d.out.Withdraw = "the person wants to be left alone"
	m := &d.state.Memory
	if m.Burst != nil {
		d.timer(timerBurst, time.Time{}, nil)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Waiting)) {
		if r := d.v.byID[name]; r != nil && slices.Contains(r.whens, OnSilence) { // what a team is told is no message to them
			delete(m.Waiting, name)
			d.timer(timerWaiting+name, time.Time{}, nil)
		}
	}
	m.Stopped, m.Due, m.Burst, d.changed = true, nil, nil, true
	return fmt.Sprintf("%q is a stop word: the person is left alone until they write again", strings.TrimSpace(d.event.Text))
}
