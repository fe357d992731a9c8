package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
	"github.com/nectar-bot/nectar/platform"
)

// Silence is that nobody answered, for any reason: no rule was for it, the rule that would have answered was held
// back or on watch, the answer was refused, or waits for a person who does not look.

// TimerAnswer ends the name of a timer that looks whether an answer came about.
const TimerAnswer = "/answer"

// handleUnanswered does something about what nobody answers.
func (d *decider) handleUnanswered() {
	if len(d.out.Needs) > 0 || d.err != nil || d.mute || !d.when.SaysSomething() || d.winner != nil && d.winner.ignores {
		return
	}
	d.takeHeld()
	before := len(d.withheld)
	d.silences()
	// Once, and only when nothing was held back before: else what was taken already would be taken twice.
	if before == 0 && len(d.withheld) > 0 { // who would have looked after it is held back, too
		d.takeHeld()
	}
}

// silences lets the rules wait that are for when nobody has answered after a while.
func (d *decider) silences() {
	if !d.v.silent || len(d.out.Needs) > 0 || d.out.Handoff != nil {
		return
	}
	answer := d.answerAt() //mutate:silence-answered
	for _, r := range d.tryableRules(grammar.OnSilence) {
		switch status := d.statusOf(r); {
		case answer >= 0 && status.Acts():
			d.awaits(r, ActionKey(d.in.Trigger, answer))
		case (answer >= 0 || d.shadow != nil || d.liked) && status == decision.Watch:
		default:
			d.tryRule(r)
		}
		if len(d.out.Needs) > 0 {
			return
		}
	}
}

// answerAt returns where the answer stands: what is said, or else what is done that the person sees; -1 for none.
func (d *decider) answerAt() int {
	first := -1
	for i := range d.out.Actions {
		switch a := &d.out.Actions[i]; a.Verb {
		case event.VerbMessage, event.VerbPost:
			if a.Status.Acts() {
				return i
			}
		case event.VerbLike, event.VerbRepost, event.VerbFollow:
			if a.Status.Acts() && first < 0 {
				first = i
			}
		default: // nobody sees it
		}
	}
	return first
}

// awaits lets a rule wait whether an answer comes about that was decided.
func (d *decider) awaits(r *rule, answer string) {
	d.at = r
	ok, why := d.all(r.conds, nil)
	if len(d.out.Needs) > 0 {
		return
	}
	if !ok || d.event.Age(d.now) > r.answerWithin {
		d.noteRule(r, false, why)
		return
	}
	d.noteRule(r, true, "it waits whether the answer comes about")
	w := waiting.Asked{Since: d.now, Said: d.keptText(), Event: d.event.ID, When: string(d.when), Post: int64(d.event.Post), Answer: answer}
	data, err := json.Marshal(w)
	if err != nil {
		d.err = err
		return
	}
	d.setTimer(TimerWaiting+r.id+TimerAnswer, d.now.Add(r.after), data)
}

// isAnswered reports whether what was decided to be said has come about, or still does by itself; what is above the
// ceiling is not missed.
func (d *decider) isAnswered(w *waiting.Asked) bool {
	if w.Answer == "" {
		return false
	}
	if !d.state.TakenBack.Before(w.Since) {
		return true // by who wants to be left alone, or by one of our people
	}
	return d.cameAbout(w.Answer)
}

// cameAbout reports whether an action has come about, or still does by itself.
func (d *decider) cameAbout(key string) bool {
	var a decision.ActionFact
	if !d.readFact(needAction(key), &a) {
		return true
	}
	switch a.State {
	case event.StateHeld, event.StateRefused:
		return false //mutate:silence-refused
	case event.StateWithdrawn:
		return a.Above //mutate:silence-ceiling
	default:
		return true
	}
}

// answeredByHand reports whether one of our people has answered a mention or a reply below it, beside the bot. The post is asked for before
// anything is done about the silence.
func (d *decider) answeredByHand(w *waiting.Asked) bool {
	if when := grammar.When(w.When); w.Post == 0 || when != grammar.OnMention && when != grammar.OnReply {
		return false
	}
	var post platform.Post
	return d.readFact(NeedPost(postID(w.Post)), &post) && len(post.Answers) > 0 //mutate:silence-by-hand
}

// waitsFor reports whether a timer is one of a rule for silence.
func waitsFor(timer string, r *rule) bool {
	return strings.TrimSuffix(timer, TimerAnswer) == TimerWaiting+r.id
}

// A question may never be asked: a person of ours has to approve it and refuses, or it is taken back, or becomes too late in a pause, before it leaves.

// isStillSilent looks whether the question that nobody answered was asked at all. Until then nobody is silent.
func (d *decider) isStillSilent(t *ledConversation, p *decision.Progress, s *grammar.Silent, n int) bool {
	if p.Asked.After(d.now) { // by a clock that was ahead: the timer knows how long ago it was
		p.Asked = d.now.Add(-time.Duration(s.After))
	}
	asked, known := d.questionState(p)
	switch {
	case p.Question == "":
		return false
	case !known:
		return true
	case asked.State == "": // nobody knows any more
		return false
	case asked.State == event.StateDone:
		d.asked(p, asked.At)
		if !p.Asked.Add(time.Duration(s.After)).After(d.now) {
			return false
		}
		d.silentFrom(t, p.Asked, n)
		d.end(decision.Acted, "the question was asked later, at %s", asked.At.UTC().Format(time.DateTime+" UTC"))
	case asked.State.Final():
		d.leaveConversation()
		d.end(decision.Acted, "the question was never asked, and the conversation is over")
	case asked.State == event.StateHeld:
		d.silentFrom(t, d.now, n)
		d.end(decision.Acted, "the question waits for a person")
	default:
		d.silentFrom(t, d.now, n)
		d.end(decision.Acted, "the question has not been asked yet")
	}
	return true
}

// checkAsked looks whether the question that the person would answer was asked. While it waits for a person of ours nothing is an answer;
// when it never leaves, the conversation is over.
func (d *decider) checkAsked(t *ledConversation, p *decision.Progress) bool {
	asked, known := d.questionState(p)
	switch {
	case p.Question == "":
		return false
	case !known:
		return true
	case asked.State == event.StateHeld:
		d.winner, d.held = t.Rule, "its question waits for a person"
		return true
	case asked.State == event.StateDone:
		d.asked(p, asked.At)
	case asked.State.Final():
		d.left = fmt.Sprintf("the question of %s was never asked, and the conversation is over", t.ID)
		d.leaveConversation()
		d.tryRules()
		return true
	}
	return false
}

// questionState returns the state of the question that was asked last; known is false when that has to be read first.
func (d *decider) questionState(p *decision.Progress) (a decision.ActionFact, known bool) {
	if p.Question == "" {
		return a, true
	}
	known = d.readFact(needAction(p.Question), &a)
	return a, known
}

// onItsWay is within which time of when it was to leave a question has left as it was meant to.
const onItsWay = time.Minute

// asked takes over that a question was asked, and when, if that was much later than was meant.
func (d *decider) asked(p *decision.Progress, at time.Time) {
	if p.Question = ""; at.Sub(p.Asked).Abs() > onItsWay && !at.After(d.now) {
		p.Asked = at
	}
	d.keepProgress(p)
}
