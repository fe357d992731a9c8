package engine

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
)

// When nobody has dealt with what a person wrote, a rule tells a team that the person waits, or acts. What the person writes meanwhile joins it: one
// timer, and one notice, have all of it. A person of ours deals with everything at once, the bot only with the words that it answers.

// dayShown is a time in a reason.
const dayShown = "Monday 15:04"

// wait sets the timer of a rule on silence.
func (d *decider) wait(r *rule, after time.Duration) {
	d.waitFor(r, waiting.Asked{After: after}, false)
}

// waitFor lets what was written wait, as w says; held, the time begins with an approval.
func (d *decider) waitFor(r *rule, w waiting.Asked, held bool) {
	if d.dry {
		return
	}
	d.noteActed(r)
	// Named by the rule, not by the event: who writes five times waits once, from the first time on.
	timer := d.waitingTimer(r, &w)
	name := waitOf(timer)
	w.Since, w.Said, w.Event, w.When = d.now, d.keptText(), d.event.ID, string(d.when)
	w.Post = int64(d.event.Post)
	m := &d.state.Memory
	since, waits := m.Waiting[name]
	if waits = waits && !d.attendedSince(since) && d.now.Before(since.Add(w.After+lookEvery)); waits && (held || len(m.Asked[name]) == 0) {
		return // they wait since an earlier message, which stands with the timer alone
	}
	if held {
		d.waitHeld(timer, &w)
		return
	}
	asked := slices.DeleteFunc(m.Asked[name], func(a waiting.Asked) bool { return d.attendedSince(a.Since) })
	d.waitOn(r, timer, waiting.AppendAsked(asked, &w))
}

// waitHeld lets what was written wait from an approval on.
func (d *decider) waitHeld(timer string, w *waiting.Asked) {
	data, err := json.Marshal(w)
	if err != nil {
		d.err = err
		return
	}
	d.stampLater(stampWaiting, waitOf(timer))
	d.timerLater(timer, d.now.Add(max(w.After, time.Second)), data, stampSince)
}

// waitOn sets the timer of what was asked, the oldest first.
func (d *decider) waitOn(r *rule, timer string, asked []waiting.Asked) {
	m, first, name := &d.state.Memory, firstOf(asked), waitOf(timer)
	if m.Waiting == nil {
		m.Waiting = map[string]time.Time{}
	}
	if m.Asked == nil {
		m.Asked = map[string][]waiting.Asked{}
	}
	first.At = d.ripeAt(r, first)
	m.Waiting[name], m.Asked[name], d.changed = first.Since, asked, true
	data, err := json.Marshal(first)
	if err != nil {
		d.err = err
		return
	}
	d.setTimer(timer, d.looksAt(first), data)
}

// firstOf returns what a rule waits with for longest.
func firstOf(asked []waiting.Asked) *waiting.Asked {
	return &asked[max(0, slices.IndexFunc(asked, func(a waiting.Asked) bool { return !a.Beside }))]
}

// endWait forgets a wait, and what was said meanwhile once nothing waits any more.
func (d *decider) endWait(name string) {
	m := &d.state.Memory
	_, was := m.Waiting[name]
	delete(m.Waiting, name)
	delete(m.Asked, name)
	d.changed = d.changed || was
}

// askedBy returns what waits by a name, the oldest first: as the conversation keeps it, or else as the timer does.
func (d *decider) askedBy(name string, w *waiting.Asked, t event.Timer) []waiting.Asked {
	since := d.sinceSet(w.Since, t)
	early := w.Since.Sub(since)
	w.Since = since
	asked := slices.Clone(d.state.Memory.Asked[name])
	if len(asked) == 0 || strings.HasSuffix(t.Name, TimerAnswer) {
		return []waiting.Asked{*w}
	}
	for i := range asked {
		asked[i].Since = asked[i].Since.Add(-early)
	}
	if asked[0].Event == w.Event {
		asked[0].Said, asked[0].Text = w.Said, w.Text // whole
	}
	return asked
}

// lookEvery is how often it is looked, while we are closed, whether we are to open earlier than it was said.
const lookEvery = time.Hour

// looksAt returns when the timer of what was asked is due.
func (d *decider) looksAt(a *waiting.Asked) time.Time {
	from := latestTime(a.Since.Add(a.After), d.now)
	if a.Opens && a.At.Sub(from) > lookEvery { //mutate:open-looks
		return from.Add(lookEvery)
	}
	return a.At
}

// ripeAt returns when something is done about what was asked, by the hours that are in force now.
func (d *decider) ripeAt(r *rule, a *waiting.Asked) time.Time {
	at := a.Since.Add(a.After)
	if h := r.Scope.Hours; a.Opens && h != nil { //mutate:open-waits
		if next, ok := h.NextOpen(latestTime(at, d.now).In(r.Scope.zone)); ok {
			return next.UTC()
		}
	}
	return at
}

