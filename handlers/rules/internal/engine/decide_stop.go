package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// A person who writes a stop word is left alone until they write a start word, also while a person of ours has the
// conversation: nothing that was decided before is said any more, and only what they write themselves begins anything.

// mostStopText is how many bytes it may have.
const mostStopText = 200

// asksForSilence reports whether the event asks us to be silent. Somebody who is asked "keep or cancel?" and says "cancel" has only answered.
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

func (d *decider) asksBy(asked func(*match.Reading) bool) bool {
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

const (
	// stopRule stands in place of a rule in what is decided for somebody who asked for silence.
	stopRule = "stop_words"
	// listUnanswered is where what they write stands.
	listUnanswered = "unanswered"
	// stopTold is how often teams are told what such a person writes.
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
// quiet hours do not hold it up. Somebody who is not told ends the silence with any message.
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
// words is nothing to answer, nor is what a rule ignores.
func (d *decider) keepUnanswered() {
	if !d.when.SaysSomething() || strings.TrimSpace(d.event.Text) == "" || !d.boldestStatus().Acts() {
		return
	}
	m := &d.state.Memory
	if d.state.OwnerWrote.After(d.state.Silence.Since) && d.state.Owner != "" { // a person of ours talks with them
		return
	}
	if d.isIgnored() { //mutate:stopped-ignored
		return
	}
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

// compileSilence takes over what ends and begins silence.
func (v *Version) compileSilence() error {
	s, starts := &v.Folder.Settings, v.Folder.StartWords()
	v.stopWords, v.startWords, v.startWord = match.NewPhrases(s.StopWords...), match.NewPhrases(starts...), starts[0]
	if v.stopAnswer = s.StopAnswer; v.stopAnswer.String() != "" {
		return nil
	}
	var err error
	v.stopAnswer, err = template.Parse(grammar.StopDefault(v.Folder.Languages()[0]))
	return err
}

// AsksForSilence reports whether a message asks us to be silent.
func (v *Version) AsksForSilence(said string) bool {
	if len(v.stopWords) == 0 || len(said) > mostStopText {
		return false
	}
	r := match.Read(said)
	asked := v.stopWords.SilenceAsked(r)
	v.heard.Store(&heard{said, r})
	return asked
}

// heard is a message that has been read, and is not decided about yet.
type heard struct {
	said    string
	reading *match.Reading
}

// readingOf reads a text, unless it was read just now: to read takes longer than most of what is decided by it.
func (v *Version) readingOf(said string) *match.Reading {
	if h := v.heard.Swap(nil); h != nil && h.said == said {
		return h.reading
	}
	return match.Read(said)
}

// AsksToSpeak reports whether a message asks us to speak again.
func (v *Version) AsksToSpeak(said string) bool {
	return len(said) <= mostStopText && v.startWords.AreAsked(match.Read(said))
}
