package rules

import (
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/handlers/language"
	"github.com/nectar-bot/nectar/handlers/text"
)

// variables are the names that every text may use, beside the answers of its conversation.
func variables() []string {
	return []string{"first_name", "name", "user_name", "text", "next_open"}
}

// fill returns a text as it is said, and whether it tells a private answer.
func (d *decider) fill(t text.Template, p *Progress) (string, bool) {
	private := p.private(&t) || len(d.out.Masks) > 0 && slices.ContainsFunc(t.Variables(), func(v text.Variable) bool { return v.Name == "text" })
	return t.Fill(func(name string) string { return d.value(name, p) }), private
}

// value returns what stands for a variable; "" when it is not known.
func (d *decider) value(name string, p *Progress) string {
	switch name {
	case "first_name":
		return d.state.peer().FirstName()
	case "name":
		return d.state.peer().FullName()
	case "user_name":
		return d.state.peer().UserName()
	case "text":
		return d.said
	case "next_open":
		return d.nextOpen()
	}
	_, said := p.answer(name)
	return said
}

// nextOpen says when we are at work again: the next opening, also while we are.
func (d *decider) nextOpen() string {
	s := d.at.scope
	if s.hours == nil {
		return ""
	}
	now := d.now.In(s.zone)
	at, ok := s.hours.NextOpen(now)
	if !ok {
		return ""
	}
	if at.Equal(now) { // we are at work: the next day that we are, too
		at = laterOpening(s.hours, now)
	}
	return s.language.ShowWhen(at, now)
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

func trimNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func emailIn(said string) (string, bool) { return language.Email(said) }

func phoneIn(said string) (string, bool) { return language.Phone(said, "") }

// scopeOf returns what the rules of a file have in common, of the rule that is tried.
func (d *decider) scopeOf() *scope { return d.at.scope }
