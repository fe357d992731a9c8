package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// Decide says what comes of an input. It depends on nothing else: the same input has the same decision.
// An error means that what is kept of the conversation cannot be read.
func (v *Version) Decide(in decision.Input) (decision.Decision, error) {
	d := deciders.Get().(*decider)
	defer d.putAway()
	d.v, d.in, d.now, d.state = v, in, in.Now, cloneOf(&in.State)
	d.out.LimitUseOf, d.put, d.join = -1, -1, -1
	d.keepPauses()
	d.beginBundle()
	switch in.Trigger.Kind {
	case event.ByEvent:
		d.happened(in.Trigger.Event)
	case event.ByTimer:
		d.decideTimer(in.Trigger.Timer)
	case event.ByRequest, event.ByNudge:
	}
	if d.err != nil && len(d.out.Needs) == 0 {
		return decision.Decision{}, d.err
	}
	return d.done(), nil
}

// errLost is the error of a conversation that goes round in a circle.
var errLost = errors.New("the conversation goes from step to step without an end")

// happened decides about an event.
func (d *decider) happened(e event.Event) {
	d.event, d.when = e, grammar.WhenOf(e.Kind)
	d.ids = []event.ID{e.ID}
	if d.when.SaysSomething() {
		at := saidWhen(e.SaidAt, e.SeenAt)
		d.isAbout(e.ID, at, at)
	}
	switch {
	case d.when == "":
		d.end(decision.Unmatched, "rules do not look at events of kind %s", e.Kind)
	// Before everything else: nobody is answered over a person of ours, not even who asks for silence; lookOn hears that all the same.
	case d.state.Owner != "":
		d.lookOn()
	case d.asksForSilence():
		d.letAlone()
	case d.isSilenced():
		if d.alwaysUnsaid("the person wants to be left alone") { //mutate:always-stopped
			return
		}
		d.keepUnanswered() //mutate:stopped-unanswered
		d.asksNothing = true
		d.end(decision.LeftAlone, "the person wants to be left alone, until they write %s", d.silenceEnd())
	case d.when != grammar.OnMessage && d.leftAlone():
		d.asksNothing = true
		d.end(decision.LeftAlone, "the person wants to be left alone, until they write again")
	// After the stop words, which do not wait until a burst is over.
	case d.when == grammar.OnMessage && d.gatherMessage():
	default:
		d.takeText(e.Text)
		d.cut()
		d.leaveOutIgnored()
		d.decideAnswer()
	}
}

// decideAnswer finds who answers: the step that the conversation stands in, then the rules.
func (d *decider) decideAnswer() {
	first := d.when == grammar.OnMessage && !d.state.Memory.Spoken
	switch {
	case d.when == grammar.OnMessage && d.inTalk():
		d.answerStep()
	case d.allIgnored():
	default:
		d.tryRules()
	}
	d.handleUnanswered()
	if first {
		// After the rules, which may ask whether this is the first message.
		d.state.Memory.Spoken, d.changed = true, true
	}
}

// tryRules tries the rules, as people read them.
func (d *decider) tryRules() {
	d.rulesOn(d.when)
	if len(d.out.Needs) > 0 || d.matched || d.begins || !d.when.SaysSomething() { //mutate:liked-matched
		return
	}
	for _, r := range d.tryableRules(grammar.OnNoMatch) {
		if (d.shadow != nil || d.liked) && d.statusOf(r) == decision.Watch {
			continue
		}
		if d.tryRule(r); len(d.out.Needs) > 0 {
			return
		}
	}
}

// rulesOn tries the rules for a kind of event.
func (d *decider) rulesOn(w grammar.When) {
	again := d.takeSnapshot()
	d.pass = true
	for _, r := range d.tryableRules(w) {
		if d.tryRule(r); len(d.out.Needs) > 0 {
			return
		}
		if d.anew {
			// It has come to light that one rule answers alone, or that several do in one message: what those before it decided without knowing that is
			// taken back, and all of them are tried again.
			again(d)
			d.rulesOn(w)
			return
		}
		if d.winner != nil && d.winner.ignores { // of what is ignored nobody is told, by no rule
			break
		}
	}
	d.pass = false
	d.performBegun()
}

// tryRule tries a rule.
func (d *decider) tryRule(r *rule) {
	status := d.statusOf(r)
	if status == decision.Paused {
		d.noteRule(r, false, "it is paused")
		return
	}
	if r.ignores && (d.inTalk() || d.isAlwaysAsked()) {
		d.noteRule(r, false, "the step that the person stands in goes first, or a rule that is always asked")
		return
	}
	d.at, d.nearest = r, ""
	ok, why := d.all(r.conds, nil)
	// No rule behind it is looked at: which one answers depends on this one, and what they need may never be asked.
	if len(d.out.Needs) > 0 {
		return
	}
	if !ok {
		d.noteTried(r, decision.Tried{Why: why, Nearest: d.nearest})
		return
	}
	if r.startsConversation() && (d.inTalk() || d.begun != nil) { //mutate:talk-under-way
		d.noteRule(r, false, "it would begin a conversation, and one is under way")
		return
	}
	switch reason, held := d.heldBack(r, status); {
	case len(d.out.Needs) > 0:
	case held != "" && r.always && status.Acts() && reason != grammar.HeldPaused && !d.taking:
		d.noteRule(r, true, "it matched ("+why+"), and nothing is said: "+held)
		d.fireUnsaid(r, status, held)
	case held != "":
		d.noteHeld(r, why, held)
		if reason == grammar.HeldPaused && !d.taking && (!r.Answers || d.winner == nil || d.giveFurtherParts(r)) { //mutate:paused-recorded
			d.record(r)
		}
		d.stay(r, status, reason, held)
	case slices.Contains(r.whens, grammar.OnSilence) && !waitsFor(d.in.Trigger.Timer.Name, r):
		d.noteRule(r, true, "it waits whether anybody answers")
		d.wait(r, r.after)
	default:
		d.fire(r, status, why)
	}
}

