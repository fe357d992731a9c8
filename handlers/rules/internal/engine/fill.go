package engine

import (
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/handlers/internal/language"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
)

// fill returns a text as it is said, and whether it tells a private answer.
func (d *decider) fill(t template.Template, p *decision.Progress) (string, bool) {
	private := saysPrivate(p, &t) || len(d.out.Masks) > 0 && slices.ContainsFunc(t.Variables(), func(v template.Variable) bool { return v.Name == "text" })
	return t.Fill(func(name string) string { return d.value(name, p) }), private
}

// value returns what stands for a variable; "" when it is not known.
func (d *decider) value(name string, p *decision.Progress) string {
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
		return d.nextOpen()
	}
	_, said := answerFor(p, name)
	return said
}

// nextOpen says when we are at work again: the next opening, also while we are.
func (d *decider) nextOpen() string {
	s := d.at.Scope
	if s.Hours == nil {
		return ""
	}
	now := d.now.In(s.zone)
	at, ok := s.Hours.NextOpen(now)
	if !ok {
		return ""
	}
	if at.Equal(now) { // we are at work: the next day that we are, too
		at = laterOpening(s.Hours, now)
	}
	return s.Language.ShowWhen(at, now)
}

// laterOpening returns when we begin to work the next time, after the time that has begun.
func laterOpening(h *text.Hours, now time.Time) time.Time {
	const look = 15 * time.Minute
	at := now
	for range 14 * 24 * 4 {
		at = at.Add(look)
		if !h.OpenAt(at) {
			if next, ok := h.NextOpen(at); ok {
				return next
			}
			break
		}
	}
	return now
}

// TrimNumber returns a number as people write it.
func TrimNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func emailIn(said string) (string, bool) { return language.Email(said) }

func phoneIn(said string) (string, bool) { return language.Phone(said, "") }

// scopeOf returns what the rules of a file have in common, of the rule that is tried.
func (d *decider) scopeOf() *scope { return d.at.Scope }
