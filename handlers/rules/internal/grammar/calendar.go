package grammar

import (
	"errors"
	"strings"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Weekdays are days of the week: Mon; Mon-Fri.
type Weekdays [7]bool // by [time.Weekday]

// parseWeekdays reads days of the week. The error says how to write them.
func parseWeekdays(s string) (Weekdays, error) {
	if !strings.ContainsAny(s, "0123456789") {
		o, err := text.ParseOpening(s + " 00:00-24:00")
		if err == nil || strings.HasPrefix(err.Error(), "write "+s[:min(1, len(s))]) {
			return o.Days, err
		}
	}
	return Weekdays{}, errors.New("write it like Mon or Mon-Fri")
}

// FromText reads days of the week.
func (w *Weekdays) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, w, "days such as Mon or Mon-Fri", parseWeekdays)
}

// IsOn reports whether one of some days is a day of the week.
func IsOn(days []Weekdays, weekday int) bool {
	for _, d := range days {
		if d[weekday] {
			return true
		}
	}
	return false
}

// dayKey and dateKey are conditions of the calendar, unless the conversation keeps an answer by that name.
const (
	dayKey  = "day"
	dateKey = "date"
)

// FromText reads a conversation.
func (c *Conversation) FromText(n textfile.Node) textfile.Problems {
	type plain Conversation
	problems := n.Decode((*plain)(c))
	kept := map[string]bool{}
	for i := range c.Steps {
		kept[c.Steps[i].SaveAs] = true
	}
	for i := range c.Steps {
		if next := c.Steps[i].Next; next != nil {
			for j := range next.Branches {
				for k := range next.Branches[j].If {
					problems = append(problems, next.Branches[j].If[k].resolve(kept)...)
				}
			}
		}
	}
	return problems
}

// resolve reads what is about an answer, where one is kept by that name, and else about the calendar.
func (c *Condition) resolve(kept map[string]bool) (problems textfile.Problems) {
	for _, p := range c.pending {
		switch key := p.Key.String(); {
		case kept[key]:
			problems = append(problems, c.Answers.add(p)...)
		case key == dayKey:
			problems = append(problems, p.Value.Decode(&c.Day)...)
		default:
			problems = append(problems, p.Value.Decode(&c.Date)...)
		}
	}
	c.pending = nil
	return problems
}
