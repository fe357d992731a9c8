package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// actions lists what a turn decided to do, and what became of it.
func (w *whyTold) actions(t *whyTurn) {
	if len(t.Actions) == 0 {
		return
	}
	w.section("what it did")
	for i := range t.Actions {
		a := &t.Actions[i]
		mark := " "
		if t.asked == a.Key {
			mark = "→"
		}
		w.line("%s %s", mark, (&deed{Action: *a}).does(false, 0))
		w.line("    %s", became(a))
		if q := t.requests.action(a); q != nil {
			w.line("    %s", q)
		}
		p := t.approvals[a.Key]
		if said := ruled(&p); said != "" {
			w.line("    %s", said)
		} else if a.State == event.StateHeld && !p.Expires.IsZero() {
			w.line("    nobody may approve it after %s", when(p.Expires))
		}
		for _, what := range alsoDone(&p.Effects, false) {
			w.line("    with it: %s", what)
		}
		by := byAnother(t, a)
		w.line("    decided %s%s%s%s%s, key %s", when(a.DecidedAt), at("due", a.Due.After(a.DecidedAt), when(a.Due))+at("to leave before", !a.Until.IsZero(), when(a.Until)),
			at("left", !a.LeftAt.IsZero(), when(a.LeftAt)), at("", a.Tries > 1, fmt.Sprintf("%d tries", a.Tries)),
			at("by", by != "", by), plain(a.Key, 0))
	}
}

// byAnother names the rule that decided an action, when it is another one than the turn names.
func byAnother(t *whyTurn, a *event.Action) string {
	by := rules.DecidedBy(t.trace(), t.Facts, a.Key)
	if by == t.trace().Rule || strings.Contains(a.Reason, by+" is on watch") {
		return ""
	}
	return plain(by, 0)
}

// at returns ", what value" when it is so.
func at(what string, so bool, value string) string {
	if !so {
		return ""
	}
	return ", " + strings.TrimSpace(what+" "+value)
}

// became says what became of an action.
func became(a *event.Action) string {
	why := after(": ", plain(a.Reason, 0))
	switch a.State {
	case event.StateDue:
		if strings.HasPrefix(a.Reason, "waits: ") { // for what else is published
			return "it " + plain(a.Reason, 0)
		}
		return "it waits until " + when(a.Due)
	case event.StateSending:
		return "it is on its way"
	case event.StateUnsure:
		return "it left, and nobody knows yet whether it arrived" + why
	case event.StateDone:
		result := ""
		if a.Result != 0 {
			result = fmt.Sprintf(", as %s %d", a.Verb, a.Result)
		}
		return "done " + when(a.EndedAt) + result
	case event.StateRefused:
		return "the platform refused it, " + when(a.EndedAt) + why
	case event.StateHeld:
		verb := "release"
		if a.Reason == needsApproval {
			verb = "approve"
		}
		return "it is held" + why + "; nectar outbox " + verb + " " + shortNumber(a) + " lets it leave" + at("at", a.Due.After(time.Now()), when(a.Due))
	case event.StateWithdrawn:
		if a.Tries > 0 {
			return "it is withdrawn" + why
		}
		return "it never left" + why
	case event.StateDead:
		return "it was given up, " + when(a.EndedAt) + why
	}
	return string(a.State) + why
}

// books lists what a turn did for people of ours, and what it waits for.
func (w *whyTold) books(t *whyTurn) {
	d := &t.explained.Decision
	var lines []string
	for _, n := range d.Notices {
		lines = append(lines, "tells "+n.Who+": "+quoted(n.Text, 0))
	}
	for i := range d.Entries {
		lines = append(lines, "puts into the list "+d.Entries[i].List+": "+entered(&d.Entries[i]))
	}
	if d.Handoff != nil {
		until := "until it is given back"
		if d.Handoff.For > 0 {
			until = "until " + d.Handoff.To + " has been silent for " + takes(d.Handoff.For)
		}
		lines = append(lines, "gives the conversation to "+d.Handoff.To+", "+until)
	}
	if d.Withdraw != "" {
		lines = append(lines, "takes back what has not left: "+d.Withdraw)
	}
	for _, x := range d.Timers {
		if what := rules.Awaits(x); what != "" {
			lines = append(lines, "until "+when(x.Due)+": "+what)
		}
	}
	if len(lines) > 0 {
		w.section("beside that it")
		w.list(lines)
	}
}

// conversation says how the conversation stood before and after.
func (w *whyTold) conversation(t *whyTurn) {
	before, after := t.explained.Input.State, t.explained.Decision.State
	w.section("the conversation")
	w.line("  before: %s", plain(stood(&before), 0))
	now := stood(&after)
	if now == stood(&before) {
		now = "the same"
	}
	if step := t.explained.Decision.Step; step != "" {
		if _, _, in := after.Stands(); !in {
			now = "it came to " + step + ", and is over; " + now
		}
	}
	w.line("  after:  %s", plain(now, 0))
	if talk, step, ok := before.Stands(); ok && t.version != nil {
		if at, ok := t.version.StepAt(talk, step); ok {
			w.line("  the step %s is written in %s line %d", step, at.File, at.Line)
		}
	}
}

// stood says how a conversation stands.
func stood(s *rules.State) string {
	parts := []string{"the bot has it"}
	if s.Owner != "" {
		parts[0] = s.Owner + " has it"
	}
	if talk, step, ok := s.Stands(); ok {
		parts = append(parts, "step "+step+" of "+talk)
	} else {
		parts = append(parts, "no step")
	}
	labels := slices.Clone(s.Labels)
	parts = append(parts, cmp.Or(after("labels ", strings.Join(labels, " ")), "no labels"))
	if s.Memory.Stopped {
		parts = append(parts, "the person wants to be left alone")
	}
	return strings.Join(parts, ", ")
}
