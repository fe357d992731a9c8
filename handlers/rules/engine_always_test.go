package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

const (
	bleeds = "    when: message\n    always: true\n    if: { text: { any_word: [bleeding] } }\n"
	urgent = bleeds + "    then: [{ handoff: { to: team, say_open: \"Call 112 now.\", bot_returns: after 12h of silence } }, { label: emergency }]\n    limits: { per_person: 1 per 1d }\n"
	advice = bleeds + "    then: [{ reply: \"Press on it.\" }, { notify: { who: team } }]\n" + per
	taken  = "conversations:\n  - id: order\n    start: { when: message, if: { text: { any_word: [order] } } }\n    if_silent: [{ after: 24h, goto: end }]\n" + per +
		"    steps:\n      - id: what\n        ask: \"What would you like?\"\n        expect: text\n        save_as: what\n        next: many\n" +
		"      - id: many\n        ask: \"How many?\"\n        expect: number\n        save_as: many\n        private: PRIVATE\n        next: end\n" +
		"      - id: end\n        say: \"{{many|some}} of {{what|it}}: noted.\"\n        end: done\n"
)

// toldBy returns what a decision says, and notices what it tells people.
func toldBy(d *decision.Decision) (texts, notices []string) {
	for _, a := range d.Actions {
		texts = append(texts, a.Text)
	}
	for _, n := range d.Notices {
		notices = append(notices, n.Text)
	}
	return texts, notices
}

// A rule that is always asked goes before the step in which somebody stands, whatever that expects: the question comes again behind its answer. What it gives
// away stands at its step until the bot has it back.
func TestAlways(t *testing.T) {
	t.Parallel()
	type say struct{ text, want, notice string }
	for name, c := range map[string]struct {
		rule, private string
		says          []say
	}{
		"an answer": {advice, "false", []say{
			{"an order", "What would you like?", ""}, {"I am bleeding", "Press on it. | What would you like?", "I am bleeding"}, {"pizza", "How many?", ""}, {"two", "2 of pizza: noted.", ""},
		}},
		"a limit holds back what is said": {advice, "false", []say{
			{"bleeding", "Press on it.", "bleeding"}, {"an order", "What would you like?", ""}, {"still bleeding", "What would you like?", "still bleeding (nothing was said to them: the limit bleeds/per_person (1 per 12h) is used up)"}, {"bleeding", "What would you like?", "bleeding"},
		}},
		"in a private step": {advice, "true", []say{
			{"an order", "What would you like?", ""}, {"pizza", "How many?", ""}, {"3, and bleeding", "Press on it. | How many?", "(private)"}, {"3", "3 of pizza: noted.", ""},
		}},
		"on watch": {strings.Replace(advice, "    when", "    status: watch\n    when", 1), "false", []say{
			{"an order", "What would you like?", ""}, {"bleeding", "Press on it. | How many?", ""},
		}},
		"without a step": {advice, "false", []say{{"bleeding", "Press on it.", "bleeding"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, "rules:\n"+rule("bleeds", c.rule)+strings.Replace(taken, "PRIVATE", c.private, 1))
			ana := s.Guest("ana")
			for _, line := range c.says {
				scenes, err := s.Says(ana, event.KindMessage, line.text, 0)
				if err != nil {
					t.Fatal(err)
				}
				d := &scenes[len(scenes)-1].Decision
				texts, notices := toldBy(d)
				if got := strings.Join(texts, " | "); got != line.want {
					t.Errorf("to %q it says %q, want %q (%s)", line.text, got, line.want, d.Reason)
				}
				if line.notice == "" && len(notices) > 0 || line.notice != "" && (len(notices) != 1 || !strings.Contains(notices[0], line.notice)) {
					t.Errorf("of %q people are told %q", line.text, notices)
				}
			}
		})
	}
}

