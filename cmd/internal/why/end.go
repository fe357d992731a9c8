package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// endedText says in a sentence what came of a turn.
func endedText(t *whyTurn) string {
	if e := t.Event; e != nil && e.State != record.EventHandled {
		return unhandled(e)
	}
	if t.Event == nil && t.Turn.Timer != nil {
		return unfired(t.Turn.Timer)
	}
	rec := t.decisionRecord()
	if rec.Version != "" {
		return decidedText(t)
	}
	note := print.PrefixText(": ", print.PlainText(rec.Note, 0))
	switch {
	case rec.Outcome == bot.OutcomeOwned:
		return "Nothing was said" + note + "; the bot is silent meanwhile."
	case rec.Outcome == bot.OutcomeForgotten:
		return "Nothing more is known of it: the person was forgotten."
	case rec.Outcome == bot.OutcomeIgnored:
		return "Nothing was said: the person is ignored, see nectar forget --list-ignored."
	case rec.Outcome == bot.OutcomeLate:
		return "Nothing was said, since it was too late for an answer" + note + "."
	case rec.Outcome == bot.OutcomeOurselves:
		return "Nothing was said" + note + ", and a bot does not answer itself."
	case rec.Outcome == bot.OutcomeFailed, rec.Outcome == record.EventQuarantined:
		return "It failed" + note + "."
	case rec.Outcome == bot.OutcomeUnmatched && rec.Route == "":
		return "Nothing was said: neither the program nor the rule files look at anything of the kind."
	case replay.Ours(rec.Route):
		if rec.Note == "" {
			return "The rules decided it. How, is not kept any more."
		}
		return "Nothing was said" + note + "."
	case rec.Route == "":
		return "It was " + cmp.Or(rec.Outcome, "handled") + note + "."
	default:
		return fmt.Sprintf("It was %s by %s, which is a part of the program and no rule%s.", cmp.Or(rec.Outcome, "handled"), print.PlainText(rec.Route, 0), note)
	}
}

// unhandled says why an event has had no turn.
func unhandled(e *record.EventRow) string {
	note := print.PrefixText(". Last: ", print.PlainText(e.Record.Note, 0))
	switch {
	case e.State == record.EventQuarantined:
		return fmt.Sprintf("Nothing was said: it failed %s and is quarantined. nectar events retry %s lets it be tried again%s", times(e.Tries), e.ID, note)
	case e.Tries > 0:
		return fmt.Sprintf("It waits to be tried again: it failed %s%s", times(e.Tries), note)
	default:
		return "It waits for its turn."
	}
}

