package checker

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// checkRule checks a rule.
func (c *checker) checkRule(f *grammar.File, r *grammar.Rule) {
	if c.SoundHead(f) {
		c.checkLaxer(r.At, "rule", "file", r.Status, f.StatusOf())
	}
	c.checkWhens(r)
	c.heldBack(r)
	c.checkConditions(f, r.If, nil)
	c.takenByStop(r.When, r.If)
	c.aboutWhens(r)
	s := &scene{file: f, whens: r.When, public: slices.ContainsFunc(r.When, maybePublic), says: saysSomething(r.When, r.If)}
	if len(r.Then) == 0 {
		c.add(r.At, "then is empty: write what to do, for example - reply: \"…\"")
	}
	c.checkActs(s, r.Then)
	c.actsOfRule(r)
	c.checkIgnores(r)
	c.always(r)
	c.lookingOn(r)
	c.checkLimits(r.Limits.At, r.Limits)
	if l := r.Limits; l.PerPost != nil && len(r.When) == 1 && postless(r.When[0]) {
		c.noteHint(l.At, "per_post counts nothing here: a %s is not about a post", r.When[0])
	}
	// Without a limit for a person, somebody who writes for fun, or another bot, is answered each time.
	if writesToPeople(r.Then) { //mutate:per-person
		c.perPerson(f, r.At, r.Limits)
	}
	if t := r.IfTooMany; t != nil {
		c.tooMany(t)
	}
	c.tests(r)
}

// checkWhens checks what a rule waits for.
func (c *checker) checkWhens(r *grammar.Rule) {
	if len(r.When) == 0 {
		c.add(r.At, "when is empty: write what happens, for example message")
	}
	seen := map[grammar.When]bool{}
	for _, w := range r.When {
		if seen[w] {
			c.add(r.At, "when: %s is there twice", w)
		}
		seen[w] = true
	}
	switch silence := slices.Contains(r.When, grammar.OnSilence); {
	case silence && r.After == 0:
		c.add(r.At, "when: silence needs after: how long has nobody answered? For example after: 30m")
	case silence && len(r.When) > 1:
		c.add(r.At, "when: silence stands alone: make another rule of the rest")
	case !silence && r.After != 0:
		c.add(r.At, "after belongs to when: silence. For a pause before the answer write reply_after")
	}
}

// always checks a rule that is asked before any step.
func (c *checker) always(r *grammar.Rule) {
	switch text := slices.ContainsFunc(r.If, func(x grammar.Condition) bool { return x.Text != nil && x.Text.IsPositive() }); {
	case !r.Always && text && slices.Contains(r.When, grammar.OnMessage) && slices.ContainsFunc(r.Then, func(a grammar.Act) bool { return a.Handoff != nil }):
		if name := c.conversationWithoutRules(); name != "" {
			c.noteHint(r.At, "while somebody answers the questions of %s, this is not asked: write always: true, if it has to be heard then, too", name)
		}
	case !r.Always:
	case !text:
		c.add(r.At, "always: true needs a condition on text, for example if: { text: { any_word: [bleeding, emergency] } }: it would take every answer to a question")
	case !slices.Contains(r.When, grammar.OnMessage):
		c.add(r.At, "always: true is about what people answer to a question: write when: message")
	}
}

// conversationWithoutRules returns a conversation in which no rule is asked about what somebody says; "" for none.
func (c *checker) conversationWithoutRules() string {
	for _, f := range c.Files {
		for i := range f.Conversations {
			conv := &f.Conversations[i]
			if !conv.AnswerFAQ || slices.ContainsFunc(conv.Steps, func(s grammar.Step) bool {
				return s.Ask != nil && (s.Expect == nil || slices.Contains(s.Expect.Kinds, grammar.ExpectText))
			}) {
				return conv.ID
			}
		}
	}
	return ""
}