// What is given away by such a rule stands at its step: the person is led on once the bot has it back, by the question, once.
func TestAlwaysHandsOver(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("bleeds", urgent)+strings.Replace(taken, "PRIVATE", "false", 1))
	ana := s.Guest("ana")
	says := func(text, want string) *decision.Decision {
		t.Helper()
		scenes, err := s.Says(ana, event.KindMessage, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		d := &scenes[len(scenes)-1].Decision
		if texts, _ := toldBy(d); strings.Join(texts, " | ") != want {
			t.Errorf("to %q it says %q, want %q (%s: %s)", text, texts, want, d.Outcome, d.Reason)
		}
		return d
	}
	says("an order", "What would you like?")
	if d := says("help, I am bleeding", "Call 112 now."); d.Handoff == nil || !slices.Contains(d.State.Labels, "emergency") || !d.State.Flow.Active() {
		t.Errorf("%+v", d)
	}
	back := func() {
		t.Helper()
		if _, err := pass(s.Rehearsal, 13*time.Hour); err != nil { // the bot has it back, and asks nobody by itself
			t.Fatal(err)
		}
		giveBack(ana)
	}
	back()
	// Its limit is not over: nobody is told twice what to do, and the team hears of it.
	if d := says("still bleeding", ""); d.Handoff == nil || len(d.Notices) == 0 {
		t.Errorf("%+v", d)
	}
	takeOver(s.Rehearsal, ana)
	back()
	says("all is well again", "What would you like?")
	says("pizza", "How many?")
	says("two", "2 of pizza: noted.")
}

// Who has asked for silence, or is over a limit, hears nothing, and their team does.
func TestAlwaysToWhoIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("bleeds", urgent)+rule("price", "    when: message\n    if: { text: { any_word: [price] } }\n    then: [{ reply: \"12.\" }]\n"+per))
	ana := s.Guest("ana")
	for _, text := range []string{"price", "stop"} {
		if _, err := s.Says(ana, event.KindMessage, text, 0); err != nil {
			t.Fatal(err)
		}
	}
	scenes, err := s.Says(ana, event.KindMessage, "I am bleeding", 0)
	if err != nil {
		t.Fatal(err)
	}
	d := &scenes[len(scenes)-1].Decision
	if texts, notices := toldBy(d); len(texts) > 0 || d.Handoff == nil || d.Handoff.To != "team" || len(notices) != 1 || !slices.Contains(d.State.Labels, "emergency") {
		t.Errorf("it says %q, tells %q: %+v", texts, notices, d)
	}
	if _, notices := toldBy(d); !strings.Contains(strings.Join(notices, ""), "(nothing was said to them: the person wants to be left alone)") {
		t.Errorf("people are told %q", notices)
	}
	decided(t, scenes, decision.Acted, "bleeds", "the person wants to be left alone")
}

// What a rule ignores is never what another one must hear.
func TestAlwaysGoesBeforeIgnore(t *testing.T) {
	t.Parallel()
	s := play(t, "defaults: { merge_messages: 5s }\nrules:\n"+rule("polite", "    when: message\n    if: { text: { only: [ok, bleeding] } }\n    then: [ignore]\n")+rule("bleeds", advice))
	ana := s.Guest("ana")
	for _, row := range [][]string{{"bleeding"}, {"ok", "bleeding"}} {
		for _, text := range row {
			if _, err := s.Says(ana, event.KindMessage, text, 0); err != nil {
				t.Fatal(err)
			}
		}
		scenes, err := pass(s.Rehearsal, 13*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		decided(t, scenes, decision.Answered, "bleeds", "")
	}
}

// One that only tells people takes nobody's answer, also when its limit is used up.
func TestAlwaysThatOnlyTells(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("bleeds", bleeds+"    then: [{ notify: { who: team } }]\n"+per)+
		rule("price", "    when: message\n    if: { text: { any_word: [price] } }\n    then: [{ reply: \"It is 12.\" }]\n    limits: { per_person: 9 per 1h }\n")+
		rule("otherwise", "    when: no_match\n    then: [{ list: unanswered }]\n"))
	ana := s.Guest("ana")
	for _, c := range []struct{ says, answer, listed string }{
		{"bleeding, and what is the price?", "It is 12.", ""}, {"still bleeding, and the price?", "It is 12.", ""}, {"bleeding", "", "bleeding"},
	} {
		scenes, err := s.Says(ana, event.KindMessage, c.says, 0)
		if err != nil {
			t.Fatal(err)
		}
		d := &scenes[len(scenes)-1].Decision
		texts, notices := toldBy(d)
		var listed string
		for _, e := range d.Entries {
			listed += e.Text
		}
		if strings.Join(texts, "") != c.answer || len(notices) != 1 || listed != c.listed {
			t.Errorf("to %q it says %q, tells %q, lists %q: %s by %s", c.says, texts, notices, listed, d.Outcome, d.Rule)
		}
	}
}
