package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/internal/reason"
)

// Actions lists what a turn decided to do, and what became of it.
func (w *Told) Actions(t *whyTurn) {
	if len(t.Actions) == 0 {
		return
	}
	w.Section("what it did")
	for i := range t.Actions {
		a := &t.Actions[i]
		mark := " "
		if t.asked == a.Key {
			mark = "→"
		}
		w.Line("%s %s", mark, (&view.Deed{Action: *a}).Does(false, 0))
		p := t.approvals[a.Key]
		w.Line("    %s", became(a, &p))
		if q := t.requests.Action(a); q != nil {
			w.Line("    %s", q)
		}
		if said := view.Ruled(&p); said != "" {
			w.Line("    %s", said)
		} else if a.State == event.StateHeld && !p.Expires.IsZero() {
			w.Line("    nobody may approve it after %s", print.When(p.Expires))
		}
		for _, what := range words.AlsoDone(&p.Effects, false) {
			w.Line("    with it: %s", what)
		}
		by := byAnother(t, a)
		w.Line("    decided %s%s%s%s%s, key %s", print.When(a.DecidedAt), at("due", a.Due.After(a.DecidedAt), print.When(a.Due))+at("to leave before", !a.Until.IsZero(), print.When(a.Until)),
			at("left", !stayed(a), print.When(a.LeftAt)), at("", a.Tries > 1, fmt.Sprintf("%d tries", a.Tries)),
			at("by", by != "", by), print.Plain(a.Key, 0))
	}
}

// byAnother names the rule that decided an action, when it is another one than the turn names.
func byAnother(t *whyTurn, a *event.Action) string {
	by := replay.DecidedBy(t.record(), t.Facts, a.Key)
	if by == t.record().Rule || reason.OfAction(a) == reason.WatchedBy(by) {
		return ""
	}
	return print.Plain(by, 0)
}

// stayed reports whether no request of an action has left. Earlier versions kept with what was withdrawn when it was to leave.
func stayed(a *event.Action) bool {
	return a.LeftAt.IsZero() || a.State == event.StateWithdrawn && a.Tries == 0
}

// at returns ", what value" when it is so.
func at(what string, so bool, value string) string {
	if !so {
		return ""
	}
	return ", " + strings.TrimSpace(what+" "+value)
}

// became says what became of an action.
func became(a *event.Action, p *event.Approval) string {
	why := print.After(": ", print.Plain(a.Reason, 0))
	switch a.State {
	case event.StateDue:
		if reason.OfAction(a).Code() == reason.Crowded {
			return "it " + print.Plain(a.Reason, 0)
		}
		return "it waits until " + print.When(a.Due)
	case event.StateSending:
		return "it is on its way"
	case event.StateInDoubt:
		return "it left, and nobody knows yet whether it arrived" + why
	case event.StateDone:
		result := ""
		if a.Result != 0 {
			result = fmt.Sprintf(", as %s %d", a.Verb, a.Result)
		}
		return "done " + print.When(a.EndedAt) + result
	case event.StateRefused:
		return "the platform refused it, " + print.When(a.EndedAt) + why
	case event.StateHeld:
		verb := "release"
		if inspect.HoldOf(a, p, time.Time{}, a.DecidedAt).For == inspect.HeldForApproval {
			verb = "approve"
		}
		return "it is held" + why + "; nectar outbox " + verb + " " + view.ShortNumber(a) + " lets it leave" + at("at", a.Due.After(time.Now()), print.When(a.Due))
	case event.StateWithdrawn:
		if stayed(a) {
			return "it never left" + why
		}
		return "it is withdrawn" + why
	case event.StateDead:
		return "it was given up, " + print.When(a.EndedAt) + why
	}
	return a.State.String() + why
}

// books lists what a turn did for people of ours, and what it waits for.
func (w *Told) books(t *whyTurn) {
	d := &t.explained.Decision
	var lines []string
	for _, n := range d.Notices {
		lines = append(lines, "tells "+n.Who+": "+print.Quoted(n.Text, 0))
	}
	for i := range d.Entries {
		lines = append(lines, "puts into the list "+d.Entries[i].List+": "+words.Entered(&d.Entries[i]))
	}
	if d.Handoff != nil {
		until := "until it is given back"
		if d.Handoff.For > 0 {
			until = "until " + d.Handoff.To + " has been silent for " + words.Takes(d.Handoff.For)
		}
		lines = append(lines, "gives the conversation to "+d.Handoff.To+", "+until)
	}
	if d.Withdraw != "" {
		lines = append(lines, "takes back what has not left: "+d.Withdraw)
	}
	for _, x := range d.Timers {
		if what := rehearse.Awaits(x); what != "" {
			lines = append(lines, "until "+print.When(words.AwaitedAt(x))+": "+what)
		}
	}
	if len(lines) > 0 {
		w.Section("beside that it")
		w.list(lines)
	}
}

// conversation says how the conversation stood before and after.
func (w *Told) conversation(t *whyTurn) {
	before, after := t.explained.Input.State, t.explained.Decision.State
	w.Section("the conversation")
	w.Line("  before: %s", print.Plain(stood(&before), 0))
	now := stood(&after)
	if now == stood(&before) {
		now = "the same"
	}
	if step := t.explained.Decision.Step; step != "" {
		if _, _, in := replay.Stands(&after); !in {
			now = "it came to " + step + ", and is over; " + now
		}
	}
	w.Line("  after:  %s", print.Plain(now, 0))
	if talk, step, ok := replay.Stands(&before); ok && t.version != nil {
		if at, ok := replay.StepAt(t.version, talk, step); ok {
			w.Line("  the step %s is written in %s line %d", step, at.File, at.Line)
		}
	}
}

// stood says how a conversation stands.
func stood(s *ruledecision.State) string {
	parts := []string{"the bot has it"}
	if s.Owner != "" {
		parts[0] = s.Owner + " has it"
	}
	if talk, step, ok := replay.Stands(s); ok {
		parts = append(parts, "step "+step+" of "+talk)
	} else {
		parts = append(parts, "no step")
	}
	labels := slices.Clone(s.Labels)
	parts = append(parts, cmp.Or(print.After("labels ", strings.Join(labels, " ")), "no labels"))
	if !s.Silence.Since.IsZero() {
		parts = append(parts, "the person wants to be left alone")
	}
	return strings.Join(parts, ", ")
}
