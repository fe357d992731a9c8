package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// The timers of rules.
const (
	TimerBurst   = "rules/burst"          // a burst is over
	TimerSilence = "rules/silence"        // nobody has answered a step
	TimerWaiting = "rules/waiting/"       // of a rule that waits for something
	TimersOwned  = "owned/rules/"         // those that have their turn also while a person has the conversation
	TimerNobody  = TimersOwned + "nobody" // the team has not answered

	clockShown = "15:04:05 UTC" // a time of day in a reason

	// burstMost is how many times its length a burst may last, after its first message.
	burstMost = 5
	// burstText is how many bytes of a burst are kept to be answered: more is a flood.
	burstText = 16 << 10
)

// gatherMessage puts a message to those before it, when more may follow; false when it is answered at once.
func (d *decider) gatherMessage() bool {
	window := d.v.merge
	if t, _, ok := d.currentConversation(); ok {
		window = t.merge
	}
	e, b := &d.event, d.state.Memory.Burst
	if b != nil && d.dealtWith(b) { //mutate:burst-of-hers
		b = nil // the event begins a new burst
	}
	// A burst that has begun takes this in although the rules gather nothing any more: one timer answers both.
	if window <= 0 && b == nil {
		return false
	}
	if b == nil {
		b = &decision.Burst{First: d.now, From: e.NotBefore, Begins: d.begins}
		d.state.Memory.Burst = b
	}
	b.Events = append(b.Events, e.ID)
	if len(b.Texts) == 0 || len(e.Text)+len(strings.Join(b.Texts, "\n")) < burstText {
		b.Texts = append(b.Texts, e.Text)
	}
	b.Seen, b.Before, b.Said = e.SeenAt, e.NotBefore, e.SaidAt
	if e.Image != "" {
		b.Image = e.Image
	}
	d.changed = true
	due := d.now.Add(window)
	// Or who never stops writing would never be answered.
	if most := b.First.Add(burstMost * window); due.After(most) {
		due = most
	}
	b.Due = due
	d.setTimer(TimerBurst, due, nil)
	d.end(decision.Gathering, "waits until %s for what else is written", due.UTC().Format(clockShown))
	return true
}

// answerBurst answers what was gathered.
func (d *decider) answerBurst(t event.Timer) {
	b := d.state.Memory.Burst
	if b == nil {
		d.end(decision.Unmatched, "what was gathered is answered already")
		return
	}
	// With the turn that answers it, in one commit: it is answered, and over, or neither.
	d.state.Memory.Burst, d.changed = nil, true //mutate:burst-over
	d.isAbout(b.Events[len(b.Events)-1], b.First, saidWhen(b.Said, b.Seen))
	if d.state.OwnerWrote.After(d.sinceSet(b.First, t)) || d.postponed(t, b.Due) {
		d.end(decision.LeftAlone, "a person had the conversation when it was to be answered")
		return
	}
	d.when, d.ids, d.begins = grammar.OnMessage, b.Events, b.Begins && len(b.Events) == 1
	if d.from = b.From; b.Before.IsZero() {
		b.Before = b.Seen
	}
	d.event = event.Event{
		Account: d.in.Trigger.Key.Account, Peer: d.in.Trigger.Key.Peer, ID: b.Events[len(b.Events)-1], Kind: event.KindMessage,
		Name: d.state.Name, User: d.state.User, Text: strings.Join(b.Texts, "\n"), Image: b.Image, SeenAt: b.Seen, NotBefore: b.Before, SaidAt: b.Said,
	}
	d.takeText(d.event.Text)
	d.split(b)
	d.cut()
	d.leaveOutIgnored()
	d.decideAnswer()
}

// dealtWith reports whether a person of ours sees to what was gathered so far: somebody of ours has written since it began, or had the
// conversation when it was to be answered.
func (d *decider) dealtWith(b *decision.Burst) bool {
	return d.state.OwnerWrote.After(b.First) || d.state.TakenBack.After(b.First) && !b.Due.IsZero() && !b.Due.After(d.now)
}

