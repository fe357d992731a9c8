package replay

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/text"
)

// StepAt returns where a step of a conversation stands.
func StepAt(v *rules.Version, conversation, step string) (text.At, bool) {
	t := engine.VersionOf(v).Conversations[conversation]
	if t == nil || t.Steps[step] == nil {
		return text.At{}, false
	}
	return t.Steps[step].At, true
}

// Stands returns the conversation with steps that somebody stands in, and the step; false for none.
func Stands(s *decision.State) (conversation, step string, ok bool) {
	conversation, ok = strings.CutPrefix(s.Flow.Flow, engine.FlowPrefix)
	return conversation, s.Flow.State, ok
}

// RuleOf returns the rule that decided an action of a stored turn, by the action's key, or the rules, with commas
// between them; "" when rules did not.
// facts are those that were stored with the turn.
func RuleOf(rec *event.DecisionRecord, facts []event.Fact, key string) string {
	var by []string
	kept, err := engine.FactsOf(facts)
	if err != nil || json.Unmarshal(kept[engine.FactBy], &by) != nil {
		return rec.Rule
	}
	n, err := strconv.Atoi(key[strings.LastIndexByte(key, '/')+1:])
	if err != nil || n < 0 || n >= len(by) {
		return rec.Rule
	}
	return by[n]
}

// SaidIn returns what the turn answers: the text of the event, or of the whole burst.
func SaidIn(in *decision.Input) string { return engine.SaidIn(in) }
