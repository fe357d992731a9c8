package engine

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

const (
	// stopRule is who decided what is done for somebody who asked for silence: no rule.
	stopRule = "stop_words"
	// listUnanswered is where what they write stands.
	listUnanswered = "unanswered"
	// stopTold is how often teams are told what one of them writes.
	stopTold = 24 * time.Hour
)

// boldestStatus returns how far the boldest rule may go.
func (d *decider) boldestStatus() decision.Status {
	best := decision.Paused
	for _, r := range d.v.rules {
		switch s := d.statusOf(r); {
		case s == decision.Live:
			return decision.Live
		case s == decision.Ask, s == decision.Watch && best == decision.Paused:
			best = s
		}
	}
	return best
}

// stopAnswer tells somebody who asks for silence how to end it. It leaves as far as the boldest rule's answers do, and
// quiet hours do not hold it up: it is about them. Whoever is not told ends the silence with any message.
func (d *decider) stopAnswer() {
	status := d.boldestStatus()
	if d.mute || status == decision.Paused {
		return
	}
	a := decision.Action{Rule: stopRule, Verb: event.VerbMessage, Status: status, Due: d.now}
	a.Text = d.v.stopAnswer.FillText(func(name string) string {
		if name == grammar.StartWordVariable {
			return strings.ToUpper(d.v.startWord)
		}
		return d.value(name, nil, d.now)
	})
	if !d.appended(&a) {
		d.out.Actions = append(d.out.Actions, a)
	}
	if status.Acts() {
		d.state.Silence.Untold, d.changed = false, true
	}
	if status == decision.Live {
		d.state.Memory.Answered = d.now
	}
}

// appended puts an answer below what a step says, so that there is one message.
func (d *decider) appended(a *decision.Action) bool {
	n := len(d.out.Actions) - 1
	if n < 0 {
		return false
	}
	said := &d.out.Actions[n]
	if said.Verb != a.Verb || said.Status != a.Status || utf8.RuneCountInString(said.Text)+utf8.RuneCountInString(a.Text)+1 > bot.MaxMessage {
		return false
	}
	said.Text += "\n" + a.Text
	for i := range said.Variants {
		said.Variants[i] += "\n" + a.Text
	}
	return true
}

// isSilenced reports whether the event comes from somebody who asked for silence, and does not end it. Nothing is said to them.
func (d *decider) isSilenced() bool {
	if !d.leftAlone() || d.state.Silence.Untold { //mutate:stop-lasts
		return false
	}
	if d.asksToSpeak() {
		d.state.Silence, d.state.Memory.StopTold, d.changed = conversation.Silence{}, time.Time{}, true
		d.begins = true //mutate:start-word-asks
		return false
	}
	return true
}

// keepUnanswered keeps what somebody writes who asked for silence, and tells a team now and then. What they do without
// words is nothing to answer.
func (d *decider) keepUnanswered() {
	if !d.when.SaysSomething() || strings.TrimSpace(d.event.Text) == "" || !d.boldestStatus().Acts() {
		return
	}
	m := &d.state.Memory
	if d.state.OwnerWrote.After(d.state.Silence.Since) && d.state.Owner != "" { // a person of ours talks with them
		return
	}
	d.read(d.event.Text)
	d.out.Entries = append(d.out.Entries, decision.Entry{Rule: stopRule, List: listUnanswered, Text: d.said})
	if d.now.Sub(m.StopTold).Abs() < stopTold { // also of a clock that was ahead
		return
	}
	m.StopTold, d.changed = d.now, true
	d.out.Notices = append(d.out.Notices, decision.Notice{
		Rule: stopRule, Who: d.unansweredTo(), Kind: notify.KindRule, Text: fmt.Sprintf("asked for silence, and is not answered: %s", d.summaryText()),
	})
}

// unansweredTo returns who is told: the team of the first rule for what nothing answers, or else all teams.
func (d *decider) unansweredTo() string {
	for _, r := range d.v.always[grammar.OnNoMatch] {
		if !d.statusOf(r).Acts() {
			continue
		}
		for i := range r.acts {
			if n := r.acts[i].Notify; n != nil {
				return n.Who
			}
		}
	}
	return event.Everybody
}