// waitingTimer names the timer of what a rule waits for; it may wait for several things, which have a timer each. A team is told of it also while
// a person of ours has the conversation: to have it is not to have answered.
func (d *decider) waitingTimer(r *rule, w *waiting.Asked) string {
	timer := TimerWaiting + r.id
	if w.Who != "" {
		timer = bot.OwnedTimer + timer
	}
	for n := 1; ; n++ {
		name := timer
		if n > 1 {
			name += "/" + strconv.Itoa(n)
		}
		asked := d.state.Memory.Asked[waitOf(name)]
		other := len(asked) > 0 && !firstOf(asked).IsAlike(w) // of another step
		if set := d.timersOf(func(set string) bool { return set == name }) > 0; !set && !other {
			return name
		}
	}
}

// IsWaiting reports whether a timer is for somebody who waits for an answer.
func IsWaiting(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, bot.OwnedTimer), TimerWaiting)
}

// WaitsFor returns the id of the rule that waits with a timer; "" for another timer, and for one that looks whether an answer came about.
func WaitsFor(timer string) string {
	if !IsWaiting(timer) || strings.HasSuffix(timer, TimerAnswer) {
		return ""
	}
	return ruleOf(waitOf(timer))
}

// waitOf returns by which name the conversation keeps what a timer waits with.
func waitOf(timer string) string { return strings.Replace(timer, TimerWaiting, "", 1) }

// timerOf returns the timer of a wait.
func timerOf(wait string) string {
	if name, owned := strings.CutPrefix(wait, bot.OwnedTimer); owned {
		return bot.OwnedTimer + TimerWaiting + name
	}
	return TimerWaiting + wait
}

// ruleOf returns the id of the rule that waits.
func ruleOf(wait string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(wait, bot.OwnedTimer), "/")
	return id
}

// attendedSince reports whether a person of ours has written, or has dealt with the conversation otherwise, since then.
func (d *decider) attendedSince(since time.Time) bool {
	return d.state.OwnerWrote.After(since) || d.state.Attended.After(since)
}

// dealtWithAsked reports whether somebody has dealt with what was asked: a person of ours, or the bot, by an answer to this. An answer of
// the bot does not count where the rule calls a team in any case.
func (d *decider) dealtWithAsked(a *waiting.Asked) bool {
	if d.attendedSince(a.Since) || d.isAnswered(a) || d.answeredByHand(a) {
		return true
	}
	return (a.After > 0 || a.Who == "") && slices.ContainsFunc(a.Answers, func(key string) bool { return d.cameAbout(key) })
}

// withOthers adds other questions of the person, which wait until we open, to what the same team is told now. Another line of the
// same rule is another call: it is added only when its time has come, too.
func (d *decider) withOthers(r *rule, asked []waiting.Asked) []waiting.Asked {
	m := &d.state.Memory
	for _, name := range slices.Sorted(maps.Keys(m.Asked)) {
		other, those := d.v.ByID[ruleOf(name)], m.Asked[name]
		first, mine := firstOf(those), firstOf(asked)
		//mutate:open-together
		if other == nil || !first.Opens || !mine.Opens || first.Who != mine.Who || !d.statusOf(other).Acts() ||
			other == r && d.ripeAt(other, first).After(d.now) {
			continue
		}
		for i := range those {
			a := &those[i]
			same := slices.IndexFunc(asked, func(x waiting.Asked) bool { return x.Event == a.Event })
			switch {
			case d.dealtWithAsked(a):
			case same < 0:
				asked = append(asked, *a)
			case asked[same].Beside:
				asked[same] = *a
			}
		}
		d.setTimer(timerOf(name), time.Time{}, nil)
		d.endWait(name)
	}
	slices.SortStableFunc(asked, func(a, b waiting.Asked) int { return a.Since.Compare(b.Since) })
	return asked
}

// toldSince returns what the bot has said to the person since then, as far as it has come about.
func (d *decider) toldSince(since time.Time) (said []string) {
	for _, t := range d.state.Memory.Told {
		if !t.At.Before(since) && d.cameAbout(t.Key) {
			said = append(said, t.Text)
		}
	}
	return said
}

// writeBeside keeps what a waiting person writes and nobody answers: the team that is told of the wait is told this, too.
func (d *decider) writeBeside() {
	now := d.in.Trigger.Kind == event.ByEvent || d.in.Trigger.Timer.Name == TimerBurst
	if !now || !d.when.SaysSomething() || d.out.Outcome == decision.Gathering || d.answerAt() >= 0 || d.keptText() == "" {
		return
	}
	for name, asked := range d.state.Memory.Asked {
		first := firstOf(asked)
		if first.Who == "" || slices.ContainsFunc(asked, func(a waiting.Asked) bool { return a.Event == d.event.ID }) {
			continue
		}
		beside := waiting.Asked{Since: d.now, Said: d.keptText(), Event: d.event.ID, When: string(d.when), Plain: true, Beside: true}
		d.state.Memory.Asked[name], d.changed = waiting.AppendAsked(asked, &beside), true
	}
}

