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

// TellActions lists what a turn decided to do, and what became of it.
func (t *Told) TellActions(turn *whyTurn) {
	if len(turn.Actions) == 0 {
		return
	}
	t.WriteSection("what it did")
	for i := range turn.Actions {
		a := &turn.Actions[i]
		mark := " "
		if turn.asked == a.Key {
			mark = "→"
		}
		t.WriteLine("%s %s", mark, (&view.Deed{Action: *a}).DoesText(false, 0))
		p := turn.approvals[a.Key]
		t.WriteLine("    %s", becameText(a, &p))
		if q := turn.requests.AskedAboutAction(a); q != nil {
			t.WriteLine("    %s", q)
		}
		if said := view.RuledText(&p); said != "" {
			t.WriteLine("    %s", said)
		} else if a.State == event.StateHeld && !p.Expires.IsZero() {
			t.WriteLine("    nobody may approve it after %s", print.TimeText(p.Expires))
		}
		for _, what := range words.AlsoDone(&p.Effects, false) {
			t.WriteLine("    with it: %s", what)
		}
		by := byAnother(turn, a)
		t.WriteLine("    decided %s%s%s%s%s, key %s", print.TimeText(a.DecidedAt), at("due", a.Due.After(a.DecidedAt), print.TimeText(a.Due))+at("to leave before", !a.Until.IsZero(), print.TimeText(a.Until)),
			at("left", !hasStayed(a), print.TimeText(a.LeftAt)), at("", a.Tries > 1, fmt.Sprintf("%d tries", a.Tries)),
			at("by", by != "", by), print.PlainText(a.Key, 0))
	}
}

// byAnother names the rule that decided an action, when it is another one than the turn names.
func byAnother(t *whyTurn, a *event.Action) string {
	by := replay.RuleOf(t.decisionRecord(), t.Facts, a.Key)
	if by == t.decisionRecord().Rule || reason.OfAction(a) == reason.WatchedBy(by) {
		return ""
	}
	return print.PlainText(by, 0)
}

// hasStayed reports whether no request of an action has left. Earlier versions kept with what was withdrawn when it was to leave.
func hasStayed(a *event.Action) bool {
	return a.LeftAt.IsZero() || a.State == event.StateWithdrawn && a.Tries == 0
}

// at returns ", what value" when it is so.
func at(what string, so bool, value string) string {
	if !so {
		return ""
	}
	return ", " + strings.TrimSpace(what+" "+value)
}

// becameText says what became of an action.
func becameText(a *event.Action, p *event.Approval) string {
	why := print.PrefixText(": ", print.PlainText(a.Reason, 0))
	switch a.State {
	case event.StateDue:
		if reason.OfAction(a).Code() == reason.Crowded {
			return "it " + print.PlainText(a.Reason, 0)
		}
		return "it waits until " + print.TimeText(a.Due)
	case event.StateSending:
		return "it is on its way"
	case event.StateInDoubt:
		return "it left, and nobody knows yet whether it arrived" + why
	case event.StateDone:
		result := ""
		if a.Result != 0 {
			result = fmt.Sprintf(", as %s %d", a.Verb, a.Result)
		}
		return "done " + print.TimeText(a.EndedAt) + result
	case event.StateRefused:
		return "the platform refused it, " + print.TimeText(a.EndedAt) + why
	case event.StateHeld:
		verb := "release"
		if inspect.HoldOf(a, p, time.Time{}, a.DecidedAt).For == inspect.HeldForApproval {
			verb = "approve"
		}
		return "it is held" + why + "; nectar outbox " + verb + " " + view.ShortNumber(a) + " lets it leave" + at("at", a.Due.After(time.Now()), print.TimeText(a.Due))
	case event.StateWithdrawn:
		if hasStayed(a) {
			return "it never left" + why
		}
		return "it is withdrawn" + why
	case event.StateDead:
		return "it was given up, " + print.TimeText(a.EndedAt) + why
	}
	return a.State.String() + why
}

// tellEffects lists what a turn did for people of ours, and what it waits for.
func (t *Told) tellEffects(turn *whyTurn) {
	d := &turn.explained.Decision
	var lines []string
	for _, n := range d.Notices {
		lines = append(lines, "tells "+n.Who+": "+print.QuotePlain(n.Text, 0))
	}
	for i := range d.Entries {
		lines = append(lines, "puts into the list "+d.Entries[i].List+": "+words.EnteredText(&d.Entries[i]))
	}
	if d.Handoff != nil {
		until := "until it is given back"
		if d.Handoff.For > 0 {
			until = "until " + d.Handoff.To + " has been silent for " + words.TakesText(d.Handoff.For)
		}
		lines = append(lines, "gives the conversation to "+d.Handoff.To+", "+until)
	}
	if d.Withdraw != "" {
		lines = append(lines, "takes back what has not left: "+d.Withdraw)
	}
	for _, x := range d.Timers {
		if what := rehearse.Awaits(x); what != "" {
			lines = append(lines, "until "+print.TimeText(words.AwaitedAt(x))+": "+what)
		}
	}
	if len(lines) > 0 {
		t.WriteSection("beside that it")
		t.writeList(lines)
	}
}

// tellConversation says how the conversation stood before and after.
func (t *Told) tellConversation(turn *whyTurn) {
	before, after := turn.explained.Input.State, turn.explained.Decision.State
	t.WriteSection("the conversation")
	t.WriteLine("  before: %s", print.PlainText(stood(&before), 0))
	now := stood(&after)
	if now == stood(&before) {
		now = "the same"
	}
	if step := turn.explained.Decision.Step; step != "" {
		if _, _, in := replay.Stands(&after); !in {
			now = "it came to " + step + ", and is over; " + now
		}
	}
	t.WriteLine("  after:  %s", print.PlainText(now, 0))
	if talk, step, ok := replay.Stands(&before); ok && turn.version != nil {
		if at, ok := replay.StepAt(turn.version, talk, step); ok {
			t.WriteLine("  the step %s is written in %s line %d", step, at.File, at.Line)
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
	parts = append(parts, cmp.Or(print.PrefixText("labels ", strings.Join(labels, " ")), "no labels"))
	if !s.Silence.Since.IsZero() {
		parts = append(parts, "the person wants to be left alone")
	}
	return strings.Join(parts, ", ")
}
