package autoresponder_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// darkFolder is a folder of rules that is drawn.
type darkFolder struct {
	Merge    string   // how long a row is waited for
	Within   string   // how late something is answered
	Settings []string // lines of settings.yaml beside what all have
	Rules    []darkRule
}

// darkRule is a rule that is drawn: one of darkKinds.
type darkRule struct{ Kind, Status, Limit, Variant string }

// darkKinds are what rules do, by their names, which stand in front of what they say: so an answer tells whose it is, and the text in it which words it is
// about. A "#" stands for what was drawn beside it: the first variant unless drawn otherwise.
var darkKinds = map[string]struct {
	text     string
	variants []string
}{
	"price":     {"when: message\n    if: { text: { any_word: [price] } }\n    then: [{ reply: \"price>{{text|-}}<\" }]\n    limits: { per_person: LIMIT }", nil},
	"box":       {"when: [message, mention]\n    if: { text: { any_word: [box] } }\n    then: [{ reply: \"box>{{text|-}}<\" }]\n    limits: { per_person: LIMIT }", nil},
	"lead":      {"when: message\n    if: { text: { any_word: [lead] } }\n    then: [{ notify: { who: back# } }, { reply: \"lead>{{text|-}}<\" }]\n    limits: { per_person: LIMIT }", []string{"", ", urgent: true"}},
	"offer":     {"when: message\n    if: { text: { any_word: [offer] } }\n    then: [{ notify: { who: back, if_waiting: 30m# } }, { reply: \"offer>{{text|-}}<\" }]\n    limits: { per_person: 99 per 12h }", []string{"", ", urgent: true"}},
	"weddings":  {"when: message\n    if: { text: { any_word: [weddings] } }\n    then: [{ list: unanswered }#]\n    limits: { per_person: LIMIT }", []string{"", ", { reply: \"weddings>{{text|-}}<\" }"}},
	"lovely":    {"when: [message, mention]\n    if: { text: { any_word: [lovely] } }\n    then: [{ label: fan }]\n    limits: { per_person: LIMIT }", nil},
	"toldalone": {"when: message\n    if: { text: { any_word: [toldalone] } }\n    then: [{ notify: { who: back } }]\n    limits: { per_person: LIMIT }", nil},
	"thanks":    {"when: message\n    if: { text: { only: [thanks, ok] } }\n    then: [ignore]", nil},
	"emergency": {
		"when: message\n    if: { text: { any_word: [emergency] } }\n    then: [{ handoff: { to: front, say_open: \"emergency>{{text|-}}<\", say_closed: \"emergency>{{text|-}}<\"# } }]\n    limits: { per_person: LIMIT }",
		[]string{"", ", if_nobody_in: 20m", ", bot_returns: after 1h of silence", ", if_nobody_in: 20m, bot_returns: after 2h of silence"},
	},
	"bleeding": {
		"when: message\n    always: true\n    if: { text: { any_word: [bleeding] } }\n    then: [#]\n    limits: { per_person: 99 per 12h }",
		[]string{
			"{ handoff: { to: front, say_open: \"bleeding>{{text|-}}<\", say_closed: \"bleeding>{{text|-}}<\", bot_returns: after 1h of silence } }",
			"{ reply: \"bleeding>{{text|-}}<\" }, { notify: { who: front, urgent: true } }",
			"{ reply: \"bleeding>{{text|-}}<\" }, { notify: { who: front, if_waiting: 30m } }",
			"{ notify: { who: front, urgent: true } }",
		},
	},
	"closed":   {"when: message\n    if: [hours: closed]\n    then: [{ reply: \"closed>{{text|-}}<\" }, { notify: { who: back, when_open: true# } }]\n    limits: { per_person: 99 per 12h }", []string{"", ", if_waiting: 30m"}},
	"nomatch":  {"when: no_match\n    then: [#]", []string{"{ list: unanswered }", "{ list: unanswered }, { notify: { who: back, if_waiting: 30m } }", "{ notify: { who: back } }", "{ label: lost }"}},
	"heldback": {"when: held_back\n    then: [#]\n    limits: { per_person: LIMIT }", []string{"{ list: unanswered }", "{ list: unanswered }, { notify: { who: back, if_waiting: 30m } }", "{ notify: { who: back } }"}},
	"silence":  {"when: silence\n    after: 40m\n    then: [#]\n    limits: { per_person: LIMIT }", []string{"{ notify: { who: front } }", "{ list: unanswered }"}},
}

// darkOrder is the order of rules in the file.
var darkOrder = []string{
	"bleeding", "price", "box", "lead", "offer", "weddings", "lovely", "toldalone", "thanks", "emergency", "closed", "nomatch", "heldback", "silence",
}

// theEnquiry is a conversation with steps.
const theEnquiry = `conversations:
  - id: enquiry
    start: { when: message, if: [text: { any_word: [quote] }] }
    limits: { per_person: 2 per 12h }
    answer_faq_between: true
    if_silent: [{ after: 50m, reply: "Still there?" }, { after: 3h, goto: gone }]
    steps:
      - { id: guests, ask: "guests>{{text|-}}<", expect: number, save_as: guests, if_wrong: { say: "wrong>{{text|-}}<", times: 1, then_goto: person }, next: last }
      - { id: last, say: "last>{{text|-}}<", end: done }
      - { id: person, handoff: { to: front, say_open: "person>{{text|-}}<", say_closed: "person>{{text|-}}<", bot_returns: after 1h of silence }, end: handed }
      - { id: gone, then: [label: gone], end: silent }
`

