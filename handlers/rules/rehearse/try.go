package rehearse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language"
)

// Use goes on with another version of the rules. What has happened stays.
func (r *Rehearsal) Use(v *rules.Version) { r.v = v }

// Begins returns when a rehearsal of these rules begins, in their Zone: then, or as their tests do on a
// Tuesday at 10:00 on which we are at work.
func Begins(v *rules.Version, then *text.WhenTime) time.Time {
	return engine.VersionOf(v).TestNow(engine.VersionOf(v).HomeFile(), then)
}

// Origin returns where a rule or conversation stands, and when its tests begin unless they say so.
func Origin(v *rules.Version, id string) (text.At, time.Time, bool) {
	r := engine.VersionOf(v).ByID[id]
	if r == nil {
		return text.At{}, time.Time{}, false
	}
	return r.At, engine.VersionOf(v).TestNow(r.File, nil), true
}

// Leads reports whether id is a conversation with steps.
func Leads(v *rules.Version, id string) bool { return engine.VersionOf(v).Conversations[id] != nil }

// Private reports whether what somebody said is the answer to a private question, and whether it was
// understood.
func (s *Scene) Private() (private, understood bool) {
	if len(s.Decision.Masks) == 0 {
		return false, false
	}
	for name, raw := range s.Decision.Facts {
		var a decision.Answer
		if strings.HasPrefix(name, "private:") && json.Unmarshal(raw, &a) == nil {
			return true, a.Text != ""
		}
	}
	return true, true // the step takes everything
}

// Prompted reports whether somebody did something, alone or in a burst; otherwise time has passed.
func (s *Scene) Prompted() bool {
	return s.Trigger.Kind == event.ByEvent || s.Trigger.Timer.Name == engine.TimerBurst
}

// Text returns what somebody wrote in a burst; "" when it is no part of the scene's.
func (s *Scene) Text(id event.ID) string {
	if b := s.Input.State.Memory.Burst; b != nil && len(b.Texts) == len(b.Events) {
		if i := slices.Index(b.Events, id); i >= 0 {
			return b.Texts[i]
		}
	}
	return ""
}

// notUnderstood is no number, no date and no address.
const notUnderstood = "hm"

// StandIn returns what may be written in place of a private answer in a step: something that the step
// understands as well as the answer. It returns false when there is nothing of the kind.
func StandIn(v *rules.Version, conversation, step string, understood bool, now time.Time) (string, bool) {
	t := engine.VersionOf(v).Conversations[conversation]
	if t == nil || t.Steps[step] == nil {
		return "", false
	}
	s := t.Steps[step]
	switch {
	case !understood:
		return notUnderstood, true
	case s.Expect == nil:
		return "something", true
	}
	for _, kind := range s.Expect.Kinds {
		if said, ok := standInFor(s, kind, t.Rule.Scope.Language, now); ok {
			return said, true
		}
	}
	return "", false
}

func standInFor(s *engine.Step, kind grammar.ExpectKind, l language.Language, now time.Time) (string, bool) {
	switch kind {
	case grammar.ExpectEmail:
		return "name@example.org", true
	case grammar.ExpectPhone:
		return "+44 20 7946 0958", true // from a range that is kept for stories
	case grammar.ExpectDate:
		day := now.AddDate(0, 1, 0)
		for n := 0; n < 366 && !s.IsOpenOn(s.Led.Rule.Scope.Hours, day); n++ {
			day = day.AddDate(0, 0, 1)
		}
		return day.Format(time.DateOnly), true
	case grammar.ExpectTime:
		if h := s.Led.Rule.Scope.Hours; s.Open && h != nil {
			return h.Open[0].From.String(), true
		}
		return "18:00", true
	case grammar.ExpectText:
		return "something", true
	case grammar.ExpectNumber:
		return engine.TrimNumber(exampleFor(s)), true
	case grammar.ExpectChoices:
		for _, texts := range s.Expect.Choices.All() {
			return texts[0], true
		}
	case grammar.ExpectYesNo:
		for _, said := range []string{"yes", "sí", "sim", "oui", "ja"} {
			if yes, ok := l.YesNo(said); yes && ok {
				return said, true
			}
		}
	case grammar.ExpectMedia:
	}
	return "", false
}

// exampleFor returns a number that the step takes.
func exampleFor(s *engine.Step) float64 {
	r := s.Expect.Range
	if r == nil {
		return 1
	}
	for _, n := range []float64{r.Min, r.Min + 1, r.Max, r.Max - 1} {
		if r.HoldsNumber(n) {
			return n
		}
	}
	return (r.Min + r.Max) / 2
}

// AwaitsAnswer is what Awaits says about a question that nobody has answered yet.
const AwaitsAnswer = "waits for an answer"

// Awaits says in words what a timer is for; "" for a timer that gathers a burst of messages, and for one
// that was cancelled.
func Awaits(t event.Timer) string {
	if t.Due.IsZero() {
		return ""
	}
	var w waiting.Asked
	switch {
	case strings.HasSuffix(t.Name, engine.TimerAnswer): // it is said already
		return ""
	case t.Name == engine.TimerSilence:
		return AwaitsAnswer
	case t.Name == engine.TimerNobody && json.Unmarshal(t.Data, &w) == nil:
		return fmt.Sprintf("reminds %s, unless one of them has written", w.Who)
	case engine.IsWaiting(t.Name) && json.Unmarshal(t.Data, &w) == nil && w.Who != "":
		if w.Opens && !w.At.Equal(w.Since.Add(w.After)) {
			return fmt.Sprintf("tells %s once we are open, unless somebody has dealt with it", w.Who)
		}
		return fmt.Sprintf("tells %s, unless somebody has answered", w.Who)
	case strings.HasPrefix(t.Name, engine.TimerWaiting):
		return fmt.Sprintf("lets %s act, unless somebody has answered", strings.TrimPrefix(t.Name, engine.TimerWaiting))
	default:
		return ""
	}
}
