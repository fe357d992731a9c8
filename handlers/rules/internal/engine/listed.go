package engine

import (
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Listed is a rule, or a conversation, as lists of rules show it.
type Listed struct {
	text.At
	ID           string
	Status       decision.Status
	When         []grammar.When
	Conversation bool
	Always       bool // it is asked before any step
}

// Listed returns the rules and conversations in the order in which they are tried.
func (v *Version) Listed() []Listed {
	all := make([]Listed, len(v.rules))
	for i, r := range v.rules {
		all[i] = Listed{At: r.At, ID: r.id, Status: r.status, When: r.whens, Conversation: r.led != nil, Always: r.always}
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

// HasHours reports whether any rule has hours or quiet hours, by whatever clock.
func (v *Version) HasHours() bool {
	return slices.ContainsFunc(v.rules, func(r *rule) bool { return r.Scope.Hours != nil || r.Scope.quiet != nil })
}

// Language returns the language of the settings; "" when they do not say it.
func (v *Version) Language() string { return v.Folder.Settings.Language }

// HasZone reports whether the settings, or a file, say by which clock the hours are.
func (v *Version) HasZone() bool {
	return v.Folder.Settings.Timezone.Location != nil || slices.ContainsFunc(v.Folder.Files, func(f *grammar.File) bool { return f.Timezone.Location != nil })
}
