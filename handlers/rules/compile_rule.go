package rules

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/language"
	"github.com/nectar-bot/nectar/handlers/text"
)

// rule is a rule, or the start of a conversation, ready to be tried.
type rule struct {
	at     text.At
	order  int
	id     string
	file   *File
	scope  *scope
	status Status
	whens  []When
	conds  []cond
	acts   []Act
	talk   *talk // what it starts, for the start of a conversation
	after  time.Duration

	limits       Limits
	tooMany      *TooMany
	merge        time.Duration
	replyAfter   text.Span
	answerWithin time.Duration
	answers      bool // it tells somebody something
	matches      bool // it answers, likes, reposts or follows: what it is for is not unmatched
	hands        bool // it gives the conversation to a team
	reasons      []HeldReason
}

// scope is what the rules of a file have in common.
type scope struct {
	zone     *time.Location
	language language.Language
	hours    *text.Hours
	quiet    *text.Quiet
	inQuiet  InQuiet
	replies  *text.Map[Say]
}

func (v *Version) scope(f *File) *scope {
	s := &scope{
		zone: v.folder.zone(f), language: v.folder.language(f), hours: v.folder.hours(f), replies: &v.folder.replies.Replies,
	}
	s.quiet, s.inQuiet = v.folder.quiet(f)
	return s
}

func (v *Version) rule(f *File, r *Rule) *rule {
	c := &rule{
		at: r.At, id: r.ID, file: f, scope: v.scope(f), status: r.Status.atMost(f.status()), whens: r.When, conds: v.conditions(r.If), acts: r.Then,
		after: time.Duration(r.After), limits: f.limits(r.Limits), tooMany: r.IfTooMany, merge: f.merge(r.MergeMessages),
		replyAfter: f.replyAfter(r.ReplyAfter), answerWithin: f.answerWithin(r.AnswerWithin), reasons: r.Reason,
	}
	for i := range r.Then {
		a := &r.Then[i]
		c.answers = c.answers || a.answers()
		c.matches = c.matches || a.answers() || a.Like != "" || a.Repost != "" || a.Follow != ""
		c.hands = c.hands || a.Handoff != nil
	}
	return c
}

// answers tells whether an act takes the one answer of an event.
func (a *Act) answers() bool {
	return a.Reply != nil || a.Message != nil || a.Handoff != nil || a.Start != ""
}

// books tells whether the rule does something that is no answer.
func (r *rule) books() bool {
	return slices.ContainsFunc(r.acts, func(a Act) bool { return !a.answers() })
}

// starts tells whether the rule begins a conversation with steps.
func (r *rule) starts() bool {
	return r.talk != nil || slices.ContainsFunc(r.acts, func(a Act) bool { return a.Start != "" })
}

// cond is a condition ready to be tried.
type cond struct {
	*Condition
	text int // the number of Text in the index; -1: there is none
	post int // that of Post.Text
}

func (v *Version) conditions(conditions Conditions) []cond {
	conds := make([]cond, len(conditions))
	for i := range conditions {
		c := &conditions[i]
		conds[i] = cond{Condition: c, text: v.pattern(c.Text), post: -1}
		if c.Post != nil {
			conds[i].post = v.pattern(c.Post.Text)
		}
	}
	return conds
}

// firstText returns the number of the text condition by which the rule is found; -1 for none.
func (r *rule) firstText() int {
	for i := range r.conds {
		if r.conds[i].text >= 0 {
			return r.conds[i].text
		}
	}
	return -1
}