// postponed reports whether a timer had its turn later than it was set to, since a person had the conversation.
func (d *decider) postponed(t event.Timer, due time.Time) bool {
	const name = "postponed"
	was := !due.IsZero() && t.Due.After(due.Add(time.Second)) // the store keeps less than nanoseconds
	if raw, ok := d.in.Facts[name]; ok && json.Unmarshal(raw, &was) == nil || was {
		d.keepFact(name, was) // the timer is gone once it has fired
	}
	return was
}

// setTimer sets a timer; a zero time cancels it.
func (d *decider) setTimer(name string, due time.Time, data []byte) {
	if d.dry {
		return
	}
	for i := range d.out.Timers {
		if d.out.Timers[i].Name == name {
			d.out.Timers[i].Due, d.out.Timers[i].Data = due, data
			return
		}
	}
	d.out.Timers = append(d.out.Timers, event.Timer{Key: d.in.Trigger.Key, Name: name, Due: due, Data: data})
}

// betweenAnswers stands between two answers in one message.
const betweenAnswers = "\n\n"

// joinMessage adds what is said to the message that answers the same burst; false when it is a message of its own: since it
// stands behind a wait, or the two together are longer than the platform takes.
func (d *decider) joinMessage(a *decision.Action) bool {
	if d.put = len(d.out.Actions); !d.hasSeveralParts() || a.Verb != event.VerbMessage || d.waited {
		return false
	}
	to := d.join
	if d.dry {
		to = d.lastWatched(a)
	} else if !d.joins {
		return false
	}
	if to < 0 || utf8.RuneCountInString(d.out.Actions[to].Text+betweenAnswers+a.Text) > bot.MaxMessage { //mutate:joined-length
		if !d.dry {
			d.join = len(d.out.Actions)
		}
		return false
	}
	d.put = to
	d.add(&d.out.Actions[to], a)
	return true
}

// lastWatched returns where the message stands that another rule on watch would have sent; -1 for none.
func (d *decider) lastWatched(a *decision.Action) int {
	n := len(d.out.Actions) - 1
	if n < 0 || d.out.Actions[n].Status != decision.Watch || d.out.Actions[n].Verb != event.VerbMessage || d.out.Actions[n].Rule == a.Rule {
		return -1
	}
	return n
}

// add adds an answer to a message.
func (d *decider) add(to, a *decision.Action) {
	to.Variants = eachWith(to.Variants, a.Variants)
	to.Text += betweenAnswers + a.Text
	to.Private = to.Private || a.Private
	if a.Due.After(to.Due) {
		to.Due, to.Delay = a.Due, a.Delay
	}
	to.Stale = latestTime(to.Stale, a.Stale)
	if a.Rule != to.Rule && !slices.Contains(to.With, a.Rule) {
		to.With = append(slices.Clone(to.With), a.Rule)
	}
	if to.Status == decision.Live && a.Status == decision.Ask { //mutate:stricter
		d.letsWait(to)
	}
}

// letsWait lets a message wait for a person that was to leave: its uses count when it is approved, and until then it has
// answered nobody.
func (d *decider) letsWait(a *decision.Action) {
	a.Status = decision.Ask
	if !slices.ContainsFunc(d.out.Actions, func(x decision.Action) bool { return x.Status == decision.Live && x.Verb.Makes() }) {
		d.state.Memory.Answered = d.in.State.Memory.Answered
	}
	d.out.LimitUses = slices.DeleteFunc(d.out.LimitUses, func(c event.LimitUse) bool {
		moves := c.GiveBack && limitUsesFor(a, c)
		if moves {
			a.LimitUses = append(a.LimitUses, c)
		}
		return moves
	})
	for _, id := range append([]string{a.Rule}, a.With...) {
		if r := d.v.ByID[id]; r != nil && r != d.at {
			d.rememberPrepared(r, d.put)
		}
	}
}

