package rules

import (
	"strings"

	"github.com/nectar-bot/nectar/handlers/language"
)

// clarify completes what is said about a rule that was tried: what decided may be something that was not
// read at the time, since the text had decided already.
func (v *Version) clarify(t *Tried, said string) {
	if t.Matched || t.Why != "" {
		return
	}
	t.Why = "it depends on something that was not read"
	if found, ok := v.textOf(t.Rule, said); ok && !found.Holds {
		t.Why = verdict(found)
	}
}

// textOf tells what comes of the first text condition of a rule; false when it has none.
func (v *Version) textOf(rule, said string) (language.Verdict, bool) {
	r := v.byID[rule]
	if r == nil || r.firstText() < 0 {
		return language.Verdict{}, false
	}
	return v.texts.Explain(r.firstText(), language.Read(said)), true
}

// How near a rule came that did not match.
const (
	notNear    = iota
	nearText   // something like its words was said
	nearBut    // its words were said, and one that must not be
	nearAtLast // its text was said, and something else kept it silent
)

// nearest returns the rule that came nearest to matching; nil when none came near.
func (v *Version) nearest(tried []Tried, said string) *Tried {
	var best *Tried
	most := notNear
	for i := range tried {
		t := &tried[i]
		if t.Matched || t.Status == Paused {
			continue
		}
		if near := v.nearness(t.Rule, said); near > most {
			most, best = near, t
		}
	}
	return best
}

func (v *Version) nearness(rule, said string) int {
	found, ok := v.textOf(rule, said)
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