// keepTold keeps what is said to a waiting person, and which messages answer what they asked.
func (d *decider) keepTold() {
	d.writeBeside()
	m := &d.state.Memory
	if len(m.Asked) == 0 {
		if len(m.Told) > 0 {
			m.Told, d.changed = nil, true
		}
		return
	}
	for i := range d.out.Actions {
		a := &d.out.Actions[i]
		if !a.Verb.Makes() || !a.Status.Acts() {
			continue
		}
		t := waiting.Told{At: d.now, Key: ActionKey(d.in.Trigger, i), Text: a.Text}
		if a.Private {
			t.Text = decision.Masked
		}
		m.Told, d.changed = waiting.AppendTold(m.Told, t), true
		for name, asked := range m.Asked {
			if id := ruleOf(name); !slices.ContainsFunc(a.Rules(), func(rule string) bool { return rule != id }) {
				continue // what the rule says itself is what it says beside its call
			}
			for j := range asked {
				if slices.Contains(d.ids, asked[j].Event) { //mutate:answers-that
					asked[j].Answers = append(asked[j].Answers, t.Key)
				}
			}
		}
	}
}

// A person of ours may say that they see to somebody who waits, before they write. Then nobody else is called. When they have not written after the longest
// of the times that calls had, the team that would be, or was, called last is called once more.

const (
	TimerAcked = TimersOwned + "acked" // somebody of ours sees to it from now on
	TimerAgain = TimersOwned + "again" // and has not written by then
)

// ackedSince reports whether a person of ours has said since then that they see to it.
func (d *decider) ackedSince(since time.Time) bool { return d.state.Acked.After(since) }

// keepCalls keeps who was called last, for when a person of ours says that they see to it and then does not.
func (d *decider) keepCalls() {
	m := &d.state.Memory
	if m.Called != nil && d.attendedSince(m.Called.Since) {
		m.Called, d.changed = nil, true
	}
	for i := range d.out.Notices {
		n := &d.out.Notices[i]
		if n.Kind != notify.KindHandoff && n.Kind != notify.KindWaiting && (n.Kind != notify.KindRule || d.calls == "") {
			continue
		}
		c := waiting.Asked{Since: d.now, Who: n.Who, Text: n.Text, Said: d.keptText(), Rule: n.Rule, Private: n.Private, Urgent: n.Urgent, After: d.calledAfter}
		if m.Called != nil {
			c.Since, c.After = m.Called.Since, max(m.Called.After, c.After)
		}
		if len(n.Asked) > 0 {
			c.Said = n.Asked[0]
		}
		m.Called, d.changed = &c, true
	}
}

// setAckTimer sets the timer by which the last team is called once more, when somebody of ours sees to who waits.
func (d *decider) setAckTimer() {
	m := &d.state.Memory
	var last waiting.Asked
	if m.Called != nil && !d.attendedSince(m.Called.Since) {
		last = *m.Called
	}
	for _, asked := range m.Asked {
		if a := firstOf(asked); a.Who != "" && a.After > last.After && !d.attendedSince(a.Since) {
			last = *a
		}
	}
	if last.After <= 0 {
		d.end(decision.Acted, "somebody of ours sees to it; no rule calls anybody after a while")
		return
	}
	last.At, last.Since = last.Since, d.now
	data, err := json.Marshal(&last)
	if err != nil {
		d.err = err
		return
	}
	d.setTimer(TimerAgain, d.now.Add(last.After), data)
	d.end(decision.Acted, "somebody of ours sees to it; %s is called once more in %s, unless one of you has written by then", last.Who, last.After)
}

// callAgain calls the last team once more.
func (d *decider) callAgain(t event.Timer) {
	var w waiting.Asked
	if err := json.Unmarshal(t.Data, &w); err != nil {
		d.err = err
		return
	}
	if since := d.sinceSet(w.Since, t); d.attendedSince(since) || d.ackedSince(since.Add(time.Second)) {
		d.end(decision.LeftAlone, "somebody has answered meanwhile, or sees to it")
		return
	}
	n := decision.Notice{
		Rule: w.Rule, Who: w.Who, Kind: notify.KindWaiting, As: notify.KindHandoff, Text: w.Text, Private: w.Private, Urgent: w.Urgent, Since: w.At,
		Told: d.toldSince(w.At),
	}
	if w.Said != "" {
		n.Asked = []string{w.Said}
	}
	if len(d.out.Needs) > 0 {
		return
	}
	d.out.Notices = append(d.out.Notices, n)
	d.out.Rule = w.Rule
	d.end(decision.Acted, "somebody of ours saw to it, and nobody has written since %s", w.Since.UTC().Format(clockShown))
}