// eachWith returns what two answers together may say.
func eachWith(one, other []string) []string {
	const most = 64
	var all []string
	for _, a := range one {
		for _, b := range other {
			if len(all) < most {
				all = append(all, a+betweenAnswers+b)
			}
		}
	}
	return all
}

// limitUsesFor reports whether a use is one of a limit of the action's rules.
func limitUsesFor(a *decision.Action, c event.LimitUse) bool {
	return slices.ContainsFunc(a.Rules(), func(rule string) bool { return strings.HasPrefix(c.Limit, LimitPrefix+rule+"/") })
}

// mainOf returns the action that stands for what the rule did that is performed: of those from an index on, or the
// message to which its answer was added; -1 for none.
func (d *decider) mainOf(from int) int {
	if d.put >= 0 && d.put < from {
		return d.put
	}
	return mainAction(d.out.Actions, from)
}

// isLive reports whether what was said last leaves by itself.
func (d *decider) isLive() bool { return d.put >= 0 && d.out.Actions[d.put].Status == decision.Live }

// Two questions in one message are decided about like two messages in a row. A message is left whole when the cut leaves a part that no rule is for by
// itself: half a sentence would be answered in place of what was meant.

// cut makes the questions of each message known one by one.
func (d *decider) cut() {
	if d.when != grammar.OnMessage || len(d.hits) == 0 {
		return
	}
	reads := d.readsParts()
	if len(d.hits) < 2 && reads == nil { // one thing is asked for at most
		return
	}
	whole := d.parts
	if len(whole) == 0 {
		whole = []part{{id: d.event.ID, text: d.said, hits: d.hits}}
	}
	var all []part
	for i := range whole {
		all = append(all, d.cutOne(whole[i], reads)...)
	}
	if len(all) > len(whole) && len(all) <= mostParts {
		d.parts = all
	}
}

// cutOne returns the parts of a message, or it alone.
func (d *decider) cutOne(p part, reads func(part) bool) []part {
	said := match.SplitQuestions(p.text)
	if len(said) < 2 {
		return []part{p}
	}
	parts := make([]part, len(said))
	for i, s := range said {
		parts[i] = part{id: p.id, text: s, hits: d.v.Texts.Match(match.Read(s), nil)}
		if !d.ledByItself(&parts[i]) && (reads == nil || !reads(parts[i])) {
			return []part{p}
		}
	}
	return parts
}

// ledByItself reports whether a rule that answers messages is for a part by itself.
func (d *decider) ledByItself(p *part) bool {
	return slices.ContainsFunc(p.hits, func(n int) bool {
		r := d.v.first[n]
		return r != nil && r.Answers && slices.Contains(r.whens, grammar.OnMessage) && r.looksFor() && p.fulfilsAll(r.conds)
	})
}

// readsParts returns a function that reports whether a part answers the step in which the conversation stands. It is nil where rules may not answer
// the other parts.
func (d *decider) readsParts() func(part) bool {
	t, _, ok := d.currentConversation()
	if !ok || !t.AnswerFAQ || !d.inTalk() {
		return nil
	}
	s := t.Steps[d.state.Flow.State]
	if s == nil || s.Expect == nil || slices.Contains(s.Expect.Kinds, grammar.ExpectText) {
		return nil
	}
	d.enterConversation(t)
	return func(p part) bool {
		parts, said, reading := d.parts, d.said, d.reading
		d.parts = []part{p}
		ok := s.readsRow(d, 0, 0)
		d.parts, d.said, d.reading = parts, said, reading
		return ok
	}
}

// SaidIn returns what the turn answers.
func SaidIn(in *decision.Input) string {
	b := in.State.Memory.Burst
	switch {
	case in.Trigger.Kind == event.ByEvent:
		return strings.TrimSpace(in.Trigger.Event.Text)
	case in.Trigger.Timer.Name == TimerBurst && b != nil:
		return strings.Join(b.Texts, "\n")
	case IsWaiting(in.Trigger.Timer.Name):
		var w waiting.Asked
		if json.Unmarshal(in.Trigger.Timer.Data, &w) == nil {
			return w.Said
		}
	}
	return ""
}
