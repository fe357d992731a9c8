package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
)

// What an action tells people of ours: a notice, a conversation that is theirs now, a reminder.

// notify tells a team, or waits whether it has to be told.
func (d *decider) notify(n *grammar.Notify, p *decision.Progress) {
	d.callsLater(n)
	w := waiting.Asked{Who: n.Who, After: time.Duration(n.IfWaiting), Opens: n.WhenOpen, Urgent: n.Urgent, Plain: n.Text.String() == ""}
	ask := d.status == decision.Ask
	w.Text, w.Private = d.fillText(n.Text, p, d.now.Add(w.After))
	if w.Plain {
		w.Text = d.summaryText()
	}
	// What a person has to approve is told when that is over, and we may have closed by then.
	if w.After > 0 || n.WhenOpen && (ask || d.closed()) {
		d.waitFor(d.at, w, ask)
		return
	}
	d.tellTeam(decision.Notice{Rule: d.at.id, Who: n.Who, Text: w.Text, Private: w.Private, Kind: notify.KindRule, Summary: w.Plain, Urgent: n.Urgent})
}

// closed reports whether we are not at work now.
func (d *decider) closed() bool {
	s := d.at.Scope
	return s.Hours != nil && !s.Hours.OpenAt(d.now.In(s.zone))
}

// summaryText says what happened, and with whom.
func (d *decider) summaryText() string {
	who := "@" + d.state.User
	if d.state.User == "" {
		who = fmt.Sprintf("person %d", d.state.Peer)
	}
	if said := d.keptText(); said != "" {
		return fmt.Sprintf("%s from %s: %s", d.when, who, said)
	}
	return fmt.Sprintf("%s from %s", d.when, who)
}

// handOff gives the conversation to a team.
func (d *decider) handOff(h *grammar.Handoff, p *decision.Progress) {
	say := h.SayOpen
	if d.closed() {
		say = h.SayClosed
	}
	d.sayText(say, d.at.id+"/handoff", p, toPlace)
	if d.dry {
		return
	}
	note, private := d.fillText(h.Note, p, d.now)
	if h.Note.String() == "" {
		note = d.summaryText()
	}
	d.tellTeam(decision.Notice{Rule: d.at.id, Who: h.To, Text: note, Private: private, Kind: notify.KindHandoff, Summary: h.Note.String() == ""})
	if d.status == decision.Ask {
		d.handOffLater(h, p)
		d.remind(h, note, private)
		return
	}
	d.handed = true
	d.state.Owner, d.state.OwnerFor, d.changed = h.To, time.Duration(h.BotReturns.After), true
	d.out.Handoff = &decision.Handover{To: h.To, For: d.state.OwnerFor}
	if p == nil { // otherwise the person who has the conversation now goes on with its steps
		d.leaveConversation()
	}
	d.remind(h, note, private)
}

// remind sets the timer that reminds the team to which a conversation is given, in the place of an earlier one.
func (d *decider) remind(h *grammar.Handoff, note string, private bool) {
	set := d.setTimer
	if d.status == decision.Ask {
		set = func(name string, due time.Time, data []byte) { d.timerLater(name, due, data, stampSince) }
	}
	d.calledAfter = max(d.calledAfter, time.Duration(h.IfNobodyIn))
	if h.IfNobodyIn <= 0 {
		set(TimerNobody, time.Time{}, nil)
		return
	}
	data, err := json.Marshal(waiting.Asked{Since: d.now, After: time.Duration(h.IfNobodyIn), Who: h.To, Rule: d.at.id, Text: "nobody has answered yet: " + note, Private: private})
	if err != nil {
		d.err = err
		return
	}
	set(TimerNobody, d.now.Add(time.Duration(h.IfNobodyIn)), data)
}

// leadOf returns the answers that are kept on a list.
func (d *decider) leadOf(l *grammar.Lead, p *decision.Progress) decision.Entry {
	e := decision.Entry{Rule: d.at.id, List: l.List}
	for _, name := range l.Fields {
		a, value := answerFor(p, name)
		e.Fields = append(e.Fields, decision.Field{Name: name, Value: value, Private: a.Private})
	}
	return e
}
