package rules

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/checker"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Version is a folder of rule files, ready to decide. It never changes and may be used by many at once.
type Version struct{ below }

type below = engine.Below

// Compile reads and compiles rule files without running their tests; check.Check runs them, too.
func Compile(src Sources, options ...Option) (*Version, text.Report) {
	fo, problems := grammar.Read(src)
	fo.Around = aroundOf(options)
	problems = append(problems, checker.CheckFolder(fo)...)
	report := text.Report{Files: len(src), Problems: problems}
	report.Problems.Sort()
	if !report.OK() {
		return nil, report
	}
	v, problems := engine.Compile(fo, src.Hash())
	report.Problems = append(report.Problems, problems...)
	report.Problems.Sort()
	if !report.OK() {
		return nil, report
	}
	return &Version{engine.PutBelow(v)}, report
}

// Decide decides about an input. It is a pure function: it reads nothing and does nothing, and asks in Needs
// for facts that are not there yet.
func (v *Version) Decide(in decision.Input) (decision.Decision, error) {
	return engine.VersionOf(v).Decide(in)
}

// Hash names the version by the content of its files.
func (v *Version) Hash() string { return engine.VersionOf(v).Hash() }

// Count returns how many rules and conversations there are.
func (v *Version) Count() int { return engine.VersionOf(v).Count() }

// Gone reports whether a step of a conversation is not there any more, and whether the flow is one of rule
// files at all.
func (v *Version) Gone(flow, state string) (gone, ours bool) {
	return engine.VersionOf(v).Gone(flow, state)
}

// Campaigns returns the campaigns of the files as handlers/campaigns plans them, in the order of the files; Campaign.Account is "" for
// those that name none. The problems say what cannot be planned; such a campaign is left out.
func (v *Version) Campaigns() ([]*campaigns.Campaign, text.Problems) {
	return engine.VersionOf(v).Campaigns()
}

// CampaignsOf returns the campaigns of an account, as Campaigns does: those that name it and, where it is not known that other
// accounts act by the same files, those that name none. Their Campaign.Account is the account.
func (v *Version) CampaignsOf(account event.Account) ([]*campaigns.Campaign, text.Problems) {
	return engine.VersionOf(v).CampaignsOf(account)
}

// Budget returns how much each account publishes at most; false when the files do not say so: then campaigns.DefaultBudget, which it
// returns, holds for accounts that have campaigns.
func (v *Version) Budget() (campaigns.Budget, bool) { return engine.VersionOf(v).Budget() }

// AppliesAtOnce reports whether an edit of campaigns takes effect when it is saved, also where it removes or moves slots.
func (v *Version) AppliesAtOnce() bool { return engine.VersionOf(v).AppliesAtOnce() }

// Listed returns the rules and conversations in the order in which they are tried.
func (v *Version) Listed() []decision.Listed { return engine.VersionOf(v).Listed() }

// Lists returns the names of the lists that rules ask for or write to, and of those in the settings, sorted.
func (v *Version) Lists() []string { return engine.VersionOf(v).Lists() }

// HasHours reports whether any rule has hours or quiet hours, in any zone.
func (v *Version) HasHours() bool { return engine.VersionOf(v).HasHours() }

// HasZone reports whether the settings, or a file, say by which clock the hours are.
func (v *Version) HasZone() bool { return engine.VersionOf(v).HasZone() }

// Zone returns the time zone of the settings, or else the first one that a file names.
func (v *Version) Zone() *time.Location { return engine.VersionOf(v).Zone() }

// Language returns the language of the settings; "" when they do not say it.
func (v *Version) Language() string { return engine.VersionOf(v).Language() }

// Silence returns the words with which people ask to be left alone, and the quiet hours of the settings; nil when there are none.
func (v *Version) Silence() (stopWords []string, quiet *text.Quiet) {
	s := &engine.VersionOf(v).Folder.Settings
	return s.StopWords, s.QuietHours
}

// TooManyLimit names the limit of a rule's if_too_many.
func TooManyLimit(rule string) string { return engine.TooManyLimit(rule) }
