package rules

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// factBy is the rules that decided the actions of a turn, in their order, when they are not all of the rule that
// its trace names.
const factBy = "by"

// names keeps who decided each action, when the decision's rule does not say that.
func (d *decider) names() {
	if !slices.ContainsFunc(d.out.Actions, func(a Action) bool { return a.Rule != d.out.Rule || len(a.With) > 0 }) { //mutate:rule-names
		return
	}
	by := make([]string, len(d.out.Actions))
	for i := range by {
		by[i] = strings.Join(d.out.Actions[i].Rules(), ", ")
	}
	d.keep(factBy, by)
}

// DecidedBy returns the rule that decided an action of a stored turn, by the action's key, or the rules, with commas
// between them; "" when rules did not.
// facts are those that were stored with the turn.
func DecidedBy(trace *event.DecisionRecord, facts []event.Fact, key string) string {
	var by []string
	kept, err := FactsOf(facts)
	if err != nil || json.Unmarshal(kept[factBy], &by) != nil {
		return trace.Rule
	}
	n, err := strconv.Atoi(key[strings.LastIndexByte(key, '/')+1:])
	if err != nil || n < 0 || n >= len(by) {
		return trace.Rule
	}
	return by[n]
}
