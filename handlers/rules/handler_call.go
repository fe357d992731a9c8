package rules

import (
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// approval is an answer that waits for approval, with the first action of its rule that people are asked about.
type approval struct {
	rule   string
	action event.Action
}

// preparedApprovals returns what a decision prepared for approval, one action of each rule: what the rule says, or else what it does
// first. The decision's actions are the last ones of the turn.
func preparedApprovals(t *bot.Turn, d *decision.Decision) []approval {
	if !slices.ContainsFunc(d.Actions, func(a decision.Action) bool { return a.Status == decision.Ask }) {
		return nil
	}
	var all []approval
	decided := t.Decided()
	decided = decided[max(0, len(decided)-len(d.Actions)):]
	for i := range decided {
		a := &decided[i]
		if a.State != event.StateHeld {
			continue
		}
		at := slices.IndexFunc(all, func(p approval) bool { return p.rule == d.Actions[i].Rule })
		switch {
		case at < 0:
			all = append(all, approval{d.Actions[i].Rule, *a})
		case a.Verb.Makes() && !all[at].action.Verb.Makes():
			all[at].action = *a
		}
	}
	return all
}

// leaveNotices leaves the notices of a decision: what its rules say, and what waits for approval.
func leaveNotices(t *bot.Turn, d *decision.Decision, waiting []approval) {
	who := event.Details{Name: d.State.Name, User: d.State.User, Said: d.Said}
	for _, n := range d.Notices {
		details := who
		details.Plain, details.As, details.Urgent = n.Summary, n.As, n.Urgent
		if details.Since, details.Told = n.Since, n.Told; len(n.Asked) > 0 {
			details.Said, details.More = n.Asked[0], n.Asked[1:]
		}
		describeAsk(&details, &n)
		notice := event.Notice{Who: n.Who, Text: n.Text, Private: n.Private, List: n.List, Key: n.Key, Kind: n.Kind}
		leave(t, notice, details)
	}
	for i := range waiting {
		a, details := &waiting[i].action, who
		number := a.Number()
		details.Answer = a.Text
		if !a.Verb.Makes() {
			details.Answer = string(a.Verb)
		}
		if a.Verb == event.VerbBooks {
			details.Answer = "nothing on the platform: nectar outbox shows what else"
		}
		details.Ask = fmt.Sprintf("The rule %s has prepared it. Let it leave, or: nectar outbox refuse %s", waiting[i].rule, number)
		details.Do, details.Plain = "nectar outbox approve "+number, true
		notice := event.Notice{Who: event.Everybody, Kind: notify.KindApproval, Private: a.Private}
		notice.Text = fmt.Sprintf("an answer of the rule %s waits for approval: nectar outbox approve %s", waiting[i].rule, number)
		leave(t, notice, details)
	}
}

// detailedEffects returns the effects of a bundle with what people are told beside its notices.
func detailedEffects(d *decision.Decision, b *decision.Bundle) event.Effects {
	e := b.Effects
	e.Notices = slices.Clone(e.Notices)
	for i := range e.Notices {
		n := &e.Notices[i]
		details := event.Details{Name: d.State.Name, User: d.State.User, Said: d.Said, Plain: n.Summary, Urgent: n.Urgent}
		describeAsk(&details, &decision.Notice{Rule: b.Rule, Kind: n.Kind})
		n.Details = details.Encode()
	}
	return e
}

// describeAsk says what is asked of people.
func describeAsk(d *event.Details, n *decision.Notice) {
	d.Do = "nectar conversations show {who}"
	switch n.Kind {
	case notify.KindHandoff:
		d.Ask = "Answer them on the platform: the bot is silent there. When you are done, give it back to the bot:"
		d.Do = "nectar conversations give-back {who}"
	case notify.KindWaiting:
		d.Ask = "Answer them on the platform. What was said until now:"
	case notify.KindPaused:
		d.Name, d.User, d.Said = "", "", "" // it is about the rule
		d.Do, d.Why = "nectar resume "+n.Rule, event.Because("rule.paused", "about", n.Rule)
	default:
	}
}

// leave leaves a notice with its details.
func leave(t *bot.Turn, n event.Notice, details event.Details) {
	n.Details = details.Encode()
	t.Notify(n)
}
