package engine

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// TooManyLimit names the limit that counts how often a rule fired, for its if_too_many. When a person lets the
// rule go on, it counts anew.
func TooManyLimit(rule string) string { return LimitPrefix + rule + "/too_many" }

// limitUses returns the uses of limits that a rule needs.
func (d *decider) limitUses(r *rule) []event.LimitUse {
	var limitUses []event.LimitUse
	add := func(name, scope string, l *text.Limit) {
		if l != nil {
			//mutate:limit-name
			limitUses = append(limitUses, event.LimitUse{Limit: LimitPrefix + r.id + "/" + name, Scope: scope, Max: l.Max, Within: l.Per, GiveBack: true})
		}
	}
	add("per_person", PersonScope(d.state.Peer), r.limits.PerPerson)
	if d.event.Post != 0 {
		add("per_post", "post:"+strconv.FormatInt(int64(d.event.Post), 10), r.limits.PerPost)
	}
	add("total", "", r.limits.Total)
	if m := r.tooMany; m != nil {
		// Without GiveBack: it counts that the rule fired, also when its actions came to nothing.
		limitUses = append(limitUses, event.LimitUse{Limit: TooManyLimit(r.id), Max: m.MoreThan.Max, Within: m.MoreThan.In})
	}
	return limitUses
}

// reachedLimit tells which limit keeps a rule silent; "" when none does.
func (d *decider) reachedLimit(r *rule) (grammar.HeldReason, string) {
	if r.tooMany != nil {
		var paused bool
		if !d.readFact(needEntry(grammar.PausedList, r.id), &paused) {
			return "", ""
		}
		if paused {
			return grammar.HeldTooMany, "it stopped itself, since it fired too often; nectar resume " + r.id + " lets it go on"
		}
	}
	for _, c := range d.limitUses(r) {
		var used int
		// A count that has to be read first does not end the loop: all of them are asked for in one round.
		if !d.readFact(NeedUses(c), &used) || used < c.Max {
			continue
		}
		if r.tooMany != nil && c.Limit == TooManyLimit(r.id) {
			d.pause(r)
			return grammar.HeldTooMany, fmt.Sprintf("it fired more than %d times in %s, and stops itself", c.Max, text.Duration(c.Within))
		}
		return grammar.HeldLimit, limitShown(c)
	}
	return "", ""
}

func limitShown(c event.LimitUse) string {
	name := c.Limit[len(LimitPrefix):]
	if c.Within == 0 {
		return fmt.Sprintf("the limit %s (%d ever) is used up", name, c.Max)
	}
	return fmt.Sprintf("the limit %s (%s) is used up", name, text.Limit{Max: c.Max, Per: c.Within})
}

// pause stops a rule that fires too often.
func (d *decider) pause(r *rule) {
	why := fmt.Sprintf("%s fired more than %d times in %s, and is paused", r.id, r.tooMany.MoreThan.Max, text.Duration(r.tooMany.MoreThan.In))
	d.out.Entries = append(d.out.Entries, decision.Entry{Rule: r.id, List: grammar.PausedList, Key: r.id, Text: why})
	d.out.Notices = append(d.out.Notices, decision.Notice{Rule: r.id, Who: r.tooMany.Who, Text: why, List: grammar.PausedList, Key: r.id, Kind: notify.KindPaused})
}

// countUse lets what a rule did count. What waits for a person counts when it is released, except that the
// rule fired.
func (d *decider) countUse(r *rule, from int) {
	limitUses := d.limitUses(r)
	i := d.mainOf(from)
	if i < 0 || d.out.Actions[i].Status != decision.Ask {
		d.out.LimitUses = append(d.out.LimitUses, limitUses...)
		return
	}
	for _, c := range limitUses {
		if c.GiveBack {
			d.out.Actions[i].LimitUses = append(d.out.Actions[i].LimitUses, c)
		} else {
			d.out.LimitUses = append(d.out.LimitUses, c)
		}
	}
	d.rememberPrepared(r, i)
}

// mainAction returns the action that stands for those from an index on: what is said, or else the first one;
// -1 when none of them may leave.
func mainAction(actions []decision.Action, from int) int {
	first := -1
	for i := from; i < len(actions); i++ {
		switch a := &actions[i]; {
		case !a.Status.Acts():
		case a.Verb.Makes():
			return i
		case first < 0:
			first = i
		}
	}
	return first
}

// giveBacks settles which uses are given back: those of the rule to which the decision's uses belong, by one of its actions.
func (d *decider) giveBacks() {
	if len(d.out.LimitUses) == 0 {
		return
	}
	d.out.LimitUseOf = mainAction(d.out.Actions, 0)
	for i := range d.out.LimitUses {
		c := &d.out.LimitUses[i]
		c.GiveBack = c.GiveBack && d.out.LimitUseOf >= 0 && limitUsesFor(&d.out.Actions[d.out.LimitUseOf], *c)
	}
}

// rememberPrepared notes an answer that was prepared, in the place of an earlier one.
func (d *decider) rememberPrepared(r *rule, i int) {
	a, m := &d.out.Actions[i], &d.state.Memory
	m.Held = slices.DeleteFunc(m.Held, func(h decision.Held) bool { return h.Rule == r.id && h.Post == a.Post })
	m.Held = append(m.Held, decision.Held{Rule: r.id, Post: a.Post, Key: ActionKey(d.in.Trigger, i)})
	m.Held = m.Held[max(0, len(m.Held)-mostHeld):]
	d.changed = true
}

// preparedReason reports whether what a rule would prepare waits for a person already; "" when it does not.
func (d *decider) preparedReason(r *rule) string {
	for _, h := range d.state.Memory.Held {
		if h.Rule != r.id || h.Post != 0 && h.Post != d.event.Post {
			continue
		}
		var a decision.ActionFact
		if d.readFact(needAction(h.Key), &a) && a.State == event.StateHeld {
			return "the same waits for a person already"
		}
	}
	return ""
}
