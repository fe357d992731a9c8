package engine

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Version is a folder of rule files, ready to decide. It never changes and may be used by many at once.
type Version struct {
	hash          string
	Folder        *grammar.Folder
	rules         []*rule // as people read them
	ByID          map[string]*rule
	Conversations map[string]*ledConversation
	Texts         *match.Index // every text condition, by number
	patterns      []match.Pattern
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

	stopWords, startWords match.Phrases // what asks us to be silent, and to speak again
	startWord             string        // that is named
	heard                 atomic.Pointer[heard]
	stopAnswer            template.Template
}

// Hash names the version by the content of its files.
func (v *Version) Hash() string { return v.hash }

// Compile makes a version of files that were checked.
func Compile(fo *grammar.Folder, hash string) (*Version, textfile.Problems) {
	v := &Version{
		hash: hash, Folder: fo, ByID: map[string]*rule{}, Conversations: map[string]*ledConversation{},
		always: map[grammar.When][]*rule{},
	}
	v.said = sync.OnceValue(v.allTemplates)
	var problems textfile.Problems
	for _, f := range fo.Files {
		problems = append(problems, v.file(f)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if err := v.index(); err != nil {
		return nil, textfile.Problems{{Text: err.Error()}}
	}
	return v, nil
}

// file compiles a file's rules and conversations, in the order in which they stand there.
func (v *Version) file(f *grammar.File) textfile.Problems {
	var found []*rule
	var problems textfile.Problems
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
	if v.Texts, err = match.NewIndex(v.patterns); err != nil {
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

// candidateRules returns, for a kind of event, the rules of which the first text condition holds, and those
// without one, in the order of the files. hits are the numbers of the text conditions that hold.
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

// rule is a rule, or the start of a conversation, ready to be tried.
type rule struct {
	At     textfile.At
	order  int
	id     string
	File   *grammar.File
	Scope  *scope
	status decision.Status
	whens  []grammar.When
	conds  []cond
	acts   []grammar.Act
	led    *ledConversation // what it starts, for the start of a conversation
	after  time.Duration

	limits       grammar.Limits
	tooMany      *grammar.TooMany
	merge        time.Duration
	replyAfter   bounds.Span
	answerWithin time.Duration
	Answers      bool // it tells somebody something
	matches      bool // it answers, likes, reposts or follows: what it is for is not unmatched
	hands        bool // it gives the conversation to a team
	always       bool // it is asked before a step
	ignores      bool // what it is for is answered by nothing
	reasons      []grammar.HeldReason
}

// scope is what the rules of a file have in common.
type scope struct {
	zone     *time.Location
	Language language.Language
	Hours    *text.Hours
	quiet    *text.Quiet
	inQuiet  grammar.InQuiet
	replies  *textfile.Map[grammar.Say]
}

func (v *Version) compileScope(f *grammar.File) *scope {
	s := &scope{
		zone: v.Folder.ZoneOf(f), Language: v.Folder.Language(f), Hours: v.Folder.Hours(f), replies: &v.Folder.Replies.Replies,
	}
	s.quiet, s.inQuiet = v.Folder.QuietHours(f)
	return s
}

func (v *Version) compileRule(f *grammar.File, r *grammar.Rule) *rule {
	c := &rule{
		At: r.At, id: r.ID, File: f, Scope: v.compileScope(f), status: grammar.MoreCareful(r.Status, f.StatusOf()), whens: r.When, conds: v.compileConditions(r.If), acts: r.Then,
		after: time.Duration(r.After), limits: f.LimitsOf(r.Limits), tooMany: r.IfTooMany, merge: f.MergeOf(r.MergeMessages),
		replyAfter: f.ReplyAfterOf(r.ReplyAfter), answerWithin: f.AnswerWithinOf(r.AnswerWithin), reasons: r.Reason, always: r.Always,
	}
	for i := range r.Then {
		a := &r.Then[i]
		c.Answers = c.Answers || a.TakesAnswer()
		c.matches = c.matches || a.TakesAnswer() || a.Like != "" || a.Repost != "" || a.Follow != ""
		c.hands = c.hands || a.Handoff != nil
		c.ignores = c.ignores || a.Ignore
	}
	return c
}

// hasSideEffect reports whether the rule does something that is no answer.
func (r *rule) hasSideEffect() bool {
	return slices.ContainsFunc(r.acts, func(a grammar.Act) bool { return !a.TakesAnswer() })
}

// startsConversation reports whether the rule begins a conversation with steps.
func (r *rule) startsConversation() bool {
	return r.led != nil || slices.ContainsFunc(r.acts, func(a grammar.Act) bool { return a.Start != "" })
}

// cond is a condition ready to be tried.
type cond struct {
	*grammar.Condition
	text int // the number of Text in the index; -1: there is none
	post int // that of Post.Text
}

func (v *Version) compileConditions(conditions grammar.Conditions) []cond {
	conds := make([]cond, len(conditions))
	for i := range conditions {
		c := &conditions[i]
		conds[i] = cond{Condition: c, text: v.addPattern(c.Text), post: -1}
		v.asksForLanguage = v.asksForLanguage || c.Sender != nil && len(c.Sender.Writes) > 0
		if c.Post != nil {
			conds[i].post = v.addPattern(c.Post.Text)
		}
	}
	return conds
}

// FirstText returns the number of the text condition by which the rule is found; -1 for none.
func (r *rule) FirstText() int {
	for i := range r.conds {
		if r.conds[i].text >= 0 {
			return r.conds[i].text
		}
	}
	return -1
}

// Campaigns returns the campaigns of the files as handlers/campaigns plans them, in the order of the files; Campaign.Account is "" for
// those that name none. The problems say what cannot be planned; such a campaign is left out.
func (v *Version) Campaigns() ([]*campaigns.Campaign, textfile.Problems) {
	return v.campaigns(func(*campaigns.Campaign) bool { return true })
}

// CampaignsOf returns the campaigns of an account, as Campaigns does: those that name it and, where it is not known that other
// accounts act by the same files, those that name none. Their Campaign.Account is the account.
func (v *Version) CampaignsOf(account event.Account) ([]*campaigns.Campaign, textfile.Problems) {
	return v.campaigns(func(c *campaigns.Campaign) bool {
		ours := c.Account == account || c.Account == "" && len(v.Folder.Around.Accounts) < 2 //mutate:campaign-of-account
		c.Account = account
		return ours
	})
}

func (v *Version) campaigns(wanted func(*campaigns.Campaign) bool) ([]*campaigns.Campaign, textfile.Problems) {
	var all []*campaigns.Campaign
	var problems textfile.Problems
	for f, camp := range v.Folder.CampaignsByAccount() {
		to, wrong := v.Folder.ToCampaign(f, camp)
		if !wanted(&to) {
			continue
		}
		if len(wrong) == 0 {
			ready, err := campaigns.New(to)
			if err == nil {
				all = append(all, ready)
				continue
			}
			wrong = textfile.Problems{camp.Problem("%s", err)}
		}
		problems = append(problems, wrong...)
	}
	return all, problems
}

// Budget returns how much each account publishes at most; false when the files do not say so: then campaigns.DefaultBudget, which it
// returns, holds for accounts that have campaigns.
func (v *Version) Budget() (campaigns.Budget, bool) { return v.Folder.Budget() }

// AppliesAtOnce reports whether an edit of campaigns takes effect when it is saved, also where it removes or moves slots.
func (v *Version) AppliesAtOnce() bool { return v.Folder.Settings.Apply == grammar.AtOnce }