// maybePublic reports whether the answer to an event may be public.
func maybePublic(w grammar.When) bool {
	return w == grammar.OnMention || w == grammar.OnReply || w == grammar.OnNoMatch || w == grammar.OnHeldBack
}

// saysSomething reports whether a text is there whenever the conditions hold.
func saysSomething(whens []grammar.When, conditions grammar.Conditions) bool {
	for i := range conditions {
		if t := conditions[i].Text; t != nil && t.IsPositive() {
			return true
		}
	}
	return len(whens) > 0 && !slices.ContainsFunc(whens, func(w grammar.When) bool { return w != grammar.OnMention })
}

// isSilent reports whether the event says nothing.
func isSilent(w grammar.When) bool {
	return w == grammar.OnRepost || w == grammar.OnLike || w == grammar.OnFollow
}

// postless reports whether an event of this kind is never about a post.
func postless(w grammar.When) bool {
	return w == grammar.OnMessage || w == grammar.OnFollow || w == grammar.OnSilence
}

// aboutWhens checks that conditions can hold for what a rule waits for.
func (c *checker) aboutWhens(r *grammar.Rule) {
	if len(r.When) == 0 {
		return
	}
	never := func(fails func(grammar.When) bool) bool {
		return !slices.ContainsFunc(r.When, func(w grammar.When) bool { return !fails(w) })
	}
	for i := range r.If {
		cond := &r.If[i]
		if cond.Text != nil && cond.Text.IsPositive() && never(isSilent) {
			c.add(cond.At, "a %s says nothing, so this text is never there; post: { text: … } is about what the post says", r.When[0])
		}
		for _, w := range r.When {
			if cond.Text != nil && cond.Text.IsPositive() && isSilent(w) && !never(isSilent) {
				c.noteHint(cond.At, "a %s says nothing, so this never holds when somebody does that", w)
			}
		}
		if cond.Post != nil && never(postless) {
			c.add(cond.At, "a %s is not about a post, so this never holds", r.When[0])
		}
		if len(cond.Answers) > 0 {
			c.add(cond.At, "answers are there in conversations only, not in a rule")
		}
	}
}

// actsOfRule checks what only conversations can do, and what the event must have.
func (c *checker) actsOfRule(r *grammar.Rule) {
	for i := range r.Then {
		a := &r.Then[i]
		if a.SaveLead != nil {
			c.add(a.At, "save_lead keeps answers of a conversation, and a rule has none: put it into a step")
		}
		if a.ForgetAnswers {
			c.add(a.At, "forget_answers is for conversations: a rule has no answers")
		}
		for _, w := range r.When {
			c.actAbout(a, w)
		}
	}
}

// actAbout checks that an act can be done about an event.
func (c *checker) actAbout(a *grammar.Act, w grammar.When) {
	if a.Reply != nil && isSilent(w) {
		c.add(a.At, "a %s says nothing that could be replied to: write message, which is a private message", w)
	}
	for _, it := range []struct{ verb, object string }{{"like", a.Like}, {"repost", a.Repost}} {
		if it.object != "" && postless(w) {
			c.add(a.At, "%s: a %s is not about a post", it.verb, w)
		}
	}
}

// writesToPeople reports whether acts write to the person.
func writesToPeople(acts []grammar.Act) bool {
	return slices.ContainsFunc(acts, func(a grammar.Act) bool {
		return a.Reply != nil || a.Message != nil || a.Start != "" || a.Handoff != nil && (a.Handoff.SayOpen != nil || a.Handoff.SayClosed != nil)
	})
}

// perPerson checks that what writes to people says how often.
func (c *checker) perPerson(f *grammar.File, at textfile.At, own grammar.Limits) {
	if !c.SoundHead(f) || f.LimitsOf(own).PerPerson != nil {
		return
	}
	if own.Line > 0 {
		at = own.At
	}
	c.add(at, "per_person is missing: how often may one person get this? For example: 1 per 12h")
}

