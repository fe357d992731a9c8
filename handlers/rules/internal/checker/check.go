package checker

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// CheckFolder returns everything that is wrong with files that could be read, and hints. Of rules and
// conversations that could not be read as a whole nothing is said that might come from that.
func CheckFolder(fo *grammar.Folder) textfile.Problems {
	c := &checker{
		Folder: fo, told: map[textfile.Problem]bool{}, count: map[counted]int{}, ids: map[string]owned{},
		started: map[string]bool{}, saved: map[string]bool{}, labels: map[string]bool{}, lists: map[string]bool{},
		copies: map[string]string{}, twin: map[string]bool{},
	}
	for _, name := range fo.Settings.Lists.Keys {
		c.lists[name] = true
	}
	c.findCopies()
	for _, f := range fo.Files {
		c.collect(f)
	}
	c.otherCopies()
	c.settings()
	c.stops = match.NewPhrases(c.Settings.StopWords...)
	c.withoutStopWords()
	for _, f := range fo.Files {
		c.checkFile(f)
	}
	c.checkReplies()
	c.findHosts()
	c.checkPlans()
	c.findShadowed()
	c.findEchoes()
	return c.problems
}

// checker collects what is wrong.
type checker struct {
	*grammar.Folder
	problems textfile.Problems
	told     map[textfile.Problem]bool
	count    map[counted]int
	copies   map[string]string // of files: what each is a copy of
	twin     map[string]bool   // copies that are equal to their original
	ids      map[string]owned  // of rules, conversations and campaigns
	talks    []*grammar.Conversation
	started  map[string]bool          // conversations that a rule starts
	saved    map[string]bool          // saved replies that are used
	looked   []*grammar.TextCondition // that can be looked for, as far as is known
	stops    match.Phrases            // what asks for silence
	labels   map[string]bool          // that are put on
	lists    map[string]bool          // of settings.yaml, and that are written to
	names    bool                     // it was said which names are not said
	planned  []planned                // campaigns that can be planned
	links    []link                   // of posts
	reposts  textfile.At              // the first place where a rule publishes something
	slotted  int                      // how many slots of campaigns were planned
}

// counted is what is counted of a file.
type counted struct {
	file string
	hint bool
}

// Bounds of what is told of a file.
const (
	mostProblems = 200
	mostHints    = 50
)

// mostIntroduction leaves room for what it stands in front of.
const mostIntroduction = 300

// talkID is what has the id of a conversation.
const talkID = "conversation"

// owned says what has an id.
type owned struct {
	textfile.At
	what string // "rule"
}

// add notes a problem, once.
func (c *checker) add(at textfile.At, format string, args ...any) {
	c.noteProblem(at.Problem(format, args...))
}

// noteHint notes a hint, once.
func (c *checker) noteHint(at textfile.At, format string, args ...any) {
	c.noteProblem(at.Hint(format, args...))
}

func (c *checker) noteProblem(p textfile.Problem) {
	of := counted{p.File, p.Hint}
	switch {
	case c.told[p] || p.Hint && c.count[of] == mostHints:
		return
	case c.isFull(p.File):
		p = textfile.Problem{File: p.File, Text: "there is more; it is told when this is mended"}
		if c.told[p] {
			return
		}
	}
	c.told[p] = true
	c.count[of]++
	c.problems = append(c.problems, p)
}

// isFull reports whether enough problems of a file were told.
func (c *checker) isFull(file string) bool { return c.count[counted{file, false}] >= mostProblems }

// collect notes the ids, lists and labels of a file.
func (c *checker) collect(f *grammar.File) {
	for i := range f.Rules {
		r := &f.Rules[i]
		c.id(r.At, r.ID, "rule")
		c.marks(r.Then)
	}
	for i := range f.Conversations {
		conv := &f.Conversations[i]
		c.id(conv.At, conv.ID, talkID)
		c.talks = append(c.talks, conv)
		for j := range conv.Steps {
			c.marks(conv.Steps[j].Then)
		}
	}
	for i := range f.Campaigns {
		c.id(f.Campaigns[i].At, f.Campaigns[i].ID, "campaign")
	}
}

