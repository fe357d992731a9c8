package checker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// checkActs checks what is to be done, in its order.
func (c *checker) checkActs(s *scene, acts []grammar.Act) {
	answer := ""
	called := map[string]bool{}
	for i := range acts {
		a := &acts[i]
		c.calledTwice(s, a, called)
		keys := a.Keys()
		switch {
		case len(keys) == 0:
			c.add(a.At, "%sthere is nothing to do here: write for example reply, like or label", s.where)
		case len(keys) > 1:
			c.add(a.At, "%s%s and %s are two things to do: put each behind a dash of its own", s.where, keys[0], keys[1])
		case a.Wait != nil && i == len(acts)-1:
			c.add(a.At, "%snothing follows this wait: what is to wait stands below it", s.where)
		}
		if a.TakesAnswer() && len(keys) > 0 {
			if answer != "" {
				c.add(a.At, "%s%s and %s are both answers, and an event gets only one: keep one of them", s.where, answer, keys[0])
			}
			answer = keys[0]
		}
		c.act(s, a)
	}
}

// checkIgnores checks a rule that ignores its events. Without a condition it would ignore all that no other rule answers.
func (c *checker) checkIgnores(r *grammar.Rule) {
	at := slices.IndexFunc(r.Then, func(a grammar.Act) bool { return a.Ignore })
	if at < 0 {
		return
	}
	for i := range r.Then {
		if a := &r.Then[i]; !a.Ignore && len(a.Label) == 0 {
			c.add(a.At, "ignore stands alone, or with label: what is ignored has nothing else done about it")
		}
	}
	if !slices.ContainsFunc(r.If, func(x grammar.Condition) bool {
		return x.Text != nil && x.Text.IsPositive() || x.Sender != nil || x.Post != nil
	}) {
		c.add(r.Then[at].At, "ignore needs a condition on text, sender or post, for example if: { text: { only: [thanks, ok, emoji] } }")
	}
	for _, w := range r.When {
		if w == grammar.OnNoMatch || w == grammar.OnSilence || w == grammar.OnHeldBack {
			c.add(r.Then[at].At, "ignore: with when: %s nobody would hear of anything: write what happens, for example message", w)
		}
	}
}

// calledTwice looks for a team that is called twice after the same time.
func (c *checker) calledTwice(s *scene, a *grammar.Act, called map[string]bool) {
	at, who, after := a.At, "", text.Duration(0)
	switch {
	case a.Notify != nil:
		at, who, after = a.Notify.At, a.Notify.Who, a.Notify.IfWaiting
	case a.Handoff != nil:
		at, who, after = a.Handoff.At, a.Handoff.To, a.Handoff.IfNobodyIn
	}
	if after == 0 {
		return
	}
	call := who + " " + after.String()
	if called[call] {
		c.noteHint(at, "%s%s is called twice after %s: keep one of the two, or give one of them another time", s.where, who, after)
	}
	called[call] = true
}

// act checks one thing to do.
func (c *checker) act(s *scene, a *grammar.Act) {
	c.checkSay(s, a.Reply)
	c.checkSay(s.privateScene(), a.Message)
	c.checkObject(s, a, "like", a.Like, "the_post")
	c.checkObject(s, a, "repost", a.Repost, "the_post")
	if a.Repost != "" && c.reposts.Line == 0 {
		c.reposts = a.At
	}
	c.checkObject(s, a, "follow", a.Follow, "them")
	switch {
	case a.Start == "":
	case s.plan != nil:
		c.add(a.At, "%sstart: this conversation is under way, and no other one can begin in it: go to a step of it", s.where)
	// A file that was cut may have the conversation in the part that is missing.
	case !c.Cut:
		c.starts(s, a)
	}
	if n := a.Notify; n != nil {
		c.checkTeam(n.At, s.where+"notify → who: ", n.Who)
		c.checkNoted(s.sceneIn("notify"), n.At, &n.Text)
		if n.WhenOpen && c.Hours(s.file) == nil {
			c.add(n.At, "%snotify → when_open needs hours: write when you are at work in settings.yaml, for example open: [Mon-Fri 09:00-18:00]", s.where)
		}
	}
	if a.Handoff != nil {
		c.checkHandoff(s.sceneIn("handoff"), a.Handoff)
	}
	c.findSlips(a.At, s.where+"unlabel", a.Unlabel, c.labels)
	if a.List != "" {
		c.list(a.At, s.where, a.List)
	}
	if l := a.SaveLead; l != nil {
		c.list(l.At, s.where+"save_lead: ", l.List)
		if s.plan != nil {
			c.lead(s, l)
		}
	}
	if a.IfRefused != "" && len(a.Keys()) > 0 && a.Reply == nil && a.Message == nil && a.Like == "" && a.Repost == "" && a.Follow == "" {
		c.add(a.At, "%sif_refused belongs to what the platform may refuse: reply, message, like, repost, follow", s.where)
	}
}

// list checks the name of a list that is written to.
func (c *checker) list(at textfile.At, where, name string) {
	if name == grammar.PausedList {
		c.add(at, "%sthe list %q holds the rules that stopped themselves: take another name", where, name)
		return
	}
	c.validID(at, "name of the list", name)
}

// checkObject checks the word behind a verb.
func (c *checker) checkObject(s *scene, a *grammar.Act, verb, object, want string) {
	if object != "" && object != want {
		c.add(a.At, "%s%s: %s is all that can stand here, not %q", s.where, verb, want, object)
	}
}

// starts checks the conversation that an act starts.
func (c *checker) starts(s *scene, a *grammar.Act) {
	if c.ids[a.Start].what == talkID || c.isFull(a.File) {
		return
	}
	var names []string
	for _, t := range c.talks {
		if t.ID == a.Start {
			return // another thing has the same id, which was told
		}
		names = append(names, t.ID)
	}
	cure := "Conversations stand under conversations:, with an id"
	if len(names) > 0 {
		cure = "There are " + enumerateSome(names)
	}
	c.checkKnown(a.At, s.where+"start: ", "conversation", a.Start, names, cure)
}

// checkHandoff checks what gives a conversation to a team.
func (c *checker) checkHandoff(s *scene, h *grammar.Handoff) {
	c.checkTeam(h.At, s.where, h.To)
	c.checkNoted(s, h.At, &h.Note)
	// It may be said where everybody reads it, as every answer.
	c.checkSay(s, h.SayOpen)
	c.checkSay(s, h.SayClosed)
	if h.SayClosed != nil && c.Hours(s.file) == nil {
		c.noteHint(h.At, "%ssay_closed is never said: without hours it is always open", s.where)
	}
}

// lead checks the answers that are kept on a list.
func (c *checker) lead(s *scene, l *grammar.Lead) {
	if len(l.Fields) == 0 {
		c.add(l.At, "%ssave_lead: fields is empty: write the answers to keep", s.where)
	}
	for _, field := range l.Fields {
		if s.plan.saves[strings.TrimSuffix(field, grammar.SaidSuffix)] != nil {
			continue
		}
		known := s.plan.answerNames()
		if strings.HasSuffix(field, grammar.SaidSuffix) {
			known = s.plan.saidNames()
		}
		c.checkKnown(l.At, s.where+"save_lead: ", "answer", field, known, fmt.Sprintf("Answers are kept by save_as; there are %s", enumerateSome(known)))
	}
}
