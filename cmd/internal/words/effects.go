// Package words says in words what a decision does.
package words

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/text"
)

const (

	// Private stands for a text that is not shown.
	Private = "(private)"
)

// AlsoDone says what happens beside actions when they are approved, a thing at a time. open shows private texts.
func AlsoDone(e *event.Effects, open bool) []string {
	var all []string
	add := func(what string) { all = append(all, print.PlainText(what, 0)) }
	if len(e.Labels) > 0 {
		add("label " + strings.Join(e.Labels, ", "))
	}
	if len(e.Unlabels) > 0 {
		add("take off the label " + strings.Join(e.Unlabels, ", "))
	}
	for i := range e.Entries {
		x := &e.Entries[i]
		entry := ruledecision.Entry{List: x.List, Text: x.Text}
		if err := json.Unmarshal(x.Data, &entry.Fields); err != nil { // a program's own
			entry.Fields = nil
		}
		if open {
			for n := range entry.Fields {
				entry.Fields[n].Private = false
			}
		}
		add("list " + x.List + ": " + EnteredText(&entry))
	}
	for _, n := range e.Notices {
		text := Private
		if !n.Private || open {
			text = print.QuotePlain(n.Text, 0)
		}
		add("tell " + n.Who + ": " + text)
	}
	if h := e.Handoff; h != nil {
		what := "give the conversation to " + h.To
		if h.For > 0 {
			what += ", until they have been silent for " + TakesText(h.For)
		}
		add(what)
	}
	for _, t := range e.Timers {
		if what := rehearse.Awaits(event.Timer{Name: t.Name, Data: t.Data, Due: time.Unix(1, 0)}); what != "" && t.After > 0 {
			add("after " + TakesText(t.After) + ": " + what)
		}
	}
	return all
}

// AwaitedAt returns when that happens which a timer of rules is for: one that waits for us to open looks before that whether the hours have changed.
func AwaitedAt(t event.Timer) time.Time {
	var kept struct {
		At time.Time `json:"at"`
	}
	if json.Unmarshal(t.Data, &kept) == nil && kept.At.After(t.Due) {
		return kept.At
	}
	return t.Due
}

// TakesText says about how long something takes.
func TakesText(d time.Duration) string {
	unit := time.Minute
	if d < time.Minute {
		unit = time.Second
	}
	return text.Duration(d.Round(unit)).String()
}

// AsWritten writes a length of time as people write it: 25h, not 1d1h.
func AsWritten(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if d > 0 && d%unit.of == 0 {
			return fmt.Sprintf("%d%s", d/unit.of, unit.name)
		}
	}
	return text.Duration(d).String()
}

// EnteredText says what stands in an entry of a list.
func EnteredText(e *ruledecision.Entry) string {
	if len(e.Fields) == 0 {
		return print.QuotePlain(e.Text, 0)
	}
	fields := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		fields[i] = f.Name + " " + print.QuotePlain(f.Value, 0)
		if f.Private {
			fields[i] = f.Name + " (private)"
		}
	}
	return strings.Join(fields, ", ")
}

// LimitOf says how much a limit grants.
func LimitOf(c event.LimitUse) string {
	if c.Within == 0 {
		return fmt.Sprintf("%d ever", c.Max)
	}
	return fmt.Sprintf("%d per %s", c.Max, TakesText(c.Within))
}

// looksAtAnswer is the id of a turn that looks whether an answer came about.
var looksAtAnswer = regexp.MustCompile(`/rules/waiting/[^/]+/answer/\d+$`)

// CameDue says what a turn is that no event started.
func CameDue(id string) string {
	switch {
	case strings.HasPrefix(id, "decision:takeover/"):
		return "a person of ours wrote"
	case strings.HasPrefix(id, "nudge:"):
		return "the program itself began it"
	case strings.HasPrefix(id, "decision:"):
		return "a decision"
	case strings.Contains(id, "/nectar/expires/"):
		return "nobody had approved it in time"
	case strings.Contains(id, "/rules/burst/"):
		return "time to answer what was written in a row"
	case strings.Contains(id, "/rules/silence/"):
		return "the person had not answered for a while"
	case looksAtAnswer.MatchString(id):
		return "time to look whether an answer came about"
	case strings.Contains(id, "/rules/waiting/"):
		return "nobody had answered the person for a while"
	case strings.Contains(id, "/owned/rules/nobody/"):
		return "nobody of the team had answered for a while"
	default:
		return "a timer came due"
	}
}
