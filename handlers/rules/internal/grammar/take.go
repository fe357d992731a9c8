package grammar

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/internal/language"
)

// TakesAnswer reports whether a step takes an answer of a kind from the message that begins the conversation. What several steps ask for could be
// the answer to each of them.
func (c *Conversation) TakesAnswer(s *Step, kind ExpectKind) bool {
	if !c.TakeFromStart || s.Ask == nil || s.Expect == nil || s.Private || !slices.Contains(s.Expect.Kinds, kind) {
		return false
	}
	for i := range c.Steps {
		if o := &c.Steps[i]; c.SharesAnswer(s, o, kind) || kind == ExpectChoices && o.SaveAs != "" && s.Ask.names(o.SaveAs) {
			return false // a question that quotes an earlier answer is about that answer
		}
	}
	switch kind {
	case ExpectDate, ExpectTime, ExpectEmail, ExpectPhone, ExpectNumber:
		return s.SaveAs != ""
	default:
		return kind == ExpectChoices
	}
}

// SharesAnswer reports whether two steps keep answers of their own, and the same words could be the answer to both.
func (c *Conversation) SharesAnswer(s, o *Step, kind ExpectKind) bool {
	if o.ID == s.ID || o.SaveAs != "" && o.SaveAs == s.SaveAs || o.Expect == nil || !slices.Contains(o.Expect.Kinds, kind) {
		return false
	}
	switch kind {
	case ExpectDate, ExpectTime, ExpectEmail, ExpectPhone, ExpectNumber:
		return true
	default:
		return kind == ExpectChoices && s.sharesChoice(o)
	}
}

// sharesChoice reports whether something that people write stands for a choice in both steps.
func (s *Step) sharesChoice(o *Step) bool {
	for _, texts := range o.Expect.Choices.All() {
		for _, own := range s.Expect.Choices.All() {
			if slices.ContainsFunc(own, func(said string) bool {
				return slices.ContainsFunc(texts, func(other string) bool { return PlainText(said) == PlainText(other) })
			}) {
				return true
			}
		}
	}
	return false
}

// names reports whether a text has a variable. Of a saved reply nothing is known.
func (s *Say) names(variable string) bool {
	return slices.ContainsFunc(s.Texts, func(t template.Template) bool {
		return slices.ContainsFunc(t.Variables(), func(v template.Variable) bool { return v.Name == variable })
	})
}

// NotedText returns what is said of what was taken from the message that began a conversation.
func NotedText(l language.Language) string {
	switch l {
	case language.Spanish:
		return "He anotado: {{answers}}."
	case language.Portuguese:
		return "Anotei: {{answers}}."
	case language.French:
		return "C'est noté : {{answers}}."
	case language.German:
		return "Notiert: {{answers}}."
	default:
		return "I have noted: {{answers}}."
	}
}
