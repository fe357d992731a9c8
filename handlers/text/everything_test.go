package text_test

import (
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// everything is a struct for the golden cases: it has a key for each kind of value.
type everything struct {
	textfile.At
	header
	Reply   textfile.List[said]    `text:"reply"`
	Say     template.Template      `text:"say"`
	Words   []string               `text:"any_word"`
	Choices textfile.Map[[]string] `text:"choices"`
	Merge   text.Duration          `text:"merge_messages"`
	Wait    bounds.Span            `text:"wait"`
	Limits  *limits                `text:"limits"`
	TooMany text.Rate              `text:"more_than"`
	Number  bounds.Range           `text:"number"`
	Hours   *text.Hours            `text:"hours"`
	Quiet   text.Quiet             `text:"quiet_hours"`
	Zone    text.Zone              `text:"timezone"`
	When    textfile.List[string]  `text:"when"`
	If      textfile.Node          `text:"if"`
	At_     text.WhenTime          `text:"at"`
	Private bool                   `text:"private"`
	Times   int                    `text:"times"`
	Factor  float64                `text:"factor"`
	Then    []action               `text:"then"`
	Rules   []everything           `text:"rules"`
	Clock   text.Clock             `text:"clock"`
	Status  string                 `text:"status"`
	Who     textfile.Map[map1]     `text:"who"`
}

type header struct {
	Version int    `text:"version,required"`
	Name    string `text:"name"`
	ID      string `text:"id"`
}

type map1 struct {
	Webhook string `text:"webhook"`
}

type limits struct {
	Person text.Limit `text:"per_person,required"`
	Total  text.Limit `text:"total"`
}

// action is a union: a word alone, or a mapping.
type action struct {
	textfile.At
	Reply textfile.List[template.Template] `text:"reply"`
	Label string                           `text:"label"`
}

type plainAction action

func (a *action) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() == textfile.Scalar {
		a.Label = n.String()
		return nil
	}
	return n.Decode((*plainAction)(a))
}

// said is a text that people will read.
type said string

func (s *said) FromText(n textfile.Node) textfile.Problems {
	read, problems := n.Text()
	*s = said(read)
	return problems
}
