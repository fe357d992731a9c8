package engine

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language"
)

// Version is a folder of rule files, ready to decide. It never changes and may be used by many at once.
type Version struct {
	hash          string
	Folder        *grammar.Folder
	rules         []*rule // as people read them
	ByID          map[string]*rule
	Conversations map[string]*ledConversation
	Texts         *language.Index // every text condition, by number
	patterns      []language.Pattern
	first         []*rule                  // the rule of which it is the first text condition; nil for others
	always        map[grammar.When][]*rule // rules without a text condition
	merge         time.Duration            // how long messages wait for the rest of a burst
	silent        bool                     // there are rules for silence
	takes         bool                     // there are rules for what was held back
	ceiling       bool                     // ... by the ceiling
	ignores       bool                     // there are rules that ignore messages
	looksOn       bool                     // there are rules for when one of our people has the conversation

	asksForLanguage bool // a condition asks in which language people write

	said func() []template.Template // all that is said to people, see IsRuleText

	stopWords, startWords language.Phrases // what asks us to be silent, and to speak again
	startWord             string           // that is named
	heard                 atomic.Pointer[heard]
	stopAnswer            template.Template
}

// Hash names the version by the content of its files.
func (v *Version) Hash() string { return v.hash }

// Compile makes a version of files that were checked.
func Compile(fo *grammar.Folder, hash string) (*Version, text.Problems) {
	v := &Version{
		hash: hash, Folder: fo, ByID: map[string]*rule{}, Conversations: map[string]*ledConversation{},
		always: map[grammar.When][]*rule{},
	}
	v.said = sync.OnceValue(v.allTemplates)
	var problems text.Problems
	for _, f := range fo.Files {
		problems = append(problems, v.file(f)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if err := v.index(); err != nil {
		return nil, text.Problems{{Text: err.Error()}}
	}
	return v, nil
}

// file compiles a file's rules and conversations, in the order in which they stand there.
func (v *Version) file(f *grammar.File) text.Problems {
	var found []*rule
	var problems text.Problems
	for i := range f.Rules {
		found = append(found, v.compileRule(f, &f.Rules[i]))
	}
	for i := range f.Conversations {
		r, err := v.compileConversation(f, &f.Conversations[i])
		if err != nil {
			problems = append(problems, f.Conversations[i].Problem("%s", err))
			continue
		}
		found = append(found, r)
	}
	// As they stand in the file, rules and conversations mixed: people read it from the top, and the first one answers.
	slices.SortStableFunc(found, func(a, b *rule) int { return cmp.Compare(a.At.Line, b.At.Line) })
	for _, r := range found {
		r.order = len(v.rules)
		v.rules = append(v.rules, r)
		v.ByID[r.id] = r
		v.waits(r)
		v.ignores = v.ignores || r.isIgnoring()
		v.looksOn = v.looksOn || r.status != decision.Paused && r.looksOn()
		if r.status != decision.Paused && slices.Contains(r.whens, grammar.OnMessage) {
			v.merge = max(v.merge, r.merge)
		}
	}
	return problems
}

// waits notes what a rule is for that is looked at after the others.
func (v *Version) waits(r *rule) {
	if r.status == decision.Paused {
		return
	}
	v.silent = v.silent || slices.Contains(r.whens, grammar.OnSilence)
	if slices.Contains(r.whens, grammar.OnHeldBack) {
		v.takes = true
		v.ceiling = v.ceiling || r.takesHeld(grammar.HeldCeiling)
	}
}

// index makes what finds the rules of an event.
func (v *Version) index() error {
	v.first = make([]*rule, len(v.patterns))
	for _, r := range v.rules {
		if r.status == decision.Paused {
			continue
		}
		if n := r.FirstText(); n >= 0 {
			v.first[n] = r
			continue
		}
		for _, w := range r.whens {
			v.always[w] = append(v.always[w], r)
		}
	}
	var err error
	if v.Texts, err = language.NewIndex(v.patterns); err != nil {
		return fmt.Errorf("compile the rules: %w", err)
	}
	return v.compileSilence()
}

// addPattern takes a text condition into the index and returns its number; -1 for none.
func (v *Version) addPattern(c *grammar.TextCondition) int {
	if c == nil {
		return -1
	}
	v.patterns = append(v.patterns, c.Pattern())
	return len(v.patterns) - 1
}

// candidateRules returns the rules for a kind of event whose first text condition holds, and those without
// one, as people read them. hits are the numbers of the text conditions that hold.
func (v *Version) candidateRules(w grammar.When, hits []int) []*rule {
	found := make([]*rule, 0, 8)
	for _, n := range hits {
		if r := v.first[n]; r != nil && slices.Contains(r.whens, w) {
			found = append(found, r)
		}
	}
	found = append(found, v.always[w]...)
	slices.SortFunc(found, func(a, b *rule) int { return cmp.Compare(a.order, b.order) })
	return found
}
