package rules_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// What a rule ignores is answered by nothing and told nobody: that message alone, on ask as when live, and never in place of a step or an earlier rule.
func TestIgnore(t *testing.T) {
	t.Parallel()
	const ignore = "    when: message\n    if: { text: { only: [ok, thanks, thank you, emoji] } }\n    then: [ignore, { label: polite }]\n"
	const price = "    when: message\n    if: { text: { any_word: [price] } }\n    then: [{ reply: \"It is 12.\" }]\n" + per
	const open = "    when: message\n    if: { text: { any_word: [open] } }\n    then: [{ reply: \"Until six.\" }]\n" + per
	all := rule("all", "    when: message\n    then: [{ reply: \"We are closed.\" }, { list: unanswered }, { notify: { who: team } }, { label: late }]\n"+per)
	const otherwise = "    when: no_match\n    then: [{ list: unanswered }, { notify: { who: team } }]\n"
	const talk = "conversations:\n  - id: order\n    start: { when: message, if: { text: { any_word: [order] } } }\n    steps:\n" +
		"      - id: what\n        ask: \"What would you like?\"\n        expect: text\n        save_as: what\n        next: end\n      - id: end\n        say: \"{{what|nothing}}: noted.\"\n        end: done\n" + "    if_silent: [{ after: 24h, goto: end }]\n    limits: { per_person: 9 per 1h }\n"
	for name, c := range map[string]struct {
		status, rules string
		below         string
		said          []string
		outcome       decision.Outcome
		rule, answer  string
		listed        []string
	}{
		"alone":                   {said: []string{"ok, thank you!! 🙏"}, outcome: decision.Ignored, rule: "polite"},
		"a lone emoji":            {said: []string{"👍🏽"}, outcome: decision.Ignored, rule: "polite"},
		"with another word":       {said: []string{"ok, but when?"}, outcome: decision.Acted, rule: "otherwise", listed: []string{"ok, but when?"}},
		"behind a question":       {said: []string{"what is the price?", "thanks"}, outcome: decision.Answered, rule: "price", answer: "It is 12."},
		"before a question":       {said: []string{"👍", "what is the price?"}, outcome: decision.Answered, rule: "price", answer: "It is 12."},
		"beside an unknown":       {said: []string{"thanks", "do you have cats?", "ok"}, outcome: decision.Acted, rule: "otherwise", listed: []string{"do you have cats?"}},
		"all of a row":            {said: []string{"ok", "thank you", "👍"}, outcome: decision.Ignored, rule: "polite"},
		"an earlier rule":         {rules: rule("thanks", "    when: message\n    if: { text: { any_word: [thanks] } }\n    then: [{ reply: welcome }]\n"+per), said: []string{"ok", "thanks"}, outcome: decision.Answered, rule: "thanks", answer: "welcome"},
		"two questions around":    {said: []string{"price?", "ok", "open?"}, outcome: decision.Answered, rule: "price", answer: "It is 12.\n\nUntil six."},
		"a rule below for all":    {below: all, said: []string{"ok, thank you!! 🙏"}, outcome: decision.Ignored, rule: "polite"},
		"a row, and a rule below": {below: all, said: []string{"ok", "thanks"}, outcome: decision.Ignored, rule: "polite"},
		"on ask":                  {status: "    status: ask\n", said: []string{"ok thanks"}, outcome: decision.Ignored, rule: "polite"},
		"on watch":                {status: "    status: watch\n", said: []string{"ok thanks"}, outcome: decision.Acted, rule: "otherwise", listed: []string{"ok thanks"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, "defaults: { merge_messages: 10s }\nrules:\n"+c.rules+rule("polite", c.status+ignore)+rule("price", price)+rule("open", open)+c.below+rule("otherwise", otherwise))
			ana := s.Guest("ana")
			for _, said := range c.said {
				if _, err := s.Says(ana, event.KindMessage, said, 0); err != nil {
					t.Fatal(err)
				}
			}
			scenes, err := pass(s.Rehearsal, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			decided(t, scenes, c.outcome, c.rule, "")
			d := scenes[len(scenes)-1].Decision
			var answer string
			var listed []string
			for _, a := range d.Actions {
				answer += a.Text
			}
			for _, e := range d.Entries {
				listed = append(listed, e.Text)
			}
			if answer != c.answer || !slices.Equal(listed, c.listed) {
				t.Errorf("it says %q, and lists %q", answer, listed)
			}
			if is := slices.Contains(d.State.Labels, "polite"); is != (c.outcome == decision.Ignored || len(c.said) > 1) {
				t.Errorf("the labels are %v", d.State.Labels)
			}
			if c.outcome == decision.Ignored && len(d.Notices)+len(d.Bundles)+len(d.Actions) > 0 {
				t.Errorf("%+v", d)
			}
		})
	}
	t.Run("an answer to a step", func(t *testing.T) {
		t.Parallel()
		s := play(t, "rules:\n"+rule("polite", ignore)+talk)
		ana := s.Guest("ana")
		for _, said := range []string{"an order, please", "ok"} {
			if _, err := s.Says(ana, event.KindMessage, said, 0); err != nil {
				t.Fatal(err)
			}
		}
		scenes, err := s.Says(ana, event.KindMessage, "thanks", 0)
		if err != nil {
			t.Fatal(err)
		}
		decided(t, scenes, decision.Ignored, "polite", "")
	})
}
