package handlers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot"
)

// Template is a text with variables: "Hello, {{first_name|there}}!". What stands behind the bar is said
// where the variable is not known, and must be there: nobody wants to be greeted with an empty name. A name with a link
// and the like counts as not known: see [event.Peer.FirstName].
type Template struct {
	parts []part
}

type part struct {
	text     string // as it is, or in place of a variable that is empty
	variable func(t *bot.Turn) string
}

// variables returns what a template may name.
func variables() map[string]func(*bot.Turn) string {
	return map[string]func(*bot.Turn) string{
		"first_name": func(t *bot.Turn) string { return t.Peer().FirstName() },
		"name":       func(t *bot.Turn) string { return t.Peer().FullName() },
		"user_name":  func(t *bot.Turn) string { return t.Peer().UserName() },
		"text":       func(t *bot.Turn) string { return strings.TrimSpace(t.Text()) },
	}
}

// ParseTemplate reads a template. The error names the place that is wrong, and what to write instead.
func ParseTemplate(text string) (Template, error) {
	var tp Template
	known := variables()
	if strings.TrimSpace(text) == "" {
		return tp, fmt.Errorf("the text is empty")
	}
	for rest := text; rest != ""; {
		plain, inside, found := strings.Cut(rest, "{{")
		tp.parts = append(tp.parts, part{text: plain})
		if !found {
			break
		}
		var closed bool
		inside, rest, closed = strings.Cut(inside, "}}")
		if !closed {
			return tp, fmt.Errorf("%q: \"{{\" without \"}}\"", text)
		}
		name, fallback, ok := strings.Cut(inside, "|")
		name, fallback = strings.TrimSpace(name), strings.TrimSpace(fallback)
		switch {
		case known[name] == nil:
			return tp, fmt.Errorf("%q: there is no variable %q: there are %s", text, name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case !ok || fallback == "":
			return tp, fmt.Errorf("%q: {{%s}} says nothing for people of whom it is not known: write {{%s|there}}", text, name, name)
		}
		tp.parts = append(tp.parts, part{fallback, known[name]})
	}
	return tp, nil
}

// mustTemplate is ParseTemplate for the texts of a program.
func mustTemplate(caller, text string) Template {
	tp, err := ParseTemplate(text)
	if err != nil {
		panic(caller + ": " + err.Error())
	}
	return tp
}

// For returns the text as it is said to the peer of a turn.
func (tp Template) For(t *bot.Turn) string {
	var b strings.Builder
	for _, p := range tp.parts {
		text := p.text
		if p.variable != nil {
			if v := p.variable(t); v != "" {
				text = v
			}
		}
		b.WriteString(text)
	}
	return b.String()
}
