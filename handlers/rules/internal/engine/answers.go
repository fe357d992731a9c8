package engine

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// meantBy returns what an answer means.
func meantBy(a *decision.Answer) string {
	if a.Choice != "" && a.Choice != choiceYes && a.Choice != choiceNo && a.Said == "" && a.Text != decision.Masked {
		return a.Choice //mutate:choice-kept
	}
	return a.Text
}

// saidBy returns what was said.
func saidBy(a *decision.Answer) string {
	if a.Said != "" {
		return a.Said
	}
	return a.Text
}

// The choices of a question of yes or no.
const (
	choiceYes = "yes"
	choiceNo  = "no"
)

// answerFor returns the answer that a variable or a field stands for, and its text.
func answerFor(p *decision.Progress, name string) (decision.Answer, string) {
	if p == nil {
		return decision.Answer{}, ""
	}
	if of, ok := strings.CutSuffix(name, grammar.SaidSuffix); ok {
		a := p.Answers[of]
		return a, saidBy(&a) //mutate:said-private
	}
	a := p.Answers[name]
	return a, meantBy(&a)
}

// saysPrivate reports whether a text says a private answer.
func saysPrivate(p *decision.Progress, t *template.Template) bool {
	return p != nil && slices.ContainsFunc(t.Variables(), func(v template.Variable) bool { a, _ := answerFor(p, v.Name); return a.Private })
}

// isAnswer reports whether an answer is one that a condition names: the choice, or what was said.
func isAnswer(a *decision.Answer, want string) bool {
	return want == a.Choice || grammar.PlainText(want) == grammar.PlainText(a.Text) || a.Said != "" && grammar.PlainText(want) == grammar.PlainText(a.Said)
}
