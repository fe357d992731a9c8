package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// mode says what a step is asked for.
type mode uint8

const (
	modeAnswer mode = iota // the event is the answer to the step
	modeWrong              // what came is no answer
	modeAgain              // what came was answered otherwise: ask again
)

// mostHops is how many steps may follow one another without a question.
const mostHops = 50

// inTalk reports whether the conversation stands in a step. One that is gone from the files is left.
func (d *decider) inTalk() bool {
	if !strings.HasPrefix(d.state.Flow.Flow, FlowPrefix) {
		return false
	}
	name := strings.TrimPrefix(d.state.Flow.Flow, FlowPrefix)
	_, _, ok := d.currentConversation()
	switch t, _ := d.v.StepOf(&d.state); {
	case d.err != nil:
		return false
	case ok && !d.takenOver():
		return true
	case ok:
		d.left = fmt.Sprintf("a person of ours wrote in the middle of %s, which is over", name)
	case t != nil:
		d.left = fmt.Sprintf("%s does not act any more, and is over", name)
	default:
		d.left = fmt.Sprintf("the step %s of %s is not there any more", d.state.Flow.State, name)
	}
	d.leaveConversation()
	return false
}

// currentConversation returns the conversation with steps that the person stands in, and what it has come to.
func (d *decider) currentConversation() (*ledConversation, *decision.Progress, bool) {
	t, _ := d.v.StepOf(&d.state)
	if t == nil || !d.statusOf(t.Rule).Acts() {
		return nil, nil, false
	}
	var p decision.Progress
	if err := json.Unmarshal(d.state.Flow.Data, &p); err != nil {
		d.err = fmt.Errorf("read the answers of %s: %w", t.ID, err)
		return nil, nil, false
	}
	return t, &p, true
}

// leaveConversation ends the conversation with steps that the person stands in.
func (d *decider) leaveConversation() {
	if strings.HasPrefix(d.state.Flow.Flow, FlowPrefix) {
		d.state.Flow, d.changed = conversation.Instance{}, true
		d.setTimer(TimerSilence, time.Time{}, nil)
	}
}

// enterConversation makes the decider act for a conversation with steps.
func (d *decider) enterConversation(t *ledConversation) {
	d.at, d.status, d.offset, d.waited, d.line = t.Rule, d.statusOf(t.Rule), 0, false, 0
	d.beginBundle()
	if d.dry {
		d.status = decision.Watch
	}
}

// start begins a conversation with steps.
func (d *decider) start(t *ledConversation) {
	bundle, status := d.bundle, d.status
	by := d.at
	d.enterConversation(t)
	if by != nil && by != t.Rule && status == decision.Ask && d.status == decision.Live { // the question waits with the rule that leads to it
		d.bundle, d.status = bundle, decision.Ask
	} else if by == t.Rule || status == decision.Ask && d.status == decision.Ask {
		d.bundle = bundle
	}
	p := decision.Progress{Trigger: d.event.ID.String()}
	d.takeFirstAnswers(t, &p)
	in, eff, err := t.flow.Start(context.Background(), d, p, d.now)
	d.followMove(t, in, eff, err)
}

// answerStep lets the step that the person stands in answer.
func (d *decider) answerStep() {
	t, p, _ := d.currentConversation()
	d.day = p.Answers[p.Day].Day
	if d.alwaysInStep(t, p) || d.pausedStep(t) || d.backInStep(t, p) || d.anyStep(t, p) || len(d.out.Needs) > 0 || d.checkAsked(t, p) {
		return
	}
	d.enterConversation(t)
	d.mode = modeAnswer
	if d.besideAnswer(t); len(d.out.Needs) > 0 || d.out.Handoff != nil {
		return
	}
	in, eff, err := t.flow.Input(context.Background(), d, d.state.Flow, d.now)
	if err == nil && eff.Outcome == conversation.Passed {
		if d.noAnswer(t); len(d.out.Needs) > 0 || d.handed {
			return
		}
		d.enterConversation(t)
		// Once more, now that the mode says what it was: the step tells that it is no answer, or asks again behind what the rules have said.
		in, eff, err = t.flow.Input(context.Background(), d, d.state.Flow, d.now)
	}
	if d.winner == nil || d.mode != modeAgain {
		d.winner, d.held = t.Rule, ""
	}
	d.followMove(t, in, eff, err)
}

// noAnswer looks whether what is no answer is something else that the rules answer.
func (d *decider) noAnswer(t *ledConversation) {
	d.mode = modeWrong
	if !t.AnswerFAQ {
		return
	}
	d.joins = d.hasSeveralParts() // with the question that is asked again
	if d.rulesOn(d.when); d.winner != nil && d.held == "" {
		d.mode = modeAgain
	}
}

// anyStep looks at what is looked at before the step itself.
func (d *decider) anyStep(t *ledConversation, p *decision.Progress) bool {
	d.enterConversation(t)
	for i := range t.any {
		ok, why := d.all(t.any[i].conds, p)
		if len(d.out.Needs) > 0 {
			return false
		}
		if !ok {
			continue
		}
		if d.besideAny(t, &t.any[i]); len(d.out.Needs) > 0 || d.out.Handoff != nil {
			return d.out.Handoff != nil
		}
		d.winner = t.Rule
		d.noteStep(t.Rule, "at any step: "+why)
		in, eff, err := t.flow.Fire(context.Background(), d, d.state.Flow, conversation.Signal(t.any[i].to), d.now)
		d.followMove(t, in, eff, err)
		return true
	}
	return false
}

