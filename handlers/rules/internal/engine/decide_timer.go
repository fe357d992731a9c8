package engine

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// Waiting is what a timer of somebody who waits for an answer keeps.
type Waiting struct {
	Since time.Time    `json:"since"`
	Said  string       `json:"said,omitempty"`
	Who   string       `json:"who,omitempty"`  // who is told; "" for a rule on silence
	Text  string       `json:"text,omitempty"` // what they are told
	Rule  string       `json:"rule,omitempty"` // which gave the conversation away
	Event event.ID     `json:"event,omitzero"`
	When  grammar.When `json:"when,omitempty"`
	Post  int64        `json:"post,omitempty"`
	// Answer is the key of what was decided to be said, for a rule on silence that looks whether it came about.
	Answer string `json:"answer,omitempty"`
	// Private says that Text tells a private answer.
	Private bool `json:"private,omitempty"`
}

// due decides about a timer that came due.
func (d *decider) due(t event.Timer) {
	switch name := t.Name; {
	case name == TimerBurst && d.state.Owner == "":
		d.burst(t)
	case name == TimerSilence && d.state.Owner == "":
		d.silence(t)
	case name == TimerNobody:
		d.nobody(t)
	case IsWaiting(name):
		d.stillWaiting(strings.TrimPrefix(strings.TrimPrefix(name, bot.OwnedTimer), TimerWaiting), t)
	default:
		d.end(decision.Unmatched, "the timer %s is for nothing that these rules know", name)
	}
}

// wait sets the timer of a rule for somebody who waits for an answer.
func (d *decider) wait(r *rule, after time.Duration, who string) {
	d.waitFor(r, after, Waiting{Who: who}, false)
}

// waitFor is wait for what w says; held, the time begins with an approval.
func (d *decider) waitFor(r *rule, after time.Duration, w Waiting, held bool) {
	if d.dry {
		return
	}
	d.did(r)
	// Named by the rule, not by the event: who writes five times waits once, from the first time on.
	name := d.waitingName(r)
	if since, ok := d.state.Memory.Waiting[name]; ok && !d.answeredSince(since) {
		return // they wait since an earlier message
	}
	w.Since, w.Said, w.Event, w.When = d.now, d.kept(), d.event.ID, d.when
	w.Post = int64(d.event.Post)
	data, err := json.Marshal(w)
	if err != nil {
		d.err = err
		return
	}
	if held {
		d.stampLater(stampWaiting, name)
		d.timerLater(d.waitingTimer()+name, d.now.Add(after), data, stampSince)
		return
	}
	if d.state.Memory.Waiting == nil {
		d.state.Memory.Waiting = map[string]time.Time{}
	}
	d.state.Memory.Waiting[name], d.changed = d.now, true
	d.timer(d.waitingTimer()+name, d.now.Add(after), data)
}

// IsWaiting reports whether a timer is for somebody who waits for an answer.
func IsWaiting(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, bot.OwnedTimer), TimerWaiting)
}

// waitingTimer begins the names of timers for somebody who waits for an answer. One that is set while one of our
// people has the conversation comes due also then.
func (d *decider) waitingTimer() string {
	if d.mute {
		return bot.OwnedTimer + TimerWaiting
	}
	return TimerWaiting
}

// waitingName names what a rule waits for; it may wait for several things.
func (d *decider) waitingName(r *rule) string {
	n := 1 + d.timersOf(func(name string) bool {
		return name == d.waitingTimer()+r.id || strings.HasPrefix(name, d.waitingTimer()+r.id+"/")
	})
	if n == 1 {
		return r.id
	}
	return r.id + "/" + strconv.Itoa(n)
}

// answeredSince reports whether the bot or one of our people has said something since then.
func (d *decider) answeredSince(since time.Time) bool {
	return d.state.Memory.Answered.After(since) || d.state.OwnerWrote.After(since)
}

// stillWaiting decides about somebody who wrote a while ago: nothing, when somebody has answered.
func (d *decider) stillWaiting(id string, t event.Timer) {
	var w Waiting
	if _, ok := d.state.Memory.Waiting[id]; ok {
		// Whatever comes of it: the timer is used up, and the next message may begin to wait anew.
		delete(d.state.Memory.Waiting, id)
		d.changed = true
	}
	id, _, _ = strings.Cut(id, "/")
	r := d.v.ByID[id]
	err := json.Unmarshal(t.Data, &w)
	w.Since = d.sinceSet(w.Since, t)
	switch {
	case err != nil || r == nil:
		d.end(decision.Unmatched, "the rule %s is not there any more", id)
		return
	//mutate:watch-waits
	case w.Who != "" && !d.statusOf(r).Acts(), w.Who == "" && !slices.Contains(r.whens, grammar.OnSilence):
		d.end(decision.Unmatched, "the rule %s does not do that any more", id)
		return
	case d.state.Memory.Stopped && w.Who == "": // what a team is told is no message to them
		d.end(decision.LeftAlone, "the person wants to be left alone, until they write again")
		return
	case d.state.Owner != "" && !strings.HasPrefix(t.Name, bot.OwnedTimer), d.answeredSince(w.Since), d.answered(&w), d.answeredByHand(&w):
		d.end(decision.LeftAlone, "somebody has answered meanwhile")
		return
	}
	d.when = w.When
	d.event = event.Event{ID: w.Event, Kind: event.Kind(w.When), Text: w.Said, Name: d.state.Name, User: d.state.User, SeenAt: w.Since}
	d.event.Post, d.event.NotBefore = postID(w.Post), w.Since.Add(r.after)
	d.ids = []event.ID{w.Event}
	if w.Who != "" {
		d.out.Notices = append(d.out.Notices, decision.Notice{Rule: id, Who: w.Who, Text: w.Text, Private: w.Private, Kind: notify.KindWaiting})
		d.out.Rule = id
		d.end(decision.Acted, "nobody has answered since %s", w.Since.UTC().Format(clockShown))
		return
	}
	d.hear(w.Said)
	if d.try(r); len(d.out.Needs) == 0 {
		d.takeHeld()
	}
}

// sinceSet returns since when a timer waits, as what it keeps says. A clock that was ahead then, and was set back since, said a later time than the one
// to which the timer was pulled in: what somebody has answered meanwhile would have been before. A part of a second is what the store keeps less of a time.
func (d *decider) sinceSet(since time.Time, t event.Timer) time.Time {
	const name = "set"
	set := t.Set
	if raw, ok := d.in.Facts[name]; ok && json.Unmarshal(raw, &set) == nil || !set.IsZero() && since.Sub(set) > time.Second { //mutate:pull-in-since
		d.keep(name, set) // the timer is gone once it has fired
		return set
	}
	return since
}

// nobody reminds a team that a conversation waits for them.
func (d *decider) nobody(t event.Timer) {
	var w Waiting
	if err := json.Unmarshal(t.Data, &w); err != nil {
		d.err = err
		return
	}
	if d.state.Owner == "" || d.state.OwnerWrote.After(d.sinceSet(w.Since, t)) {
		d.end(decision.LeftAlone, "somebody has answered meanwhile")
		return
	}
	d.out.Notices = append(d.out.Notices, decision.Notice{Rule: w.Rule, Who: w.Who, Text: w.Text, Private: w.Private, Kind: notify.KindWaiting})
	d.out.Rule = w.Rule
	d.end(decision.Acted, "nobody of %s has answered since %s", w.Who, w.Since.UTC().Format(clockShown))
}
