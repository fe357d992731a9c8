package cmd

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// alsoDone says what happens beside actions when they are approved, a thing at a time. open shows private texts.
func alsoDone(e *event.Effects, open bool) []string {
	var all []string
	add := func(what string) { all = append(all, plain(what, 0)) }
	if len(e.Labels) > 0 {
		add("label " + strings.Join(e.Labels, ", "))
	}
	if len(e.Unlabels) > 0 {
		add("take off the label " + strings.Join(e.Unlabels, ", "))
	}
	for i := range e.Entries {
		x := &e.Entries[i]
		entry := rules.Entry{List: x.List, Text: x.Text}
		if err := json.Unmarshal(x.Data, &entry.Fields); err != nil { // a program's own
			entry.Fields = nil
		}
		if open {
			for n := range entry.Fields {
				entry.Fields[n].Private = false
			}
		}
		add("list " + x.List + ": " + entered(&entry))
	}
	for _, n := range e.Notices {
		text := private
		if !n.Private || open {
			text = quoted(n.Text, 0)
		}
		add("tell " + n.Who + ": " + text)
	}
	if h := e.Handoff; h != nil {
		what := "give the conversation to " + h.To
		if h.For > 0 {
			what += ", until they have been silent for " + takes(h.For)
		}
		add(what)
	}
	for _, t := range e.Timers {
		if what := rules.Awaits(event.Timer{Name: t.Name, Data: t.Data, Due: time.Unix(1, 0)}); what != "" && t.After > 0 {
			add("after " + takes(t.After) + ": " + what)
		}
	}
	return all
}
