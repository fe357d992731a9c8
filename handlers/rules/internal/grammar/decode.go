package grammar

import (
	"strings"

	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// FromText reads a list of conditions, or one mapping.
func (c *Conditions) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() == textfile.Mapping {
		*c = make(Conditions, 1)
		return n.Decode(&(*c)[0])
	}
	var list []Condition
	problems := n.Decode(&list)
	*c = list
	return problems
}

// FromText reads an act: a mapping with one key, or a word alone.
func (a *Act) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() == textfile.Scalar {
		a.At = n.At()
		switch n.String() {
		case "forget_answers":
			a.ForgetAnswers = true
		case "ignore":
			a.Ignore = true
		default:
			return textfile.Problems{n.Problem("%q needs a value, for example label: new", n.String())}
		}
		return nil
	}
	type plain Act
	return n.Decode((*plain)(a))
}

// FromText reads a text, a list of texts, or a mapping.
func (s *Say) FromText(n textfile.Node) textfile.Problems {
	s.At = n.At()
	if n.Kind() != textfile.Mapping {
		return s.texts(n)
	}
	var long struct {
		Text  textfile.Node `text:"text"`
		Saved string        `text:"saved"`
	}
	problems := n.Decode(&long)
	s.Saved = long.Saved
	switch given := long.Text.Kind() != textfile.Missing; {
	case given && s.Saved != "":
		problems = append(problems, n.Problem("text and saved are both there: keep one of them"))
	case given:
		problems = append(problems, s.texts(long.Text)...)
	case s.Saved == "" && len(problems) == 0:
		problems = append(problems, n.Problem("there is nothing to say: write a text, or saved: with the name of a reply"))
	}
	return problems
}

func (s *Say) texts(n textfile.Node) textfile.Problems {
	var texts textfile.List[template.Template]
	problems := n.Decode(&texts)
	s.Texts, s.lines = texts, nil
	for _, item := range n.Items() {
		s.lines = append(s.lines, item.At().Line)
	}
	return problems
}

// Returns is when the bot speaks again after a handoff: "after 12h of silence".
type Returns struct{ After text.Duration }

// FromText reads it; a time alone is fine, too.
func (r *Returns) FromText(n textfile.Node) textfile.Problems {
	words := strings.TrimSuffix(strings.TrimPrefix(n.String(), "after "), " of silence")
	d, err := parseDuration(words)
	if err != nil || n.Kind() != textfile.Scalar {
		return textfile.Problems{n.Problem("write it like after 12h of silence")}
	}
	r.After = text.Duration(d)
	return nil
}

// FromText reads a kind, a list of kinds, or a mapping: {number: 10..400}, {choices: {…}}.
func (e *Expect) FromText(n textfile.Node) textfile.Problems {
	e.At = n.At()
	if n.Kind() != textfile.Mapping {
		var kinds textfile.List[ExpectKind]
		problems := n.Decode(&kinds)
		e.Kinds = kinds
		for _, k := range e.Kinds {
			if k == ExpectChoices {
				problems = append(problems, n.Problem("choices are written with their texts: expect: { choices: { correct: [\"yes\", ok] } }"))
			}
		}
		return problems
	}
	var long struct {
		Number  *bounds.Range                       `text:"number"`
		Choices textfile.Map[textfile.List[string]] `text:"choices"`
	}
	problems := n.Decode(&long)
	if long.Number != nil {
		e.Kinds, e.Range = append(e.Kinds, ExpectNumber), long.Number
	}
	if len(long.Choices.Keys) > 0 {
		e.Kinds, e.Choices = append(e.Kinds, ExpectChoices), long.Choices
	}
	if len(e.Kinds) == 0 && len(problems) == 0 {
		problems = append(problems, n.Problem("nothing is expected here: write number: 10..400, or choices:"))
	}
	return problems
}

// FromText reads a kind of answer.
func (k *ExpectKind) FromText(n textfile.Node) textfile.Problems {
	return textfile.OneOf(n, k, ExpectText, ExpectNumber, ExpectDate, ExpectTime, ExpectEmail, ExpectPhone, ExpectChoices, ExpectYesNo, ExpectMedia)
}

// FromText reads a step, a list of branches, or a mapping from choices to steps.
func (x *Next) FromText(n textfile.Node) textfile.Problems {
	x.At = n.At()
	switch n.Kind() {
	case textfile.Mapping:
		return n.Decode(&x.Choices)
	case textfile.Scalar:
		x.Branches = []Branch{{At: n.At(), Goto: n.String()}}
		return nil
	default:
		return n.Decode(&x.Branches)
	}
}

// FromText reads a branch. Its conditions may name answers: {guests: over 150}.
func (b *Branch) FromText(n textfile.Node) textfile.Problems {
	var plain struct {
		If   branchIf `text:"if"`
		Goto string   `text:"goto,required"`
	}
	problems := n.Decode(&plain)
	b.At, b.If, b.Goto = n.At(), Conditions(plain.If), plain.Goto
	return problems
}

// branchIf are conditions in which what is no condition names an answer.
type branchIf Conditions

func (c *branchIf) FromText(n textfile.Node) textfile.Problems {
	items := []textfile.Node{n}
	if n.Kind() == textfile.Sequence {
		items = n.Items()
	}
	var problems textfile.Problems
	for _, item := range items {
		if item.Kind() != textfile.Mapping {
			problems = append(problems, item.Problem("write a condition, for example { guests: over 150 }"))
			continue
		}
		cond := Condition{At: item.At()}
		for _, p := range item.Pairs() {
			problems = append(problems, cond.part(p)...)
		}
		*c = append(*c, cond)
	}
	return problems
}

// part reads one key of a branch's condition.
func (c *Condition) part(p textfile.Pair) textfile.Problems {
	switch p.Key.String() {
	case "text":
		c.Text = &TextCondition{}
		return p.Value.Decode(c.Text)
	case "sender":
		c.Sender = &SenderCondition{}
		return p.Value.Decode(c.Sender)
	case "post":
		c.Post = &PostCondition{}
		return p.Value.Decode(c.Post)
	case "conversation":
		c.Conversation = &ConversationCondition{}
		return p.Value.Decode(c.Conversation)
	case "hours":
		return c.Hours.FromText(p.Value)
	case "answers":
		return c.Answers.FromText(p.Value)
	case dayKey, dateKey:
		c.pending = append(c.pending, p)
		return nil
	default:
		return c.Answers.add(p)
	}
}
