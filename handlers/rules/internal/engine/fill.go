package engine

import (
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/internal/language"
)

// fillText returns a text as it is said when it is due, and whether it tells a private answer.
func (d *decider) fillText(t template.Template, p *decision.Progress, due time.Time) (string, bool) {
	private := saysPrivate(p, &t) || len(d.out.Masks) > 0 && slices.ContainsFunc(t.Variables(), func(v template.Variable) bool { return v.Name == "text" })
	return t.FillText(func(name string) string { return d.value(name, p, due) }), private
}

// value returns what stands for a variable; "" when it is not known.
func (d *decider) value(name string, p *decision.Progress, due time.Time) string {
	switch name {
	case "first_name":
		return peerIn(&d.state).FirstName()
	case "name":
		return peerIn(&d.state).FullName()
	case "user_name":
		return peerIn(&d.state).UserName()
	case "text":
		return d.said
	case "next_open":
		return d.nextOpen(due)
	}
	_, said := answerFor(p, name)
	return said
}

// TrimNumber returns a number as people write it.
func TrimNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func emailIn(said string) (string, bool) { return language.FindEmail(said) }

func phoneIn(said string) (string, bool) { return language.FindPhone(said, "") }

// scopeOf returns what the rules of a file have in common, of the rule that is tried.
func (d *decider) scopeOf() *scope { return d.at.Scope }
