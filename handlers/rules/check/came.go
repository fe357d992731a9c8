package check

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// Came returns what a rule did in scenes, as tests expect it: each thing once, what people are told
// first.
func Came(rule string, scenes []rehearse.Scene) []string {
	done := outcomesOf(rule, scenes).done
	order := []grammar.Expected{
		grammar.ExpectReply, grammar.ExpectMessage, grammar.ExpectHandoff, grammar.ExpectLike, grammar.ExpectRepost, grammar.ExpectFollow, grammar.ExpectList, grammar.ExpectNotify, grammar.ExpectLabel,
		grammar.ExpectIgnored,
	}
	var came []string
	for _, e := range order {
		if slices.Contains(done, e) {
			came = append(came, string(e))
		}
	}
	return came
}
