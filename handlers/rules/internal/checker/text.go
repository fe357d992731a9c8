package checker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// scene is where a text is said: what is known there.
type scene struct {
	file   *grammar.File
	where  string         // in front of what is told: "confirm → "
	whens  []grammar.When // what may have happened
	public bool           // it may be said in public
	says   bool           // the person said something for sure
	plan   *plan          // of the conversation; nil in a rule
	sure   answerSet
}

// sceneIn returns the scene of a part.
func (s *scene) sceneIn(part string) *scene {
	inner := *s
	inner.where = s.where + part + ": "
	return &inner
}

// privateScene returns the scene in which nothing is said in public.
func (s *scene) privateScene() *scene {
	inner := *s
	inner.public = false
	return &inner
}

// checkSay checks what is said to the person.
func (c *checker) checkSay(s *scene, say *grammar.Say) {
	if say == nil {
		return
	}
	if say.Saved == "" {
		c.texts(s, say)
		return
	}
	saved, ok := c.savedReply(s, say)
	if !ok {
		return
	}
	if inner := *s; len(saved.Texts) > 0 {
		inner.where = fmt.Sprintf("%s, as used in %s, line %d: ", say.Saved, say.File, say.Line)
		c.texts(&inner, &saved)
	}
}

// savedReply returns a saved reply.
func (c *checker) savedReply(s *scene, say *grammar.Say) (grammar.Say, bool) {
	c.saved[say.Saved] = true
	if c.IsSpoiled(grammar.RepliesFile) {
		return grammar.Say{}, false
	}
	replies := &c.Replies.Replies
	cure := "Write it under replies: in replies.yaml, beside this file"
	if len(replies.Keys) > 0 {
		cure = "replies.yaml has " + enumerateSome(replies.Keys)
	}
	saved, ok := replies.Get(say.Saved)
	if !ok {
		c.checkKnown(say.At, s.where, "saved reply", say.Saved, replies.Keys, cure)
	}
	return saved, ok
}

// enumerateSome names some of many.
func enumerateSome(names []string) string {
	const most = 8
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += " and others"
	}
	return list
}

// texts checks the texts of something to say.
func (c *checker) texts(s *scene, say *grammar.Say) {
	for i := range say.Texts {
		c.text(s, say.TextAt(i), &say.Texts[i])
	}
}

// text checks a text that people will read.
func (c *checker) text(s *scene, at textfile.At, t *template.Template) {
	c.variables(s, at, t)
	c.findPlaceholders(s, at, t)
	for word := range strings.FieldsSeq(t.String()) {
		if wrong := grammar.UnseenIn(word); wrong != "" && strings.Contains(word, "://") {
			c.add(at, "%s%s", s.where, wrong)
		}
	}
	most, what := bot.MaxMessage, "a message"
	if s.public {
		most, what = bot.MaxPost, "what is public"
	}
	if n := letterCount(t); n > most {
		c.add(at, "%sthis text has %d characters, and %s may have %d: make it shorter", s.where, n, what, most)
	}
}

// letterCount counts the characters of a text, of variables those of their fallback.
func letterCount(t *template.Template) int {
	return utf8.RuneCountInString(t.FillText(func(string) string { return "" }))
}

// checkNoted checks a text that is told to a team.
func (c *checker) checkNoted(s *scene, at textfile.At, t *template.Template) {
	if t.String() != "" {
		c.variables(s, at, t)
		c.findPlaceholders(s, at, t)
	}
}

// variables checks the variables of a text.
func (c *checker) variables(s *scene, at textfile.At, t *template.Template) {
	for _, v := range t.Variables() {
		switch needs, why := c.checkVariable(s, v); {
		case v.Saved != "":
			c.add(at, "%s{{saved: %s}} is for texts of campaigns: write saved: %[2]s in the place of this text", s.where, v.Saved)
		case needs == unknownVariable:
			c.add(at, "%sthere is no {{%s}}. %s", s.where, v.Name, c.meantVariable(s, v.Name))
		case needs == hoursVariable && c.Hours(s.file) == nil:
			c.add(at, "%s{{next_open}} needs hours: write when you are at work in settings.yaml, for example open: [Mon-Fri 09:00-18:00]", s.where)
		case needs == emptyVariable && (!v.HasFallback || v.Fallback == ""):
			c.add(at, "%s{{%s}} needs a fallback, since %s: for example {{%s|%s}}", s.where, v.Name, why, v.Name, exampleFallback(v.Name))
		}
	}
}

