package engine

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Count returns how many rules and conversations there are.
func (v *Version) Count() int { return len(v.rules) }

// Gone reports whether a step of a conversation is not there any more, and whether the flow is one of rule
// files at all.
func (v *Version) Gone(flow, state string) (gone, ours bool) {
	name, ours := strings.CutPrefix(flow, FlowPrefix)
	if !ours {
		return false, false
	}
	t := v.Conversations[name]
	return t == nil || t.Steps[state] == nil, true
}

// Zone returns the time zone of the settings, or else the first one that a file names.
func (v *Version) Zone() *time.Location { return v.Folder.ZoneOf(v.HomeFile()) }

// HomeFile returns a file in the zone of the folder.
func (v *Version) HomeFile() *grammar.File {
	if v.Folder.Settings.Timezone.Location == nil {
		for _, f := range v.Folder.Files {
			if f.Timezone.Location != nil {
				return f
			}
		}
	}
	return &grammar.File{}
}

// testTime is a Tuesday at 10:00.
func testTime(zone *time.Location) time.Time { return time.Date(2026, time.June, 2, 10, 0, 0, 0, zone) }

// TestNow returns when a test happens: then when it says so, else on a Tuesday on which we are at work.
func (v *Version) TestNow(f *grammar.File, then *text.WhenTime) time.Time {
	now := testTime(v.Folder.ZoneOf(f))
	if then != nil {
		return then.Next(now)
	}
	hours := v.Folder.Hours(f)
	for week := range 52 {
		if at := now.AddDate(0, 0, 7*week); hours == nil || hours.OpenAt(at) {
			return at
		}
	}
	if at, ok := hours.NextOpen(now); ok {
		return at
	}
	return now
}

// CallsPeople reports whether anything that acts calls people of ours.
func (v *Version) CallsPeople() bool {
	return slices.ContainsFunc(v.rules, func(r *rule) bool { return r.status.Acts() && r.callsPeople() })
}

func (r *rule) callsPeople() bool {
	calls := func(a grammar.Act) bool { return a.Notify != nil || a.Handoff != nil }
	return r.tooMany != nil || slices.ContainsFunc(r.acts, calls) || r.led != nil && slices.ContainsFunc(r.led.Conversation.Steps, func(s grammar.Step) bool {
		return s.Handoff != nil || slices.ContainsFunc(s.Then, calls)
	})
}

// Listed returns the rules and conversations in the order in which they are tried.
func (v *Version) Listed() []decision.Listed {
	all := make([]decision.Listed, len(v.rules))
	for i, r := range v.rules {
		all[i] = decision.Listed{At: r.At, ID: r.id, Status: r.status, Conversation: r.led != nil, Always: r.always}
	}
	return all
}

// Lists returns the names of the lists that rules ask for or write to, and of those in the settings, sorted.
func (v *Version) Lists() []string {
	names := map[string]bool{}
	for name := range v.Folder.Settings.Lists.All() {
		names[name] = true
	}
	for _, r := range v.rules {
		for _, c := range r.conds {
			if s := c.Sender; s != nil {
				for _, name := range slices.Concat(s.InList, s.NotInList) {
					names[name] = true
				}
			}
		}
		for i := range r.acts {
			switch a := &r.acts[i]; {
			case a.List != "":
				names[a.List] = true
			case a.SaveLead != nil:
				names[a.SaveLead.List] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// HasHours reports whether any rule has hours or quiet hours, in any zone.
func (v *Version) HasHours() bool {
	return slices.ContainsFunc(v.rules, func(r *rule) bool { return r.Scope.Hours != nil || r.Scope.quiet != nil })
}

// Language returns the language of the settings; "" when they do not say it.
func (v *Version) Language() string { return v.Folder.Settings.Language }

// HasZone reports whether the settings, or a file, say by which clock the hours are.
func (v *Version) HasZone() bool {
	return v.Folder.Settings.Timezone.Location != nil || slices.ContainsFunc(v.Folder.Files, func(f *grammar.File) bool { return f.Timezone.Location != nil })
}

// IsRuleText reports whether a text is one that the rules say, with any values for its variables; or several of them, joined into one message.
func (v *Version) IsRuleText(said string) bool {
	parts := strings.Split(strings.ReplaceAll(said, "\r\n", "\n"), "\n")
	// Some texts have several lines themselves, so the rest of a text may begin with any of several.
	reached := make([]bool, len(parts)+1)
	reached[0] = true
	for from := range parts {
		if !reached[from] {
			continue
		}
		for to := from + 1; to <= len(parts); to++ {
			part := strings.Join(parts[from:to], "\n")
			reached[to] = reached[to] || from > 0 && strings.TrimSpace(part) == "" || v.saysOne(part)
		}
	}
	return reached[len(parts)]
}

func (v *Version) saysOne(said string) bool {
	for _, t := range v.said() {
		if t.MayBe(said) {
			return true
		}
	}
	return false
}

// allTemplates returns all texts that the files have.
func (v *Version) allTemplates() []template.Template {
	all := []template.Template{v.stopAnswer}
	for _, t := range v.Conversations {
		if t.TakeFromStart {
			all = append(all, notedIn(t.Rule.Scope.Language))
		}
	}
	collect(reflect.ValueOf(v.Folder), map[any]bool{}, &all)
	return all
}

// collect finds texts wherever the files have some, also in what rules learn to say later.
func collect(at reflect.Value, seen map[any]bool, all *[]template.Template) {
	switch at.Kind() { //nolint:exhaustive // the others hold none
	case reflect.Pointer:
		if at.IsNil() || seen[at.Pointer()] {
			return
		}
		seen[at.Pointer()] = true
		collect(at.Elem(), seen, all)
	case reflect.Interface:
		collect(at.Elem(), seen, all)
	case reflect.Slice, reflect.Array:
		for i := range at.Len() {
			collect(at.Index(i), seen, all)
		}
	case reflect.Map:
		for _, key := range at.MapKeys() {
			collect(at.MapIndex(key), seen, all)
		}
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[template.Template](at); ok {
			*all = append(*all, t)
			return
		}
		for i := range at.NumField() {
			if at.Type().Field(i).IsExported() {
				collect(at.Field(i), seen, all)
			}
		}
	}
}
