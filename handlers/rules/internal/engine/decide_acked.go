package engine

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
)

// Somebody of ours may say that she sees to who waits, before she writes. Then nobody else is called, and when she has not written after the longest of the
// times that calls had, the team that would be, or was, called last is called once more.

const (
	TimerAcked = TimersOwned + "acked" // somebody of ours sees to it from now on
	TimerAgain = TimersOwned + "again" // and has not written by then
)

// ackedSince reports whether somebody of ours has said since then that she sees to it.
func (d *decider) ackedSince(since time.Time) bool { return d.state.Acked.After(since) }

// keepCalls keeps who was called last, for when somebody says that she sees to it and then does not.
func (d *decider) keepCalls() {
	m := &d.state.Memory
	if m.Called != nil && d.attendedSince(m.Called.Since) {
		m.Called, d.changed = nil, true
	}
	for i := range d.out.Notices {
		n := &d.out.Notices[i]
		if n.Kind != notify.KindHandoff && n.Kind != notify.KindWaiting && (n.Kind != notify.KindRule || d.calls == "") {
			continue
		}
		c := waiting.Asked{Since: d.now, Who: n.Who, Text: n.Text, Said: d.keptText(), Rule: n.Rule, Private: n.Private, Urgent: n.Urgent, After: d.calledAfter}
		if m.Called != nil {
			c.Since, c.After = m.Called.Since, max(m.Called.After, c.After)
		}
		if len(n.Asked) > 0 {
			c.Said = n.Asked[0]
		}
		m.Called, d.changed = &c, true
	}
}

// setAckTimer sets the timer by which the last team is called once more, when somebody of ours sees to who waits.
func (d *decider) setAckTimer() {
	m := &d.state.Memory
	var last waiting.Asked
	if m.Called != nil && !d.attendedSince(m.Called.Since) {
		last = *m.Called
	}
	for _, asked := range m.Asked {
		if a := firstOf(asked); a.Who != "" && a.After > last.After && !d.attendedSince(a.Since) {
			last = *a
		}
	}
	if last.After <= 0 {
		d.end(decision.Acted, "somebody of ours sees to it; no rule calls anybody after a while")
		return
	}
	last.At, last.Since = last.Since, d.now
	data, err := json.Marshal(&last)
	if err != nil {
		d.err = err
		return
	}
	d.setTimer(TimerAgain, d.now.Add(last.After), data)
	d.end(decision.Acted, "somebody of ours sees to it; %s is called once more in %s, unless one of you has written by then", last.Who, last.After)
}

// callAgain calls the last team once more.
func (d *decider) callAgain(t event.Timer) {
	var w waiting.Asked
	if err := json.Unmarshal(t.Data, &w); err != nil {
		d.err = err
		return
	}
	if since := d.sinceSet(w.Since, t); d.attendedSince(since) || d.ackedSince(since.Add(time.Second)) {
		d.end(decision.LeftAlone, "somebody has answered meanwhile, or sees to it")
		return
	}
	n := decision.Notice{
		Rule: w.Rule, Who: w.Who, Kind: notify.KindWaiting, As: notify.KindHandoff, Text: w.Text, Private: w.Private, Urgent: w.Urgent, Since: w.At,
		Told: d.toldSince(w.At),
	}
	if w.Said != "" {
		n.Asked = []string{w.Said}
	}
	if len(d.out.Needs) > 0 {
		return
	}
	d.out.Notices = append(d.out.Notices, n)
	d.out.Rule = w.Rule
	d.end(decision.Acted, "somebody of ours saw to it, and nobody has written since %s", w.Since.UTC().Format(clockShown))
}