// marks notes the labels and lists that acts write.
func (c *checker) marks(acts []grammar.Act) {
	for i := range acts {
		a := &acts[i]
		for _, l := range a.Label {
			c.labels[l] = true
		}
		if a.List != "" {
			c.lists[a.List] = true
		}
		if a.SaveLead != nil {
			c.lists[a.SaveLead.List] = true
		}
		c.started[a.Start] = true
	}
}

// id notes an id, which nothing else may have.
func (c *checker) id(at textfile.At, id, what string) {
	if id == "" {
		return // it was told when it was read
	}
	if !c.validID(at, "id", id) {
		return
	}
	if other, taken := c.ids[id]; taken && c.tellTwins(at.File, other.File) {
		return
	} else if taken {
		c.add(at, "the id %q is taken by the %s in %s, line %d: give this %s another one", id, other.what, other.File, other.Line, what)
		return
	}
	c.ids[id] = owned{at, what}
}

// maxID is how many letters an id may have.
const maxID = 64

// validID checks a short name, which is kept in the store.
func (c *checker) validID(at textfile.At, key, id string) bool {
	switch {
	case strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }):
		c.add(at, "the %s %q may have letters, digits, - and _ only, for example %s", key, id, idLike(id))
	case len([]rune(id)) > maxID:
		c.add(at, "the %s %q… is too long: %d letters at most", key, string([]rune(id)[:20]), maxID)
	default:
		return true
	}
	return false
}

// idLike returns an id that could stand for a name.
func idLike(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if len(words) == 0 {
		return "opening-hours"
	}
	id := []rune(strings.Join(words, "-"))
	return string(id[:min(len(id), maxID)])
}

// checkKnown checks that a name is one of some. what is "team", cure what to do when none is near.
func (c *checker) checkKnown(at textfile.At, where, what, name string, names []string, cure string) {
	if !c.isFull(at.File) && !slices.Contains(names, name) {
		c.add(at, "%sthere is no %s %q. %s", where, what, name, nearestName(name, names, cure))
	}
}

// nearestName returns the nearest name as a question, or what to do.
func nearestName(name string, names []string, cure string) string {
	if near := textfile.NearestWord(name, names); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return cure
}

// checkTeam checks the name of a team.
func (c *checker) checkTeam(at textfile.At, where, name string) {
	teams := &c.Settings.Who
	if _, ok := teams.Get(name); ok || name == "" || c.IsSpoiled(grammar.SettingsFile) {
		return
	}
	if c.Settings.File == "" && !c.isFull(at.File) {
		c.add(at, "%snobody can be called: no settings.yaml. Write one beside this file, with version: 1 and who: { %s: [\"ntfy://ntfy.sh/TOPIC\"] }", where, name)
		return
	}
	cure := "Name it under who: in settings.yaml"
	if len(teams.Keys) > 0 {
		cure = "settings.yaml has " + enumerateSome(teams.Keys)
	}
	c.checkKnown(at, where, "team", name, teams.Keys, cure)
}

// settings checks what all files share.
func (c *checker) settings() {
	s := &c.Settings
	if s.File == "" {
		return
	}
	c.language(c.SettingAt("language"), s.Language)
	c.stopWords(s)
	c.toAnybody(c.SettingAt("introduce"), "introduce: ", &s.Introduce, mostIntroduction)
	for name, t := range s.Who.All() {
		if name == "nobody" || name == "anybody" {
			c.add(s.Who.At(name), "who: %s has a meaning already: give this team another name", name)
		}
		c.validID(s.Who.At(name), "name", name)
		c.webhook(s.Who.At(name), t.Webhook)
	}
	c.checkCalling()
	for _, name := range s.Lists.Keys {
		c.validID(s.Lists.At(name), "name", name)
	}
	c.closedOn(s.Hours)
	if s.Hours != nil && s.Timezone.Location == nil && !c.IsSpoiled(grammar.SettingsFile) {
		c.noteHint(s.Hours.At, "these hours are read as UTC: write timezone, for example Europe/Lisbon")
	}
	if p := s.Publishing; p != nil && p.Most != nil && p.Most.Per == 0 {
		c.add(p.At, "publishing → most: write a number and a time, for example 12 per 1d")
	}
	if b, _ := c.Budget(); b.Split && (b.ForRules < 0 || b.ForRules > b.Most.Max) {
		c.add(s.Publishing.At, "publishing → for_rules: %d is not a part of %s: write a number from 0 to %d", b.ForRules, b.Most, b.Most.Max)
	}
	if s.InQuietHours != "" && s.QuietHours == nil && !c.IsSpoiled(grammar.SettingsFile) {
		c.noteHint(c.SettingAt("in_quiet_hours"), "in_quiet_hours does nothing without quiet_hours")
	}
}

