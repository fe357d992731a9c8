package engine

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// FactBy is the rules that decided the actions of a turn, in their order, when they are not all of the rule that
// its decision record names.
const FactBy = "by"

// keepDeciders keeps who decided each action, when the decision's rule does not say that.
func (d *decider) keepDeciders() {
	if !slices.ContainsFunc(d.out.Actions, func(a decision.Action) bool { return a.Rule != d.out.Rule || len(a.With) > 0 }) { //mutate:rule-names
		return
	}
	by := make([]string, len(d.out.Actions))
	for i := range by {
		by[i] = strings.Join(d.out.Actions[i].Rules(), ", ")
	}
	d.keepFact(FactBy, by)
}
