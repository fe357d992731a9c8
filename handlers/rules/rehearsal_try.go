package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/language"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Use goes on with another version of the rules. What has happened stays.
func (r *Rehearsal) Use(v *Version) { r.v = v }

// Begins returns when a rehearsal of these rules begins, in their Zone: then, or as their tests do on a
// Tuesday at 10:00 on which we are at work.
func (v *Version) Begins(then *text.WhenTime) time.Time { return v.testNow(v.home(), then) }

// Zone returns the time zone of the settings, or else the first one that a file names.
func (v *Version) Zone() *time.Location { return v.folder.zone(v.home()) }

// home returns a file in the zone of the folder.
func (v *Version) home() *File {
	if v.folder.settings.Timezone.Location == nil {
		for _, f := range v.folder.files {
			if f.Timezone.Location != nil {
				return f
			}
		}
	}
	return &File{}
}

// Origin returns where a rule or conversation stands, and when its tests begin unless they say so.
func (v *Version) Origin(id string) (text.At, time.Time, bool) {
	r := v.byID[id]
	if r == nil {
		return text.At{}, time.Time{}, false
	}
	return r.at, v.testNow(r.file, nil), true
}

// Leads tells whether id is a conversation with steps.
func (v *Version) Leads(id string) bool { return v.talks[id] != nil }

// Stands returns the conversation with steps that somebody stands in, and the step; false for none.
func (s *State) Stands() (conversation, step string, ok bool) {
	conversation, ok = strings.CutPrefix(s.Flow.Flow, flowPrefix)
	return conversation, s.Flow.State, ok
}

// Came returns what a rule did in scenes, as tests expect it: each thing once, what people are told
// first.
func Came(rule string, scenes []Scene) []Expected {
	done := outcomesOf(rule, scenes).done
	order := []Expected{
		ExpectReply, ExpectMessage, ExpectHandoff, ExpectLike, ExpectRepost, ExpectFollow, ExpectList, ExpectNotify, ExpectLabel,
	}
	return slices.DeleteFunc(order, func(e Expected) bool { return !slices.Contains(done, e) })
}

// Private tells whether what somebody said is the answer to a private question, and whether it was
// understood.
func (s *Scene) Private() (private, understood bool) {
	if len(s.Decision.Masks) == 0 {
		return false, false
	}
	for name, raw := range s.Decision.Facts {
		var a Answer
		if strings.HasPrefix(name, "private:") && json.Unmarshal(raw, &a) == nil {
			return true, a.Text != ""
		}
	}
	return true, true // the step takes everything
}

// Prompted tells whether somebody did something, alone or in a burst; otherwise time has passed.
func (s *Scene) Prompted() bool {
	return s.Trigger.Kind == event.ByEvent || s.Trigger.Timer.Name == timerBurst
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
func (v *Version) StandIn(conversation, step string, understood bool, now time.Time) (string, bool) {
	t := v.talks[conversation]
	if t == nil || t.steps[step] == nil {
		return "", false
	}
	s := t.steps[step]
	switch {
	case !understood:
		return notUnderstood, true
	case s.Expect == nil:
		return "something", true
	}
	for _, kind := range s.Expect.Kinds {
		if said, ok := s.standIn(kind, t.rule.scope.language, now); ok {
			return said, true
		}
	}
	return "", false
}

func (s *step) standIn(kind ExpectKind, l language.Language, now time.Time) (string, bool) {
	switch kind {
	case ExpectEmail:
		return "name@example.org", true
	case ExpectPhone:
		return "+44 20 7946 0958", true // from a range that is kept for stories
	case ExpectDate:
		day := now.AddDate(0, 1, 0)
		for n := 0; n < 366 && !s.opens(s.talk.rule.scope.hours, day); n++ {
			day = day.AddDate(0, 0, 1)
		}
		return day.Format(time.DateOnly), true
	case ExpectTime:
		return "18:00", true
	case ExpectText:
		return "something", true
	case ExpectNumber:
		return trimNumber(s.example()), true
	case ExpectChoices:
		for _, texts := range s.Expect.Choices.All() {
			return texts[0], true
		}
	case ExpectYesNo:
		for _, said := range []string{"yes", "sí", "sim", "oui", "ja"} {
			if yes, ok := l.YesNo(said); yes && ok {
				return said, true
			}
		}
	case ExpectMedia:
	}
	return "", false
}

// example returns a number that the step takes.
func (s *step) example() float64 {
	r := s.Expect.Range
	if r == nil {
		return 1
	}
	for _, n := range []float64{r.Min, r.Min + 1, r.Max, r.Max - 1} {
		if r.Holds(n) {
			return n
		}
	}
	return (r.Min + r.Max) / 2
}

// AwaitsAnswer is what Awaits says about a question that nobody has answered yet.
const AwaitsAnswer = "waits for an answer"

// Awaits says in words what a timer that was set is for; "" for one that gathers what is written, and
// for one that was cancelled.
func Awaits(t event.Timer) string {
	if t.Due.IsZero() {
		return ""
	}
	var w waiting
	switch {
	case strings.HasSuffix(t.Name, timerAnswer): // it is said already
		return ""
	case t.Name == timerSilence:
		return AwaitsAnswer
	case t.Name == timerNobody && json.Unmarshal(t.Data, &w) == nil:
		return fmt.Sprintf("reminds %s, unless one of them has written", w.Who)
	case isWaiting(t.Name) && json.Unmarshal(t.Data, &w) == nil && w.Who != "":
		return fmt.Sprintf("tells %s, unless somebody has answered", w.Who)
	case strings.HasPrefix(t.Name, timerWaiting):
		return fmt.Sprintf("lets %s act, unless somebody has answered", strings.TrimPrefix(t.Name, timerWaiting))
	default:
		return ""
	}
}