// webhook checks the address that notices are sent to.
func (c *checker) webhook(at textfile.At, address string) {
	if wrong := grammar.UnseenIn(address); wrong != "" {
		c.add(at, "webhook: %s", wrong)
		return
	}
	if address != "" && !grammar.WebAddress(address) {
		c.add(at, "webhook: %q is no address: it begins with https://", address)
	}
}

// language checks the code of a language.
func (c *checker) language(at textfile.At, code string) {
	if code == "" || language.Language(code).IsKnown() {
		return
	}
	var codes []string
	for _, l := range language.AllLanguages() {
		codes = append(codes, string(l))
	}
	c.add(at, "language: %q is not understood: write one of %s", code, strings.Join(codes, ", "))
}

// checkFile checks what a file says about all of its rules, and these.
func (c *checker) checkFile(f *grammar.File) {
	c.head(f)
	sound := c.SoundIn(f)
	tested := false
	for i := range f.Rules {
		r := &f.Rules[i]
		// A rule that could not be read may have had tests.
		tested = tested || len(r.Tests) > 0 || !sound(r.At)
		if sound(r.At) {
			c.checkRule(f, r)
		}
	}
	for i := range f.Conversations {
		conv := &f.Conversations[i]
		tested = tested || len(conv.Tests) > 0 || !sound(conv.At)
		if sound(conv.At) {
			c.checkConversation(f, conv)
		}
	}
	for i := range f.Campaigns {
		if camp := &f.Campaigns[i]; sound(camp.At) {
			c.checkCampaign(f, camp)
		}
	}
	if len(f.Rules)+len(f.Conversations) > 0 && !tested && f.StatusOf() != decision.Paused {
		example := `[{ say: "…", expect: reply }]`
		if len(f.Rules) == 0 {
			example = `[{ chat: [{ them: "…", at: first-step }] }]`
		}
		c.noteHint(textfile.At{File: f.File}, "nothing here has a test yet. For example: tests: %s", example)
	}
}

// head checks what stands above the rules.
func (c *checker) head(f *grammar.File) {
	if c.SpoiledBetween(f.File, 0, c.FirstLine(f)) {
		return
	}
	c.language(f.LanguageAt(), f.Language)
	c.checkLimits(textfile.At{File: f.File, Line: f.Defaults.Limits.Line}, f.Defaults.Limits)
	c.closedOn(f.Hours)
	if f.Hours != nil && f.Timezone.Location == nil && c.Settings.Timezone.Location == nil {
		c.noteHint(f.Hours.At, "these hours are read as UTC: write timezone, for example Europe/Lisbon")
	}
	if f.InQuietHours != "" && f.QuietHours == nil && c.Settings.QuietHours == nil {
		c.noteHint(f.At, "in_quiet_hours does nothing without quiet_hours")
	}
	if len(f.Rules)+len(f.Conversations)+len(f.Campaigns) == 0 && !c.IsSpoiled(f.File) {
		c.noteHint(textfile.At{File: f.File}, "there is no rule, conversation or campaign in this file")
	}
}

// checkLaxer checks that something is not less careful than what is around it.
func (c *checker) checkLaxer(at textfile.At, what, around string, own, most decision.Status) {
	if own != "" && grammar.MoreCareful(own, most) != own {
		c.add(at, "status: this %s is on %s, and its %s on %s only: a %s may be more careful than its %s, never less",
			what, own, around, most, what, around)
	}
}
