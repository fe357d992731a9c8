package engine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// A rule with always: true is for what must not go unheard, as an emergency: it is asked before the step in which a person stands. Where the bot may not
// speak, such a rule does not answer either, but it calls a team all the same.

// alwaysInStep lets such rules act before a step; it reports whether the message is theirs. The question is asked again behind what they say, or, when
// they have given the conversation away, once the bot has it back.
func (d *decider) alwaysInStep(t *ledConversation, p *decision.Progress) bool {
	r, why := d.alwaysFor()
	if r == nil {
		return len(d.out.Needs) > 0
	}
	status := d.statusOf(r)
	_, held := d.heldBack(r, status)
	if len(d.out.Needs) > 0 {
		return true
	}
	if s := t.Steps[d.state.Flow.State]; s != nil {
		d.keepPrivate(s)
	}
	d.noteRule(r, true, "before the step: "+why)
	d.noteWinner(r)
	d.out.Tried = markWinner(d.out.Tried)
	d.within = p
	d.performUnsaid(r, status, true, held)
	d.within = nil
	if r.hands {
		if status == decision.Live {
			p.Handed = d.now
			d.keepProgress(p)
			d.setTimer(TimerSilence, time.Time{}, nil)
		}
		return true
	}
	d.asksAgain(t)
	return true
}

// asksAgain asks the question of the step again, behind what is said. What waits for approval takes it along.
func (d *decider) asksAgain(t *ledConversation) {
	bundle, status := d.bundle, d.status
	d.enterConversation(t)
	if status == decision.Ask && d.status.Acts() {
		d.bundle, d.status = bundle, decision.Ask
	}
	d.mode = modeAgain
	in, eff, err := t.flow.Input(context.Background(), d, d.state.Flow, d.now)
	d.followMove(t, in, eff, err)
}

// backInStep asks the question of a step once more when the bot has the conversation back that such a rule had given away; false when what the
// person says is an answer to it all the same.
func (d *decider) backInStep(t *ledConversation, p *decision.Progress) bool {
	if p.Handed.IsZero() {
		return false
	}
	p.Handed, p.Back = time.Time{}, d.now
	d.keepProgress(p)
	s := t.Steps[d.state.Flow.State]
	if s.Expect != nil && !slices.Contains(s.Expect.Kinds, grammar.ExpectText) {
		d.enterConversation(t)
		if _, ok := s.read(d); ok {
			return false
		}
	}
	d.winner = t.Rule
	d.enterConversation(t)
	d.asksAgain(t)
	return true
}

// alwaysFor returns the first rule that is always asked, matches and acts, and why it does; nil for none. Those on watch take nobody's place.
func (d *decider) alwaysFor() (*rule, string) {
	for _, r := range d.v.candidateRules(d.when, d.hits) {
		status := d.statusOf(r)
		if !r.always || status == decision.Paused {
			continue
		}
		d.at = r
		ok, why := d.all(r.conds, nil)
		switch {
		case len(d.out.Needs) > 0:
			return nil, ""
		case !ok:
			d.noteRule(r, false, why)
		case d.pausedBy(r) != "":
			d.noteHeld(r, why, d.pausedBy(r))
		case status == decision.Watch:
			d.watch(r, why)
		default:
			return r, why
		}
	}
	return nil, ""
}

// alwaysUnsaid lets such a rule act, without an answer, for somebody who has asked for silence; it reports whether one did.
func (d *decider) alwaysUnsaid(held string) bool {
	d.takeText(d.event.Text)
	r, why := d.alwaysFor()
	if r == nil {
		return len(d.out.Needs) > 0
	}
	d.noteRule(r, true, why)
	d.noteWinner(r)
	d.performUnsaid(r, d.statusOf(r), true, held)
	return true
}

// fireUnsaid lets such a rule act outside of a step while something keeps its answer back. A rule that only tells people takes no other rule's answer away.
func (d *decider) fireUnsaid(r *rule, status decision.Status, held string) {
	mayAnswer := r.Answers && d.mayAnswer(r)
	if d.anew || d.beside && !mayAnswer {
		return
	}
	if mayAnswer {
		d.noteWinner(r)
	}
	d.performUnsaid(r, status, mayAnswer, held)
}

// performUnsaid does what a rule says, but for what it would do on the platform when something holds that back.
func (d *decider) performUnsaid(r *rule, status decision.Status, mayAnswer bool, held string) {
	if d.matched = d.matched || r.matches; held != "" && mayAnswer {
		d.out.Reason = "its answer is held back: " + held
	}
	d.unsaid = held
	d.performRule(r, status, mayAnswer)
	d.unsaid = ""
}

// takenOver reports whether a person of ours has written since the conversation stands in its step. One that was given away within the step waits
// for the bot to have it back.
func (d *decider) takenOver() bool {
	since := d.state.Flow.Since
	if !d.state.OwnerWrote.After(since) {
		return false
	}
	var p decision.Progress
	if json.Unmarshal(d.state.Flow.Data, &p) != nil { // led tells
		return true
	}
	return p.Handed.IsZero() && d.state.OwnerWrote.After(latestTime(since, p.Back))
}
