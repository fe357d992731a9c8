package engine

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
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
		b = nil // what comes now is another one
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

// dealtWith reports whether what was gathered so far is a person's of ours: she has written since it began, or had the conversation when it was
// to be answered.
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
