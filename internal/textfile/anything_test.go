package textfile_test

import "github.com/nectar-bot/nectar/internal/textfile"

// anything has a key for each kind of thing that a file can be decoded into.
type anything struct {
	textfile.At
	Version int                     `text:"version,required"`
	Name    string                  `text:"name"`
	Private bool                    `text:"private"`
	Factor  float64                 `text:"factor"`
	Reply   textfile.List[said]     `text:"reply"`
	Words   []string                `text:"any_word"`
	Choices textfile.Map[[]string]  `text:"choices"`
	Limits  *textfile.Map[said]     `text:"limits"`
	If      textfile.Node           `text:"if"`
	Then    []textfile.Map[said]    `text:"then"`
	Rules   []anything              `text:"rules"`
	Who     textfile.Map[*anything] `text:"who"`
}

// said is a text that people will read.
type said string

func (s *said) FromText(n textfile.Node) textfile.Problems {
	read, problems := n.Text()
	*s = said(read)
	return problems
}

// problemsOf returns all that is wrong with a file.
func problemsOf(src []byte) textfile.Problems {
	f, problems := textfile.Parse("a.yaml", src)
	return append(problems, f.Decode(new(anything))...)
}
