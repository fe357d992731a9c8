package rules_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// order asks for something of each kind whose answer is said in other words than it is kept.
const order = "conversations:\n  - id: order\n    start: { when: message, if: { text: { any_word: order } } }\n" +
	"    limits: { per_person: 9 per 1d }\n    if_silent: [{ after: 3h, reply: Still there? }, { after: 1d, goto: done }]\n    steps:\n" +
	"      - { id: what, ask: What?, expect: { choices: { cake: [cake, tart], bread: [bread, loaf] } }, save_as: what, next: many }\n" +
	"      - { id: many, ask: \"How many? ({{what}}, {{what.said}})\", expect: number, save_as: many, next: day }\n" +
	"      - { id: day, ask: \"When? ({{many}}, {{many.said}})\", expect: date, save_as: day, next: gift }\n" +
	"      - { id: gift, ask: \"A gift? ({{day}}, {{day.said}})\", expect: yes_no, save_as: gift, next: phone }\n" +
	"      - { id: phone, ask: \"Your phone? ({{gift}}, {{gift.said}})\", expect: phone, save_as: phone, private: true, next: check }\n" +
	"      - id: check\n        say: \"{{phone}}, {{phone.said}}\"\n        next: [{ if: { what: cake }, goto: cake }, { goto: done }]\n" +
	"      - { id: cake, say: A cake., next: done }\n" +
	"      - { id: done, then: [{ save_lead: { list: orders, fields: [what, what.said, gift, phone, phone.said] } }], end: done }\n"

// What is kept of an answer is what it means, and what was said is there, too.
func TestAnswersAndWhatWasSaid(t *testing.T) {
	t.Parallel()
	s := play(t, order)
	s.says("order", "message What?")
	s.says("I would love one of your tarts... a tart!", "message How many? (cake, I would love one of your tarts... a tart!)")
	s.says("about 3 please", "message When? (3, about 3 please)")
	s.says("tomorrow or so", "message A gift? (Wednesday 3 March, tomorrow or so)")
	s.says("yeah sure", "message Your phone? (yes, yeah sure)")
	scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "600123456 after 5pm", 0)
	if err != nil {
		t.Fatal(err)
	}
	d := scenes[0].Decision
	if len(d.Actions) != 2 || d.Actions[0].Text != "600123456, 600123456 after 5pm" || !d.Actions[0].Private || d.Actions[1].Text != "A cake." {
		t.Errorf("it says %+v", d.Actions)
	}
	want := []decision.Field{
		{Name: "what", Value: "cake"},
		{Name: "what.said", Value: "I would love one of your tarts... a tart!"},
		{Name: "gift", Value: "yes"},
		{Name: "phone", Value: "600123456", Private: true},
		{Name: "phone.said", Value: "600123456 after 5pm", Private: true},
	}
	if diff := cmp.Diff(want, d.Entries[0].Fields); diff != "" {
		t.Errorf("the lead (-want +got)\n%s", diff)
	}
}

// A private answer is in no state that is shown, in whatever words.
func TestWhatWasSaidIsPrivate(t *testing.T) {
	t.Parallel()
	s := play(t, strings.Replace(order, "      - { id: cake, say: A cake., next: done }\n", "      - { id: cake, ask: Which cake?, expect: text, save_as: cake, next: done }\n", 1))
	for _, said := range []string{"order", "cake", "3", "tomorrow", "yes", "600123456 in the mornings"} {
		if _, err := s.Says(s.Guest("ana"), event.KindMessage, said, 0); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := json.Marshal(s.Guest("ana").State.Masked())
	if err != nil || strings.Contains(string(shown), "mornings") || strings.Contains(string(shown), "600123456") {
		t.Errorf("shown as %s, %v", shown, err)
	}
}

// Conversations that an earlier version has begun go on: it kept what was said in the place of the choice.
func TestAnswersOfEarlierVersions(t *testing.T) {
	t.Parallel()
	s := play(t, order)
	s.says("order", "message What?")
	s.says("tart", "message How many? (cake, tart)")
	g := s.Guest("ana")
	g.State.Flow.Data = []byte(`{"answers":{"what":{"text":"one of your tarts please","choice":"cake"}},"asked":"2027-03-02T10:00:00Z"}`)
	s.says("3", "message When? (3, 3)")
	for _, said := range []string{"tomorrow", "yes", "600123456"} {
		if _, err := s.Says(g, event.KindMessage, said, 0); err != nil {
			t.Fatal(err)
		}
	}
	s.says("order", "message What?")
	g.State.Flow.State = "many"
	g.State.Flow.Data = []byte(`{"answers":{"what":{"text":"one of your tarts please","choice":"cake"}},"asked":"2027-03-02T10:00:00Z"}`)
	s.waits(3*time.Hour, "message Still there?")
	s.says("hm", "message How many? (cake, one of your tarts please)")
}
