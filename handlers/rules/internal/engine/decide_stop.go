package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language"
)

// Whoever writes a stop word is left alone until they write a start word, whoever has the conversation: nothing that
// was decided before is said any more, and what they did not write begins nothing.

// mostStopText is how many bytes it may have.
const mostStopText = 200

// asksForSilence reports whether the event asks us to be silent. Who is asked "keep or cancel?" and says "cancel" has answered.
func (d *decider) asksForSilence() bool {
	return d.asksBy(d.v.stopWords.SilenceAsked) && !d.choosesInStep()
}

// choosesInStep reports whether what is said is nothing but a choice that the step in which the person stands names itself.
func (d *decider) choosesInStep() bool {
	if d.state.Owner != "" || d.takenOver() {
		return false
	}
	t, p, ok := d.currentConversation()
	if !ok || d.pausedBy(t.Rule) != "" {
		return false
	}
	s := t.Steps[d.state.Flow.State]
	if s == nil || !s.named.AreAsked(d.reading) {
		return false
	}
	asked, known := d.questionState(p)
	return known && asked.State != event.StateHeld // a question that nobody was asked yet has no answer
}

// leftAlone reports whether the person has asked for silence.
func (d *decider) leftAlone() bool { return !d.state.Silence.Since.IsZero() }

// asksToSpeak reports whether the event asks us to speak again.
func (d *decider) asksToSpeak() bool { return d.asksBy(d.v.startWords.AreAsked) }

func (d *decider) asksBy(asked func(*language.Reading) bool) bool {
	if d.when != grammar.OnMessage || len(d.event.Text) > mostStopText {
		return false
	}
	d.read(d.event.Text)
	return asked(d.reading)
}

// letAlone lets somebody alone who asks for it. The step that they stand in may have something to say to that; then it
// is over.
func (d *decider) letAlone() {
	d.takeText(d.event.Text)
	told := d.leftAlone() && !d.state.Silence.Untold
	why := d.leaveAlone()
	if d.inTalk() {
		t, p, _ := d.currentConversation()
		if d.pausedBy(t.Rule) == "" {
			d.anyStep(t, p)
		}
	}
	if len(d.out.Needs) > 0 {
		return
	}
	d.leaveConversation()
	if !told {
		d.stopAnswer()
	}
	if d.winner == nil {
		d.end(decision.LeftAlone, "%s", why+d.silenceEnd())
	}
}

// leaveAlone takes back what was to be said, and returns why.
func (d *decider) leaveAlone() string {
	d.out.Withdraw, d.asksNothing = "the person wants to be left alone", true
	m := &d.state.Memory
	if m.Burst != nil {
		d.setTimer(TimerBurst, time.Time{}, nil)
		d.keepBefore(m.Burst)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Waiting)) {
		if r := d.v.ByID[name]; r != nil && slices.Contains(r.whens, grammar.OnSilence) { // what a team is told is no message to them
			d.endWait(name)
			d.setTimer(timerOf(name), time.Time{}, nil)
		}
	}
	for _, h := range m.Held {
		d.out.Refused = append(d.out.Refused, h.Key)
	}
	m.Due, m.Burst, m.Held, d.changed = nil, nil, nil, true
	if s := &d.state.Silence; s.Since.IsZero() || s.Untold {
		s.Since, s.Untold = d.now, !d.mute || !d.boldestStatus().Acts() // unless a person of ours has the conversation, and reads it
	}
	return fmt.Sprintf("%q asks for silence: the person is left alone until they write ", strings.TrimSpace(d.event.Text))
}

// keepBefore keeps for people of ours what stood before the stop word in a row, and is not answered any more.
func (d *decider) keepBefore(b *decision.Burst) {
	said := strings.TrimSpace(strings.Join(b.Texts, "\n"))
	if said == "" || d.dealtWith(b) || !d.boldestStatus().Acts() {
		return
	}
	d.out.Entries = append(d.out.Entries, decision.Entry{Rule: stopRule, List: listUnanswered, Text: said})
}

// silenceEnd says what ends the silence.
func (d *decider) silenceEnd() string {
	if d.state.Silence.Untold {
		return "again"
	}
	return fmt.Sprintf("%q", d.v.startWord)
}