// unfired says why a timer has had no turn.
func unfired(x *record.TimerRow) string {
	note, id := print.PrefixText(". Last: ", print.PlainText(x.Note, 0)), print.PlainText(x.ID(), 0)
	switch {
	case x.State == record.TimerQuarantined:
		return fmt.Sprintf("Nothing was said: it failed %s and is quarantined. nectar events retry '%s' lets it be tried again%s", times(x.Tries), id, note)
	case x.State == record.TimerOrphaned:
		return "Nothing was said: the program has no route or flow for it. It has its turn when a program starts that has one."
	case x.Tries > 0:
		return fmt.Sprintf("It waits to be tried again: it failed %s%s", times(x.Tries), note)
	case x.Due.After(time.Now()):
		return "It waits until " + print.TimeText(x.Due) + "."
	default:
		return "It waits for its turn."
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// decidedText says what rules decided.
func decidedText(t *whyTurn) string {
	rec := t.decisionRecord()
	by, note := byRule(t), print.PlainText(rec.Note, 0)
	switch ruledecision.Outcome(rec.Outcome) {
	case ruledecision.Answered:
		return "It was answered by " + by + "."
	case ruledecision.Prepared:
		return "It was prepared by " + by + ", for a person to approve" + preparedText(t) + "."
	case ruledecision.Acted:
		return acted(t, by, note)
	case ruledecision.HeldBack, ruledecision.OnPause:
		return "Nothing was said: " + note + nearestRule(t) + "."
	case ruledecision.Ignored:
		return "Nothing was said: it is ignored by " + by + "."
	case ruledecision.Watched:
		return "Nothing was done: " + note + nearestRule(t) + "."
	case ruledecision.Gathering:
		switch {
		case t.waits.Due.IsZero():
			return "It waited for what else was written, and " + view.AnsweredByNobody + "."
		case t.waits.State != record.TimerWaiting:
			return "It waited for what else was written. " + unfired(&t.waits)
		}
		return "It is not answered yet: it waits until " + print.TimeText(t.waits.Due) + " for what else is written."
	case ruledecision.Owned:
		return owned(t, by, note)
	case ruledecision.LeftAlone:
		if len(t.Actions) > 0 {
			return "It was answered: " + note + "."
		}
		return "Nothing was said: " + note + "."
	case ruledecision.Unmatched:
		return "Nothing was said: " + cmp.Or(note, "no rule matched") + nearestRule(t) + "."
	}
	return "It was " + rec.Outcome + print.PrefixText(": ", note) + "."
}

// preparedText says what became of what was prepared, behind that.
func preparedText(t *whyTurn) string {
	switch t.became {
	case "":
		return ""
	case view.BecameWaiting:
		return ", and waits"
	case view.BecameSent, view.BecameDone:
		return ", and was " + cmp.Or(t.ruled, "approved") + ", and done"
	case view.BecameWithdrawn:
		return ", and came to nothing" + print.PrefixText("; it was ", t.ruled)
	}
	return ", and " + map[bool]string{true: "has ", false: "was "}[t.became == view.BecameExpired] + cmp.Or(t.ruled, t.became)
}

// owned says what rules did while a person has the conversation.
func owned(t *whyTurn, by, note string) string {
	rec := t.decisionRecord()
	if rec.Rule == "" || t.ok && t.explained.Decision.Rule == rec.Rule && isHeldBack(t.explained.Decision.Tried, rec.Rule) {
		return "Nothing was said: " + note + "; the bot is silent meanwhile."
	}
	return "Nothing was said: " + note + "; the bot is silent meanwhile. Something was done by " + by + "."
}

// isHeldBack reports whether a rule that was tried is held back.
func isHeldBack(tried []ruledecision.Tried, rule string) bool {
	return slices.ContainsFunc(tried, func(r ruledecision.Tried) bool { return r.Rule == rule && r.End == ruledecision.TriedHeld })
}

// acted says what was done where nothing was said.
func acted(t *whyTurn, by, note string) string {
	rule := t.decisionRecord().Rule
	var others []string
	if t.ok && len(t.explained.Differs) == 0 {
		for i := range t.explained.Decision.Tried {
			if r := &t.explained.Decision.Tried[i]; r.Matched && matchedText(r) == matchedWord && r.Rule != rule {
				others = append(others, r.Rule)
			}
		}
	}
	switch {
	case rule == "" && len(others) == 0:
		return "Nothing was said, and something was done" + print.PrefixText(": ", note) + "."
	case rule == "": // decided by an earlier version, which did not name it
		by, others = "the rule "+others[0], others[1:]
	}
	return "Nothing was said" + nearestRule(t) + "; something was done by " + by + print.PrefixText(", and by ", strings.Join(others, ", ")) + print.PrefixText("; ", note) + "."
}

// nearestRule names the rule that came nearest to answering; "" when none did.
func nearestRule(t *whyTurn) string {
	if !t.ok || t.explained.Nearest == nil {
		return ""
	}
	n := t.explained.Nearest
	return fmt.Sprintf("; nearest: %s (%s), %s", n.Rule, standsAt(n.File, n.Line), print.PlainText(cmp.Or(n.Nearest, n.Why), 0))
}

// byRule names the rule or conversation that decided, and where it stands.
func byRule(t *whyTurn) string {
	rule := t.decisionRecord().Rule
	if t.version == nil {
		return "the rule " + rule
	}
	at, _, ok := rehearse.Origin(t.version, rule)
	if !ok {
		return "the rule " + rule
	}
	kind := "the rule "
	if rehearse.Leads(t.version, rule) {
		kind = "the conversation "
	}
	return fmt.Sprintf("%s%s, %s line %d", kind, rule, at.File, at.Line)
}