// followMove takes over where a step led to, and goes on until somebody is asked or it is over.
func (d *decider) followMove(t *ledConversation, in conversation.Instance, eff conversation.Effects, err error) {
	from := eff.From
	for hops := 0; err == nil && !eff.Ended; hops++ {
		s, p, choice := t.Steps[in.State], decision.Progress{}, ""
		if err = json.Unmarshal(in.Data, &p); err != nil {
			break
		}
		if s.Ask != nil && p.Took == nil || eff.Outcome != conversation.Moved {
			break
		}
		if hops == mostHops {
			err = errLost
			break
		}
		if p.Took != nil {
			choice = p.Took.Choice
		}
		in, eff, err = t.flow.Fire(context.Background(), d, in, conversation.Signal(s.next(d, &p, choice)), d.now)
	}
	if err != nil {
		d.err = fmt.Errorf("lead the conversation %s: %w", t.ID, err)
		return
	}
	// Only here, when all steps up to the next question have gone well: an error leaves the conversation where it stood.
	d.state.Flow, d.changed, d.acted = in, true, true
	d.out.Step = eff.To
	d.out.Reason += stepped(t.ID, from, eff)
	if eff.Ended {
		d.state.Flow = conversation.Instance{}
		d.setTimer(TimerSilence, time.Time{}, nil)
	}
}

// stepped says where a conversation went.
func stepped(id, from string, eff conversation.Effects) string {
	switch {
	case from == "":
		return fmt.Sprintf("%s begins at %s", id, eff.To)
	case eff.Ended:
		return fmt.Sprintf("%s: %s → %s, and is over", id, from, eff.To)
	case eff.Outcome == conversation.Stayed:
		return fmt.Sprintf("%s stays at %s", id, eff.To)
	default:
		return fmt.Sprintf("%s: %s → %s", id, from, eff.To)
	}
}

// handleSilence goes on when somebody has not answered.
func (d *decider) handleSilence(timer event.Timer) {
	var n int
	if err := json.Unmarshal(timer.Data, &n); err != nil {
		d.err = err
		return
	}
	t, p, ok := d.currentConversation()
	if !ok {
		d.still(n)
		return
	}
	if d.leftAlone() || d.takenOver() {
		d.leaveConversation()
		d.end(decision.LeftAlone, "the conversation was ended by the person, or by one of ours")
		return
	}
	if why := d.pausedBy(t.Rule); why != "" {
		d.silentLater(p, n)
		d.end(decision.OnPause, "%s", why)
		return
	}
	s, ok := t.nthSilence(n)
	if !ok {
		d.end(decision.Unmatched, "nothing is to be done about silence")
		return
	}
	if d.isStillSilent(t, p, s, n) {
		return
	}
	if p.Paused {
		d.silentAnew(t, p, n)
		return
	}
	for next, ok := t.nthSilence(n + 1); ok && !p.Asked.Add(time.Duration(next.After)).After(d.now); next, ok = t.nthSilence(n + 1) {
		s, n = next, n+1 // its time has come too, while nobody looked
	}
	d.when = grammar.OnSilence
	d.event = event.Event{Name: d.state.Name, User: d.state.User}
	d.takeText("")
	d.enterConversation(t)
	d.winner = t.Rule
	if s.Goto != "" {
		in, eff, err := t.flow.Fire(context.Background(), d, d.state.Flow, conversation.Signal(s.Goto), d.now)
		d.followMove(t, in, eff, err)
		return
	}
	d.sayText(s.Reply, fmt.Sprintf("silent/%d", n), p, toMessage)
	d.silentFrom(t, p.Asked, n+1)
	d.out.Reason = fmt.Sprintf("%s: silent for %s", t.ID, s.After)
}

// stillPause is when it is looked again whether what does not act acts again.
const stillPause = time.Hour

// silentLater looks again later at a conversation that does not act.
func (d *decider) silentLater(p *decision.Progress, n int) {
	if !p.Paused {
		p.Paused = true
		d.keepProgress(p)
	}
	data, _ := json.Marshal(n) // a number always encodes
	d.setTimer(TimerSilence, d.now.Add(stillPause), data)
}

// silentAnew lets silence begin, since the conversation acts again.
func (d *decider) silentAnew(t *ledConversation, p *decision.Progress, n int) {
	p.Asked, p.Paused = d.now, false
	d.keepProgress(p)
	d.silentFrom(t, d.now, n)
	d.end(decision.Acted, "%s acts again, and silence counts anew", t.ID)
}

// keepProgress keeps what the conversation has come to.
func (d *decider) keepProgress(p *decision.Progress) {
	data, err := json.Marshal(p)
	if err != nil {
		d.err = err
		return
	}
	d.state.Flow.Data, d.changed = data, true
}

// still decides about silence in a conversation that does not act: one that is paused may act again, and the time of
// the person's silence counts from then on.
func (d *decider) still(n int) {
	if t, _ := d.v.StepOf(&d.state); t != nil { //mutate:silent-paused
		var p decision.Progress
		if err := json.Unmarshal(d.state.Flow.Data, &p); err != nil {
			d.err = fmt.Errorf("read the answers of %s: %w", t.ID, err)
			return
		}
		d.silentLater(&p, n)
		d.end(decision.Unmatched, "%s does not act at the moment", t.ID)
		return
	}
	d.inTalk() // which leaves it
	d.end(decision.Unmatched, "the conversation is over")
}

// silentFrom sets the timer for the n-th thing to do when somebody does not answer.
func (d *decider) silentFrom(t *ledConversation, asked time.Time, n int) {
	s, ok := t.nthSilence(n)
	if !ok {
		d.setTimer(TimerSilence, time.Time{}, nil)
		return
	}
	data, _ := json.Marshal(n) // a number always encodes
	due := asked.Add(time.Duration(s.After))
	if !due.After(d.now) {
		due = d.now.Add(time.Second)
	}
	d.setTimer(TimerSilence, due, data)
}
