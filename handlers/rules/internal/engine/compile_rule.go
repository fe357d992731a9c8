package engine

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language"
)

// rule is a rule, or the start of a conversation, ready to be tried.
type rule struct {
	At     text.At
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
	replies  *text.Map[grammar.Say]
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
