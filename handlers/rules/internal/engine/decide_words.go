package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// isAbout notes which words are decided about: those up to the event last, the first of which was said at since.
func (d *decider) isAbout(last event.ID, since, said time.Time) {
	d.last, d.since, d.saidAt = last, since, said
}

// saidWhen returns when an event was said, as far as anybody knows.
func saidWhen(said, seen time.Time) time.Time {
	if said.IsZero() {
		return seen
	}
	return said
}

// noteConcerns says which words the decision is about, and whether a person of ours has to see to them: since a rule says so with a call that waits, or what
// was said stands on the list of what is not answered.
func (d *decider) noteConcerns() {
	needed := d.calls
	if i := slices.IndexFunc(d.out.Entries, func(e decision.Entry) bool { return e.List == listUnanswered }); i >= 0 && needed == "" {
		needed = d.out.Entries[i].Rule
	}
	// Words that are looked at again had a turn of their own, which said what they mean: what was said since may be answered.
	again := IsWaiting(d.in.Trigger.Timer.Name) && d.answerAt() < 0
	if d.last == (event.ID{}) || d.out.Outcome == decision.Gathering || (d.asksNothing || again) && needed == "" {
		return
	}
	w := &d.out.Words
	w.Last, w.Since, w.Said, w.Needed = d.last, d.since, d.saidAt, needed
}

// callsLater notes that a rule calls somebody later, unless the words are dealt with by then. A call that is made at once leaves nothing to wait for.
func (d *decider) callsLater(n *grammar.Notify) {
	if (n.WhenOpen || n.IfWaiting > 0) && d.status == decision.Live && !d.dry {
		d.calls = d.at.id
	}
}

// takeText takes the text that is to be answered.
func (d *decider) takeText(said string) {
	if d.when == grammar.OnMessage && d.state.Silence.Untold {
		// They were never told how to end the silence (see stopAnswer), so any message ends it.
		d.state.Silence, d.changed = conversation.Silence{}, true
	}
	d.read(said)
	d.noteLanguage()
	d.hits = d.v.Texts.Match(d.reading, nil)
}

// read reads a text, once.
func (d *decider) read(said string) {
	if said = strings.TrimSpace(said); d.reading == nil || said != d.said {
		d.said, d.reading = said, d.v.readingOf(said)
	}
}