// heldBack tells what keeps a rule that matched silent, and for which of the reasons that rules can wait for; "" when
// nothing does.
func (d *decider) heldBack(r *rule, status decision.Status) (grammar.HeldReason, string) {
	paused := d.pausedBy(r)
	switch {
	case r.ignores: // what says nothing is held back by nothing but a pause of its own
		return grammar.HeldPaused, d.paused[r.id]
	// For no reason that another rule can wait for: it will not become younger.
	case d.event.Age(d.now) > r.answerWithin && !d.in.Trigger.Late:
		return "", fmt.Sprintf("it may be %s old, and is answered within %s", d.event.Age(d.now).Round(time.Second), r.answerWithin)
	case status == decision.Watch: // it counts nothing, and so uses nothing up
		return "", ""
	case paused != "":
		return grammar.HeldPaused, paused
	case r.led != nil && d.isDropped(d.now):
		return grammar.HeldHours, "quiet hours: it does not begin in them"
	}
	if status == decision.Ask {
		if why := d.preparedReason(r); why != "" || len(d.out.Needs) > 0 {
			return "", why
		}
	}
	return d.reachedLimit(r)
}

// fire lets a rule do what it says.
func (d *decider) fire(r *rule, status decision.Status, why string) {
	if status == decision.Watch {
		d.watch(r, why)
		return
	}
	mayAnswer := r.Answers && d.mayAnswer(r)
	if d.anew || d.beside && !mayAnswer {
		return
	}
	d.matched = d.matched || r.matches
	if d.taking && !mayAnswer && !r.hasSideEffect() {
		return
	}
	switch {
	case mayAnswer:
		d.noteWinner(r)
		d.noteRule(r, true, why)
		d.out.Tried = markWinner(d.out.Tried)
	case r.Answers && d.winner != nil:
		d.noteTried(r, decision.Tried{Matched: true, Why: why + "; " + d.winner.id + " answers already", End: decision.TriedLate})
	case r.Answers:
		d.noteRule(r, true, why+"; "+d.alone.id+" answers alone")
	default:
		d.noteRule(r, true, why)
	}
	if mayAnswer && d.pass && r.startsConversation() && d.hasSeveralParts() {
		d.begun = r // its question comes last
		return
	}
	d.performRule(r, status, mayAnswer)
}

// performRule does what a rule says: without its answer when another one answers.
func (d *decider) performRule(r *rule, status decision.Status, mayAnswer bool) {
	d.at, d.status, d.offset, d.waited, d.line, d.quiet, d.put = r, status, 0, false, 0, false, -1
	if r.ignores { // nothing of it would wait for a person
		d.status = decision.Live
	}
	d.beginBundle()
	from := len(d.out.Actions)
	for i := range r.acts {
		if a := &r.acts[i]; mayAnswer || !a.TakesAnswer() {
			d.doAct(a, d.within)
		}
	}
	if r.led != nil && mayAnswer {
		d.start(r.led)
	}
	d.noteActed(r)
	d.awaitEmptyBundles()
	if d.unsaid != "" {
		return
	}
	if d.put >= 0 || len(d.out.Actions) > from || !d.quiet && (mayAnswer || !r.Answers) { // who did nothing used nothing up
		d.countUse(r, from)
	}
	if mayAnswer {
		d.dropsAnswer(r)
	}
}

// noteActed notes that a rule did something.
func (d *decider) noteActed(r *rule) {
	if d.acted = true; d.doer == nil {
		d.doer = r
	}
	if d.taking && !slices.Contains(d.takers, r.id) {
		d.takers = append(d.takers, r.id)
	}
}

// stay notes that a rule which matched is held back.
func (d *decider) stay(r *rule, status decision.Status, reason grammar.HeldReason, held string) {
	if status == decision.Watch || d.taking || d.beside && (!r.Answers || !d.giveFurtherParts(r)) {
		return
	}
	d.matched = d.matched || r.matches
	switch {
	case r.Answers && d.winner == nil:
		d.winner, d.held = r, held
		d.holdBack(r, reason, held, d.giveMatchedParts(r))
	case r.Answers && (d.beside || d.giveFurtherParts(r)):
		d.holdBack(r, reason, held, true)
	case !r.Answers && d.stayed == nil:
		d.stayed, d.staying = r, held
	}
}

// watch records what a rule on watch would do, and does nothing.
func (d *decider) watch(r *rule, why string) {
	d.noteTried(r, decision.Tried{Matched: true, Why: why + "; it is on watch, and does nothing", Found: why, End: decision.TriedWatched})
	mayAnswer := r.Answers && d.wouldAnswer(r)
	if r.Answers && !mayAnswer {
		return // somebody else would have answered
	}
	d.record(r)
	switch {
	case mayAnswer && d.shadow == nil:
		d.shadow = r
	case !mayAnswer && r.matches:
		d.liked = true
	}
	d.watched = append(d.watched, r.id)
}

// record records what a rule would do, for a rule that does nothing at the moment.
func (d *decider) record(r *rule) {
	saved, state := *d, cloneOf(&d.state)
	d.at, d.status, d.offset, d.waited, d.line, d.dry = r, decision.Watch, 0, false, 0, true
	for i := range r.acts {
		d.doAct(&r.acts[i], nil)
	}
	if r.led != nil {
		d.start(r.led)
	}
	actions := d.out.Actions
	// Decided as if the rule acted, and taken back but for its actions: they record what would have happened.
	*d = saved
	d.state, d.out.Actions = state, actions
}