// calls reports whether a rule of that name leaves whoever it answers to a person of ours.
func (f *darkFolder) calls(name string) bool {
	i := slices.IndexFunc(f.Rules, func(r darkRule) bool { return r.Kind == name })
	switch name {
	case "person", "emergency", "offer", "closed":
		return true
	case "bleeding":
		return i >= 0 && (strings.Contains(f.Rules[i].Variant, "handoff") || strings.Contains(f.Rules[i].Variant, "if_waiting"))
	}
	return false
}

// callers returns the rules that leave whoever says something to a person of ours although another one may answer: those that surely do, and others that
// may. What rules beside an answer do cannot be seen before somebody is called.
func (f *darkFolder) callers(text string, at time.Time) (surely, maybe bool) {
	for _, r := range f.Rules {
		is := f.calls(r.Kind) && (r.Status == "live" || r.Status == "ask")
		switch {
		case !is, r.Kind != "closed" && !strings.Contains(text, r.Kind):
			continue
		case r.Kind == "closed" && atWork(at, 15*time.Minute):
			maybe = maybe || !atWork(at, -15*time.Minute)
			continue
		}
		maybe = true
		surely = surely || r.Status == "live"
	}
	return surely && !f.acts("quote"), maybe
}

// lists reports whether a rule may put whoever says something on the list of what is not answered.
func (f *darkFolder) lists(text string) bool {
	return slices.ContainsFunc(f.Rules, func(r darkRule) bool {
		return f.acts(r.Kind) && (r.Kind == "weddings" || strings.Contains(r.Variant, "list:")) && (strings.Contains(text, r.Kind) || darkKinds[r.Kind].variants[0] != "")
	})
}

// asksToList reports whether a rule on ask may have put what somebody says on the list of what is not answered: who approves that has seen it.
func (f *darkFolder) asksToList(text string) bool {
	return slices.ContainsFunc(f.Rules, func(r darkRule) bool {
		return r.Status == "ask" && (r.Kind == "weddings" && strings.Contains(text, r.Kind) || strings.Contains(r.Variant, "list:"))
	})
}

// atWork reports whether we are at work at a time, with some minutes around it, or without them.
func atWork(at time.Time, margin time.Duration) bool {
	day := at.UTC().Truncate(24 * time.Hour)
	weekday := day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
	return weekday && !at.Before(day.Add(9*time.Hour-margin)) && at.Before(day.Add(18*time.Hour+30*time.Minute+margin))
}

// acts reports whether there is a rule of that name that may act.
func (f *darkFolder) acts(name string) bool {
	return slices.ContainsFunc(f.Rules, func(r darkRule) bool { return r.Kind == name && (r.Status == "live" || r.Status == "ask") })
}

// file is the file of rules.
func (f *darkFolder) file() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nstatus: live\ndefaults: { merge_messages: %s, reply_after: 0s, answer_within: %s }\nrules:\n", f.Merge, f.Within)
	b.WriteString("  - id: always-there\n    when: message\n    if: { text: { any_word: [neverever] } }\n    then: [{ reply: \"Never.\" }]\n    limits: { per_person: 1 per 1h }\n")
	enquiry := ""
	for _, r := range f.Rules {
		if r.Kind == "quote" {
			enquiry = strings.Replace(theEnquiry, "    start:", "    status: "+r.Status+"\n    start:", 1)
			continue
		}
		text := strings.NewReplacer("LIMIT", r.Limit, "#", r.Variant).Replace(darkKinds[r.Kind].text)
		fmt.Fprintf(&b, "  - id: %s\n    status: %s\n    %s\n", r.Kind, r.Status, text)
	}
	return b.String() + enquiry
}

// settings are those of the folder.
func (f *darkFolder) settings() string {
	return "version: 1\ntimezone: UTC\nstop_words: [stop]\nwho:\n  front: [\"ntfy://a.example/front\"]\n  back: [\"ntfy://b.example/back\"]\n" + strings.Join(f.Settings, "")
}

// drawDarkFolder draws a folder.
func drawDarkFolder(rt *rapid.T) darkFolder {
	f := darkFolder{
		Merge:  rapid.SampledFrom([]string{"0s", "5s"}).Draw(rt, "merge"),
		Within: rapid.SampledFrom([]string{"6h", "1h"}).Draw(rt, "within"),
	}
	for _, line := range []string{"introduce: \"Automatic.\"\n", "quiet_hours: 02:00-03:30\n"} {
		if rapid.IntRange(0, 3).Draw(rt, line) == 3 {
			f.Settings = append(f.Settings, line)
		}
	}
	if len(f.Settings) > 0 && strings.HasPrefix(f.Settings[len(f.Settings)-1], "quiet") && rapid.Bool().Draw(rt, "drop") {
		f.Settings = append(f.Settings, "in_quiet_hours: drop\n")
	}
	hours := rapid.Bool().Draw(rt, "hours")
	if hours {
		f.Settings = append(f.Settings, "hours: { open: Mon-Fri 09:00-18:30 }\n")
	}
	for _, name := range append(slices.Clone(darkOrder), "quote") {
		if name == "closed" && !hours || rapid.IntRange(0, 2).Draw(rt, name) == 0 {
			continue
		}
		r := darkRule{
			Kind: name, Status: rapid.SampledFrom([]string{"live", "live", "live", "live", "ask", "watch", "paused"}).Draw(rt, "status"),
			Limit: rapid.SampledFrom([]string{"9 per 12h", "1 per 12h", "2 per 1h"}).Draw(rt, "limit"),
		}
		if variants := darkKinds[name].variants; variants != nil {
			r.Variant = rapid.SampledFrom(variants).Draw(rt, "variant")
		}
		f.Rules = append(f.Rules, r)
	}
	return f
}
