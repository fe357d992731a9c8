// Package template has the texts with variables that rules say.
package template

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Template is a text with variables: "Hello, {{first_name|there}}!". What stands behind the bar, the
// fallback, is said where the variable is empty.
type Template struct {
	raw   string
	parts []fragment
}

// fragment is a text as it is, or a variable.
type fragment struct {
	text     string
	variable Variable
}

// Variable is a variable of a template.
type Variable struct {
	Name, Fallback string
	HasFallback    bool
	Saved          string // the saved reply that stands there: {{saved: hashtags}}; Name is "saved: hashtags" then
}

// Parse reads a template. The error says what is wrong and what to write. Which variables there
// are, and which need a fallback, is for the caller to know. Single braces are text.
func Parse(raw string) (Template, error) {
	t := Template{raw: raw}
	for rest := raw; rest != ""; {
		before, inside, found := strings.Cut(rest, "{{")
		if before != "" {
			t.parts = append(t.parts, fragment{text: before})
		}
		if !found {
			break
		}
		var closed bool
		inside, rest, closed = strings.Cut(inside, "}}")
		switch {
		case !closed:
			return Template{}, fmt.Errorf(`"{{%s" is never closed: write }} behind it`, cut(inside, 20))
		case strings.ContainsAny(inside, "{}\n"):
			return Template{}, fmt.Errorf(`a variable cannot stand in another one: "{{%s}}". Write it like {{first_name|there}}`, cut(inside, 40))
		}
		v, err := parseVariable(inside)
		if err != nil {
			return Template{}, err
		}
		t.parts = append(t.parts, fragment{variable: v})
	}
	return t, nil
}

// parseVariable reads what stands between {{ and }}.
func parseVariable(inside string) (Variable, error) {
	name, fallback, has := strings.Cut(inside, "|")
	v := Variable{Name: strings.TrimSpace(name), Fallback: strings.TrimSpace(fallback), HasFallback: has}
	if saved, is := strings.CutPrefix(v.Name, "saved:"); is && !has {
		if v.Saved = strings.TrimSpace(saved); v.Saved == "" {
			return v, errors.New("which reply? Write it like {{saved: hashtags}}")
		}
		v.Name = "saved: " + v.Saved
		return v, nil
	}
	switch {
	case v.Name == "":
		return v, errors.New("there is no name between {{ and }}: write it like {{first_name|there}}")
	case strings.ContainsFunc(strings.Replace(v.Name, ".", "", 1), notName) || strings.Trim(v.Name, ".") != v.Name:
		return v, fmt.Errorf("a variable has a name of small letters and _, and %s has not: write it like {{first_name|there}}", fmt.Sprintf("%q", cut(v.Name, 60)))
	case has && v.Fallback == "":
		return v, fmt.Errorf("the fallback of {{%s|}} is empty: write it like {{%[1]s|there}}", v.Name)
	case strings.Contains(v.Fallback, "|"):
		return v, fmt.Errorf("{{%s}} has two fallbacks: write one, like {{%s|there}}", inside, v.Name)
	}
	return v, nil
}

func notName(ch rune) bool {
	return ch != '_' && (ch < 'a' || ch > 'z') && (ch < '0' || ch > '9')
}

// FromText reads a template; what holds for [textfile.Node.Text] holds for it too.
func (t *Template) FromText(n textfile.Node) textfile.Problems {
	s, problems := n.Text()
	if len(problems.Errors()) > 0 {
		return problems
	}
	parsed, err := Parse(s)
	if err != nil {
		return append(problems, n.Problem("%s", err))
	}
	*t = parsed
	return problems
}

// Variables returns the variables, in the order of the text.
func (t Template) Variables() []Variable {
	var variables []Variable
	for _, p := range t.parts {
		if p.variable.Name != "" {
			variables = append(variables, p.variable)
		}
	}
	return variables
}

// FillText returns the text with what value returns in place of the variables, or their fallbacks where it
// returns "".
func (t Template) FillText(value func(name string) string) string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
		if p.variable.Name == "" {
			continue
		}
		if v := value(p.variable.Name); v != "" {
			b.WriteString(v)
		} else {
			b.WriteString(p.variable.Fallback)
		}
	}
	return b.String()
}

// String returns the template as it was written.
func (t Template) String() string { return t.raw }

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// leastLetters is how many letters a text has to have of its own for May: nearly everything would be one with fewer.
const leastLetters = 3

// MayBe reports whether a text may be the template with something in place of its variables. How much room is between its words does not
// matter.
func (t Template) MayBe(said string) bool {
	said = strings.Join(strings.Fields(said), " ")
	letters, open := 0, false // a variable stood before
	for i, p := range t.parts {
		if p.variable.Name != "" {
			open = true
			continue
		}
		own := strings.Join(strings.Fields(p.text), " ")
		letters += strings.Count(strings.Map(onlyLetters, own), "") - 1
		at := 0
		switch {
		case own == "":
			open = true
			continue
		case i == len(t.parts)-1:
			if !strings.HasSuffix(said, own) || !open && said != own {
				return false
			}
			at = len(said) - len(own)
		default:
			if at = strings.Index(said, own); at < 0 || at > 0 && !open {
				return false
			}
		}
		said, open = strings.TrimSpace(said[at+len(own):]), false
	}
	return letters >= leastLetters && (open || said == "")
}

func onlyLetters(ch rune) rune {
	if unicode.IsLetter(ch) {
		return ch
	}
	return -1
}