// need says what a variable needs.
type need uint8

const (
	sureVariable    need = iota // it is never empty
	emptyVariable               // it may be empty
	hoursVariable               // it is never empty when there are hours
	unknownVariable             // there is none
)

// checkVariable tells what a variable needs, and why.
func (c *checker) checkVariable(s *scene, v template.Variable) (need, string) {
	name, said := strings.CutSuffix(v.Name, grammar.SaidSuffix)
	if s.plan != nil && s.plan.saves[name] != nil {
		switch {
		// It is filled on some ways here, and not on others: the text would have a hole for some people, and look right in a test.
		case !s.plan.isSurelySet(s.sure, name):
			return emptyVariable, "not everybody who gets here has answered it"
		case said && slices.ContainsFunc(s.plan.saves[name], func(st *grammar.Step) bool {
			return st.Expect != nil && slices.Contains(st.Expect.Kinds, grammar.ExpectMedia)
		}):
			return emptyVariable, "a picture may come without words"
		}
		return sureVariable, ""
	}
	if said {
		return unknownVariable, ""
	}
	switch name {
	case "next_open":
		return hoursVariable, ""
	case "first_name", "name":
		return emptyVariable, "not everybody has a name" + c.madeUpNames(v)
	case "user_name":
		return emptyVariable, "it is not always known" + c.madeUpNames(v)
	case "text":
		if s.says {
			return sureVariable, ""
		}
		return emptyVariable, "a picture or a like has no text"
	}
	return unknownVariable, ""
}

// madeUpNames says, once, which names are not said although they are known.
func (c *checker) madeUpNames(v template.Variable) string {
	if c.names || v.HasFallback {
		return ""
	}
	c.names = true
	return ", and one with a link, @, # or over 30 letters is not said"
}

// meantVariable says what to write in place of a variable that there is not.
func (c *checker) meantVariable(s *scene, name string) string {
	known := grammar.CommonVariables()
	if s.plan != nil {
		known = append(known, slices.Sorted(maps.Keys(s.plan.saves))...)
	}
	base, said := strings.CutSuffix(name, grammar.SaidSuffix)
	if said && slices.Contains(known, base) {
		return fmt.Sprintf("Only answers have %s: write {{%s}}", grammar.SaidSuffix, base)
	}
	near := textfile.NearestWord(name, append(known, s.plan.saidNames()...))
	if said {
		near, name = textfile.NearestWord(name, s.plan.saidNames()), base
	}
	if near != "" {
		return fmt.Sprintf("Did you mean {{%s}}?", near)
	}
	for _, t := range c.talks {
		for i := range t.Steps {
			if t.Steps[i].SaveAs == name {
				return fmt.Sprintf("It is an answer of the conversation %s, and known there only", t.ID)
			}
		}
	}
	if s.plan != nil {
		return fmt.Sprintf("No step has save_as: %s; known are %s", name, enumerateSome(known))
	}
	return "Known are " + enumerateSome(known)
}

// exampleFallback returns a fallback that could stand there.
func exampleFallback(name string) string {
	switch name {
	case "first_name", "name", "user_name":
		return "friend"
	case "text":
		return "no text"
	default:
		return "not given"
	}
}

// checkReplies checks the saved replies themselves.
func (c *checker) checkReplies() {
	replies := &c.Replies.Replies
	for name, say := range replies.All() {
		at := replies.At(name)
		c.validID(at, "name", name)
		if say.Saved != "" {
			c.add(at, "%s: a saved reply cannot stand for another one: write the text", name)
		}
		if !c.saved[name] && !c.Cut && !c.AnySpoiled() {
			c.noteHint(at, "nothing uses the reply %q", name)
		}
		if !c.saved[name] {
			c.texts(&scene{file: &grammar.File{Hours: c.someHours()}, where: name + ": "}, &say)
		}
	}
}

// someHours returns the hours of any file.
func (c *checker) someHours() *text.Hours {
	for _, f := range c.Files {
		if f.Hours != nil {
			return f.Hours
		}
	}
	return nil
}
