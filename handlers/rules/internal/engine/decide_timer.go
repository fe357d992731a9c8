package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
)

// decideTimer decides about a timer that came due.
func (d *decider) decideTimer(t event.Timer) {
	switch name := t.Name; {
	case name == TimerBurst && d.state.Owner == "":
		d.answerBurst(t)
	case name == TimerSilence && d.state.Owner == "":
		d.handleSilence(t)
	case name == TimerNobody:
		d.nobody(t)
	case name == TimerAcked:
		d.setAckTimer()
	case name == TimerAgain:
		d.callAgain(t)
	case IsWaiting(name):
		d.stillWaiting(waitOf(name), t)
	default:
		d.end(decision.Unmatched, "the timer %s is for nothing that these rules know", name)
	}
}

// stillWaiting decides about somebody who wrote a while ago: nothing, when it was dealt with.
func (d *decider) stillWaiting(name string, t event.Timer) {
	var w waiting.Asked
	err := json.Unmarshal(t.Data, &w)
	asked := d.askedBy(name, &w, t)
	d.endWait(name) // in any case: the timer is used up, and the next message may begin to wait anew
	id := ruleOf(name)
	r := d.v.ByID[id]
	switch {
	case err != nil || r == nil:
		d.end(decision.Unmatched, "the rule %s is not there any more", id)
		return
	//mutate:watch-waits
	case w.Who != "" && !d.statusOf(r).Acts(), w.Who == "" && !slices.Contains(r.whens, grammar.OnSilence):
		d.end(decision.Unmatched, "the rule %s does not do that any more", id)
		return
	case d.leftAlone() && w.Who == "": // what a team is told is no message to them
		d.end(decision.LeftAlone, "the person wants to be left alone, until they write again")
		return
	}
	if w.Who == "" && d.state.Owner != "" {
		asked = nil
	}
	asked = slices.DeleteFunc(asked, func(a waiting.Asked) bool { return d.dealtWithAsked(&a) })
	seen := w.Who != "" && slices.ContainsFunc(asked, func(a waiting.Asked) bool { return d.ackedSince(a.Since) })
	if seen {
		asked = slices.DeleteFunc(asked, func(a waiting.Asked) bool { return d.ackedSince(a.Since) })
	}
	switch {
	case len(d.out.Needs) > 0:
	case seen && !slices.ContainsFunc(asked, func(a waiting.Asked) bool { return !a.Beside }):
		d.end(decision.LeftAlone, "somebody of ours sees to it")
	case !slices.ContainsFunc(asked, func(a waiting.Asked) bool { return !a.Beside }):
		d.end(decision.LeftAlone, "somebody has answered meanwhile")
	case d.ripeAt(r, firstOf(asked)).After(d.now.Add(ripeSoon)):
		d.waitOn(r, t.Name, asked)
		d.end(decision.Gathering, "waits until %s", firstOf(asked).At.In(r.Scope.zone).Format(dayShown))
	case w.Who != "":
		d.tellAsked(r, asked)
	default:
		d.actOnSilence(r, firstOf(asked))
	}
}

// ripeSoon is how much too early a timer may be, since the store keeps less of a time than there is.
const ripeSoon = time.Second

// actOnSilence lets a rule on silence act.
func (d *decider) actOnSilence(r *rule, a *waiting.Asked) {
	d.about(r, a)
	d.takeText(a.Said)
	if d.tryRule(r); len(d.out.Needs) == 0 {
		d.takeHeld()
	}
}

// about makes what was asked the event that is decided about.
func (d *decider) about(r *rule, a *waiting.Asked) {
	d.when = grammar.When(a.When)
	d.isAbout(a.Event, a.Since, a.Since)
	d.event = event.Event{ID: a.Event, Kind: event.Kind(a.When), Text: a.Said, Name: d.state.Name, User: d.state.User, SeenAt: a.Since}
	d.event.Post, d.event.NotBefore = postID(a.Post), a.Since.Add(r.after)
	d.ids = []event.ID{a.Event}
}

// tellAsked tells a team that somebody waits: all that they have asked at once.
func (d *decider) tellAsked(r *rule, asked []waiting.Asked) {
	d.about(r, &asked[0])
	asked = d.withOthers(r, asked)
	if len(d.out.Needs) > 0 {
		return
	}
	for i := range asked {
		d.calledAfter = max(d.calledAfter, asked[i].After)
	}
	n := decision.Notice{Rule: r.id, Who: asked[0].Who, Kind: notify.KindWaiting, Summary: true, Since: asked[0].Since.In(r.Scope.zone)}
	if d.handedOver(r) {
		n.As = notify.KindHandoff
	}
	var texts []string
	for i := range asked {
		a := &asked[i]
		n.Private, n.Summary, n.Urgent = n.Private || a.Private, n.Summary && a.Plain, n.Urgent || a.Urgent
		if a.Said != "" {
			n.Asked = append(n.Asked, a.Said)
		}
		if a.Text != "" && !slices.Contains(texts, a.Text) {
			texts = append(texts, a.Text)
		}
	}
	n.Text, n.Told = strings.Join(texts, "\n"), d.toldSince(asked[0].Since)
	if len(d.out.Needs) > 0 {
		return
	}
	d.out.Notices = append(d.out.Notices, n)
	d.out.Rule = r.id
	d.end(decision.Acted, "nobody has answered since %s", asked[0].Since.UTC().Format(clockShown))
}

// handedOver reports whether a call is about a conversation that was given to a team: it is as urgent as that.
func (d *decider) handedOver(r *rule) bool {
	return r.hands || d.state.Owner != "" && d.state.Owner != bot.OwnedByPerson
}

// sinceSet returns since when a timer waits, as what it keeps says. A clock that was ahead then, and was set back since, said a later time than the one
// to which the timer was pulled in: what somebody has answered meanwhile would have been before. A part of a second is what the store keeps less of a time.
func (d *decider) sinceSet(since time.Time, t event.Timer) time.Time {
	const name = "set"
	set := t.Set
	if raw, ok := d.in.Facts[name]; ok && json.Unmarshal(raw, &set) == nil || !set.IsZero() && since.Sub(set) > time.Second { //mutate:pull-in-since
		d.keepFact(name, set) // the timer is gone once it has fired
		return set
	}
	return since
}

// nobody reminds a team that a conversation waits for them.
func (d *decider) nobody(t event.Timer) {
	var w waiting.Asked
	if err := json.Unmarshal(t.Data, &w); err != nil {
		d.err = err
		return
	}
	switch since := d.sinceSet(w.Since, t); {
	case d.state.Owner == "" || d.attendedSince(since):
		d.end(decision.LeftAlone, "somebody has answered meanwhile")
		return
	case d.ackedSince(since): //mutate:acked-nobody
		d.end(decision.LeftAlone, "somebody of ours sees to it")
		return
	}
	d.calledAfter = w.After
	d.out.Notices = append(d.out.Notices, decision.Notice{Rule: w.Rule, Who: w.Who, Text: w.Text, Private: w.Private, Kind: notify.KindWaiting, As: notify.KindHandoff})
	d.out.Rule = w.Rule
	d.end(decision.Acted, "nobody of %s has answered since %s", w.Who, w.Since.UTC().Format(clockShown))
}
