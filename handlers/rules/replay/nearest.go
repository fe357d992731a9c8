package replay

import (
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// completeReason completes what is said about a rule that was tried: what decided may be something that was not
// read at the time, since the text had decided already.
func completeReason(v *rules.Version, t *decision.Tried, said string) {
	if t.Matched || t.Why != "" {
		return
	}
	t.Why = "it depends on something that was not read"
	if found, ok := textVerdict(v, t.Rule, said); ok && !found.Holds {
		t.Why, t.Nearest = engine.VerdictText(found), found.Nearest
	}
}

// textVerdict tells what comes of the first text condition of a rule; false when it has none.
func textVerdict(v *rules.Version, rule, said string) (match.Verdict, bool) {
	r := engine.VersionOf(v).ByID[rule]
	if r == nil || r.FirstText() < 0 {
		return match.Verdict{}, false
	}
	return engine.VersionOf(v).Texts.ExplainPattern(r.FirstText(), match.Read(said)), true
}

// How near a rule came that did not match.
const (
	notNear    = iota
	nearText   // something like its words was said
	nearBut    // its words were said, and also one that must not be said
	nearAtLast // its text was said, and something else kept it silent
)

// nearestOf returns the rule that came nearest to matching; nil when none came near.
func nearestOf(v *rules.Version, tried []decision.Tried, said string) *decision.Tried {
	var best *decision.Tried
	most := notNear
	for i := range tried {
		t := &tried[i]
		if t.Matched || t.Status == decision.Paused {
			continue
		}
		if near := nearnessOf(v, t.Rule, said); near > most {
			most, best = near, t
		}
	}
	return best
}

func nearnessOf(v *rules.Version, rule, said string) int {
	found, ok := textVerdict(v, rule, said)
	switch {
	case !ok:
		return notNear
	case found.Holds:
		return nearAtLast
	case strings.HasPrefix(found.By, "none_"):
		return nearBut
	case found.Nearest != "":
		return nearText
	default:
		return notNear
	}
}
