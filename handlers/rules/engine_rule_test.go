package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// decided checks what came of the last thing that happened: the outcome, the rule, and what the reason says.
func decided(t *testing.T, scenes []rehearse.Scene, outcome decision.Outcome, rule, reason string) {
	t.Helper()
	d := &scenes[len(scenes)-1].Decision
	if d.Outcome != outcome || d.Rule != rule || !strings.Contains(d.Reason, reason) {
		t.Errorf("%s by %q: %q; want %s by %q: …%q…", d.Outcome, d.Rule, d.Reason, outcome, rule, reason)
	}
}

// Where nothing is said, the first rule that did something is the one that decided.
func TestFirstThatActed(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]string{
		"label": "label: fan", "like": "like: the_post", "follow": "follow: them", "list": "list: fans",
		"notify": "notify: { who: team }", "wait": "notify: { who: team, if_waiting: 1h }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, "rules:\n"+rule("not-this", "    when: mention\n    if: { text: { any_word: other } }\n    then: [{ label: x }]\n")+
				rule("first", "    when: mention\n    then: [{ "+act+" }]\n")+rule("second", "    when: mention\n    then: [{ label: second }]\n"))
			scenes, err := s.Says(s.Guest("ana"), event.KindMention, "look", 7)
			if err != nil {
				t.Fatal(err)
			}
			decided(t, scenes, decision.Acted, "first", "")
		})
	}
	t.Run("an answer goes before", func(t *testing.T) {
		t.Parallel()
		s := play(t, "rules:\n"+rule("first", "    when: message\n    then: [{ label: x }]\n")+rule("hello", "    when: message\n    then: [{ reply: hello }]\n"+per))
		scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "hi", 0)
		if err != nil {
			t.Fatal(err)
		}
		decided(t, scenes, decision.Answered, "hello", "")
	})
}

// A rule that says nothing and is held back is named, with what holds it back.
func TestHeldBackWithoutAnswer(t *testing.T) {
	t.Parallel()
	const likes = "    when: mention\n    then: [{ like: the_post }]\n"
	const limited = "likes matched, and is held back: the limit likes/per_person (1 per 12h) is used up"
	for name, c := range map[string]struct{ file, rule, reason string }{
		"limit":            {rule("likes", likes+per), "likes", limited},
		"pause":            {rule("likes", likes+"    if_too_many: { more_than: 1 in 1h, then: pause_and_notify, who: team }\n"), "likes", "it fired more than 1 times in 1h, and stops itself"},
		"another on watch": {rule("likes", likes+per) + rule("new", "    status: watch\n    when: mention\n    then: [{ label: x }]\n"), "likes", limited + "; on watch: new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, "rules:\n"+c.file)
			var scenes []rehearse.Scene
			for range 2 {
				var err error
				if scenes, err = s.Says(s.Guest("ana"), event.KindMention, "look", 7); err != nil {
					t.Fatal(err)
				}
			}
			decided(t, scenes, decision.HeldBack, c.rule, c.reason)
		})
	}
}

// What another rule did goes before what was held back.
func TestActedBesideHeldBack(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("likes", "    when: mention\n    then: [{ like: the_post }]\n"+per)+rule("labels", "    when: mention\n    then: [{ label: x }]\n"))
	for _, want := range []string{"likes", "labels"} {
		scenes, err := s.Says(s.Guest("ana"), event.KindMention, "look", 7)
		if err != nil {
			t.Fatal(err)
		}
		decided(t, scenes, decision.Acted, want, "")
	}
}

// A turn that was recorded when rules which say nothing were not named is explained without an alarm.
func TestExplainOlder(t *testing.T) {
	t.Parallel()
	v := play(t, "rules:\n"+rule("likes", "    when: mention\n    then: [{ like: the_post }]\n"+per)).of
	r := day(t, v, func(s *streets) {
		s.does("ana", event.KindMention, "look", 7)
		s.pass(time.Minute)
		s.does("ana", event.KindMention, "look", 7)
	})
	for i, outcome := range []decision.Outcome{decision.Acted, decision.Unmatched} {
		rec := &r.turns[i].Event.Record
		rec.Rule, rec.Outcome = "", string(outcome)
		x, ok, err := replay.Explain(v, &r.turns[i])
		if err != nil || !ok || len(x.Differs) > 0 || x.Decision.Rule != "likes" {
			t.Errorf("%v %v: by %s, differs %v", ok, err, x.Decision.Rule, x.Differs)
		}
	}
}

// What a stranger calls herself is not said in a reply when it is no name; the fallback is.
func TestNamesOfPeople(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Ana Lima":              "Hi Ana, Ana Lima, ana!",
		"evil.example Lima":     "Hi there, you, ana!",
		"Ana https://evil":      "Hi Ana, you, ana!",
		"@everybody":            "Hi there, you, ana!",
		"#win":                  "Hi there, you, ana!",
		"\u202eanA":             "Hi there, you, ana!",
		"A\u009bna":             "Hi there, you, ana!",
		strings.Repeat("a", 31): "Hi there, you, ana!",
	} {
		s := play(t, "rules:\n"+rule("hello", "    when: mention\n    then: [{ reply: \"Hi {{first_name|there}}, {{name|you}}, {{user_name|somebody}}!\" }]\n"+per))
		ana := s.Guest("ana")
		ana.State.Name = name
		scenes, err := s.Says(ana, event.KindMention, "look", 7)
		if err != nil {
			t.Fatal(err)
		}
		if said := scenes[len(scenes)-1].Decision.Actions; len(said) != 1 || said[0].Text != want {
			t.Errorf("%q: %+v, want %q", name, said, want)
		}
	}
}
