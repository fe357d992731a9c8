package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Said is something that was decided to be done, as far as people see a difference.
type Said struct {
	Verb    event.Verb
	Text    string
	Post    platform.PostID
	Private bool // the text tells a private answer, and is not shown
	Watch   bool // a rule on watch would have done it

	key      string              // of the action, as far as it is known
	became   decision.ActionFact // of a stored action
	variants []string            // what might have been said instead
	asks     bool                // a person has to approve it
	edited   bool                // of a stored action: the text is that of the person who approved it
}

// isSame reports whether two are the same to people. Which one of several texts was taken makes
// no difference, nor does what a person said instead.
func (s *Said) isSame(other *Said) bool {
	if s.Verb != other.Verb || s.Post != other.Post {
		return false
	}
	if (s.edited || other.edited) && s.Text != "" && other.Text != "" {
		return true
	}
	return s.Private && other.Private || s.Text == other.Text || slices.Contains(s.variants, other.Text) || slices.Contains(other.variants, s.Text)
}

// shown returns it as it may be shown.
func (s Said) shown() Said {
	if s.Private {
		s.Text = decision.Masked
	}
	return s
}

// String says it in a few words.
func (s Said) String() string {
	what := string(s.Verb)
	if s.Post != 0 {
		what += fmt.Sprintf(" (post %d)", s.Post)
	}
	if s.Text != "" {
		what += " " + strconv.Quote(s.shown().Text)
	}
	if s.Watch {
		what += ", on watch"
	}
	return what
}

// saidByDecision returns what a decision does.
func saidByDecision(d *decision.Decision) []Said {
	said := make([]Said, len(d.Actions))
	for i := range d.Actions {
		a := &d.Actions[i]
		said[i] = Said{Verb: a.Verb, Text: a.Text, Post: a.Post, Private: a.Private, Watch: !a.Status.Acts(), variants: a.Variants, asks: a.Status == decision.Ask}
	}
	return said
}

// saidByTurn returns what a stored turn did. Long texts leave in several messages.
func saidByTurn(actions []event.Action) []Said {
	sorted := slices.Clone(actions)
	slices.SortStableFunc(sorted, func(a, b event.Action) int { return cmp.Compare(actionNumber(a.Key), actionNumber(b.Key)) })
	said := make([]Said, len(sorted))
	for i := range sorted {
		a := &sorted[i]
		said[i] = Said{Verb: a.Verb, Text: a.Text, Post: a.Post, Private: a.Private, Watch: onWatch(a), key: a.Key, became: decision.ActionFact{State: a.State, At: a.EndedAt}}
	}
	return said
}

// actionNumber returns the number at the end of an action's key.
func actionNumber(key string) int {
	n, _ := strconv.Atoi(key[strings.LastIndexByte(key, '/')+1:])
	return n
}

// onWatch reports whether a stored action was only recorded: it is one of a rule on watch, or of what was paused.
func onWatch(a *event.Action) bool {
	return reason.IsRecorded(a)
}

// edits reports whether then is what s became when a person approved it with another text.
func (s *Said) edits(then *Said) bool {
	return s.asks && s.Verb == then.Verb && s.Post == then.Post && s.Text != "" && then.Text != ""
}

// equalSaid reports whether two turns did the same.
func equalSaid(x, y []Said) bool {
	return slices.EqualFunc(x, y, func(a, b Said) bool { return a.isSame(&b) })
}

// onlySeen leaves out what people do not see on the platform.
func onlySeen(said []Said) []Said {
	return slices.DeleteFunc(said, func(s Said) bool { return s.Verb == event.VerbBooks })
}

// wasActed reports whether a turn of an earlier version did at once, also on ask, what waits for a person since.
func wasActed(rec *event.DecisionRecord, d *decision.Decision) bool {
	return rec.Outcome == string(decision.Acted) && d.Outcome == decision.Prepared
}

// differsFrom says what a stored turn decided otherwise than d. Turns of earlier versions name no rule that would
// not have answered.
func differsFrom(v *rules.Version, r *record.Recorded, d *decision.Decision) []string {
	var all []string
	note := func(what, then, now string) {
		if then != now {
			all = append(all, fmt.Sprintf("%s was %s, and is %s now", what, cmp.Or(then, "none"), cmp.Or(now, "none")))
		}
	}
	rec := recordIn(r)
	if rule := engine.VersionOf(v).ByID[d.Rule]; rec.Rule != "" || rule == nil || rule.Answers {
		if !wasActed(rec, d) {
			note("the outcome", rec.Outcome, string(d.Outcome))
		}
		note("the rule", rec.Rule, d.Rule)
	}
	then, now := onlySeen(saidByTurn(r.Actions)), onlySeen(saidByDecision(d))
	for i := range max(len(then), len(now)) {
		switch {
		case i >= len(then):
			note("an action", "", now[i].String())
		case i >= len(now):
			note("an action", then[i].String(), "")
		case !then[i].isSame(&now[i]) && !now[i].edits(&then[i]):
			note("an action", then[i].String(), now[i].String())
		}
	}
	return all
}
