package rules

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/text"
)

// Answer is what was answered to a question.
type Answer struct {
	Text string `json:"text"` // what it means, as later texts say it: a choice, a number, a day
	// Said is what was said, when that is something else. Earlier versions kept it as the Text of a choice.
	Said    string  `json:"said,omitempty"`
	Number  float64 `json:"number,omitempty"`
	Choice  string  `json:"choice,omitempty"`
	Private bool    `json:"private,omitempty"`
}

// meant returns what an answer means.
func (a *Answer) meant() string {
	if a.Choice != "" && a.Choice != choiceYes && a.Choice != choiceNo && a.Said == "" && a.Text != masked {
		return a.Choice //mutate:choice-kept
	}
	return a.Text
}

// said returns what was said.
func (a *Answer) said() string {
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

// saidSuffix stands behind the name of an answer for what was said.
const saidSuffix = ".said"

// answer returns the answer that a variable or a field stands for, and its text.
func (p *Progress) answer(name string) (Answer, string) {
	if p == nil {
		return Answer{}, ""
	}
	if of, ok := strings.CutSuffix(name, saidSuffix); ok {
		a := p.Answers[of]
		return a, a.said() //mutate:said-private
	}
	a := p.Answers[name]
	return a, a.meant()
}

// private tells whether a text says a private answer.
func (p *Progress) private(t *text.Template) bool {
	return p != nil && slices.ContainsFunc(t.Variables(), func(v text.Variable) bool { a, _ := p.answer(v.Name); return a.Private })
}

// is tells whether an answer is one that a condition names: the choice, or what was said.
func (a *Answer) is(want string) bool {
	return want == a.Choice || plain(want) == plain(a.Text) || a.Said != "" && plain(want) == plain(a.Said)
}
