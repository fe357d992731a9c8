package engine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

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