// checkLimits checks limits against each other.
func (c *checker) checkLimits(at textfile.At, l grammar.Limits) {
	for _, it := range []struct {
		name  string
		limit *text.Limit
	}{{"per_person", l.PerPerson}, {"per_post", l.PerPost}, {"total", l.Total}} {
		if it.limit != nil && it.limit.Max < 1 {
			c.add(at, "%s: 0 is never: write status: paused to switch it off", it.name)
		}
		if it.limit == nil || it.name == "total" || l.Total == nil {
			continue
		}
		if l.Total.Max < it.limit.Max && longer(l.Total, it.limit) {
			c.add(at, "%s: %s can never be reached, since total allows only %s for everyone together", it.name, it.limit, l.Total)
		}
	}
}

// longer reports whether a limit is for as long a time as another one.
func longer(a, b *text.Limit) bool { return a.Per == 0 || b.Per > 0 && a.Per >= b.Per }

// tooMany checks what stops a rule that fires too often.
func (c *checker) tooMany(t *grammar.TooMany) {
	const pause = "pause_and_notify"
	if t.Then != pause {
		c.checkKnown(t.At, "if_too_many → then: ", "such thing as", t.Then, []string{pause}, "Write pause_and_notify")
	}
	if t.MoreThan.Max < 1 {
		c.add(t.At, "if_too_many: more than 0 is at once: write for example 50 in 10m")
	}
	c.checkTeam(t.At, "if_too_many → who: ", t.Who)
}

// tests checks the tests of a rule against themselves.
func (c *checker) tests(r *grammar.Rule) {
	for i := range r.Tests {
		t := &r.Tests[i]
		given := 0
		for _, is := range []bool{len(t.Say) > 0 || t.Media, t.Mention != "", t.Reply != "", t.Event != ""} {
			if is {
				given++
			}
		}
		switch {
		case given == 0:
			c.add(t.At, "this test has no event: write say, media, mention, reply, or event: follow")
		case given > 1 && t.Media:
			c.add(t.At, "media is a picture in a private message: write it alone, or beside say")
		case given > 1:
			c.add(t.At, "this test has several events: keep one of say, mention, reply and event")
		case t.Event != "" && !isSilent(t.Event):
			c.add(t.At, "event: %s is written %s with its text", t.Event, testWord(t.Event))
		}
		if t.Again && i == 0 {
			c.add(t.At, "again: there is no test before this one, which could happen once more")
		}
		c.expected(t)
		c.testHeld(t)
		if t.Owner != "" && t.Owner != grammar.OwnerNobody && t.Owner != grammar.OwnerAnybody {
			c.checkTeam(t.At, "owner: ", t.Owner)
		}
	}
}

// testWord returns the key with which a test writes an event that says something.
func testWord(w grammar.When) string {
	if w == grammar.OnMention || w == grammar.OnReply {
		return string(w)
	}
	return "say"
}

// expected checks that what a test expects can be.
func (c *checker) expected(t *grammar.Test) {
	if len(t.Expect) == 0 {
		c.add(t.At, "expect is empty: write for example reply, or no_reply")
		return
	}
	speaks := slices.ContainsFunc(t.Expect, func(e grammar.Expected) bool { return e == grammar.ExpectReply || e == grammar.ExpectMessage })
	quiet := ""
	for _, e := range t.Expect {
		if e == grammar.ExpectNoReply || e == grammar.ExpectNoAction {
			quiet = string(e)
		}
	}
	switch {
	case quiet != "" && speaks, quiet == string(grammar.ExpectNoAction) && len(t.Expect) > 1:
		c.add(t.At, "expect: %s contradict each other", joinExpected(t.Expect))
	case quiet != "" && t.Says != "":
		c.add(t.At, "says and %s contradict each other", quiet)
	}
}

func joinExpected(list []grammar.Expected) string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = string(e)
	}
	return strings.Join(words, " and ")
}
