package rules_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// writes lets somebody write several texts in a row, and compares what comes of them.
func (s *stage) writes(want string, texts ...string) []rehearse.Scene {
	s.Helper()
	var all []rehearse.Scene
	for _, text := range texts {
		scenes, err := s.Says(s.Guest(s.who), event.KindMessage, text, 0)
		if err != nil {
			s.Fatal(err)
		}
		all = append(all, scenes...)
	}
	scenes, err := s.Quiesce()
	all = append(all, scenes...)
	s.expect(want, all, err)
	return all
}

// asks is a rule that looks for a word and says it; rest is what else it says of itself.
func asks(word, rest string) string {
	return rule(word, "    when: message\n    if: { text: { any_word: "+word+", none_word: refund } }\n    then:\n      - reply: about "+word+"\n      - label: "+word+"\n"+rest+per)
}

// unlabelled takes the label out of a rule.
func unlabelled(file string) string {
	return regexp.MustCompile(`(?m)^      - label: .*\n`).ReplaceAllString(file, "")
}

const burst = "defaults: { merge_messages: 6s }\nrules:\n"

// Two questions in a row are both answered, in one message, each by its own rule.
func TestTwoQuestions(t *testing.T) {
	t.Parallel()
	s := play(t, burst+asks("hours", "")+asks("price", "")+asks("parking", ""))
	s.Explain = true
	scenes := s.writes("message about hours\n\nabout price", "hi", "the hours?", "and the price?")
	d := &scenes[len(scenes)-1].Decision
	want := []decision.Led{{Event: event.ID{Source: event.Messages, Number: 3}, Rule: "hours"}, {Event: event.ID{Source: event.Messages, Number: 5}, Rule: "price"}}
	if diff := cmp.Diff(want, d.Led); diff != "" {
		t.Errorf("which text led to which rule (-want +got)\n%s", diff)
	}
	if want := "message:3 led to hours, message:5 led to price"; d.Reason != want || d.Rule != "hours" || d.Outcome != decision.Answered {
		t.Errorf("%s by %s: %q, want %q", d.Outcome, d.Rule, d.Reason, want)
	}
	limits := map[string]bool{}
	for _, c := range d.LimitUses {
		limits[c.Limit] = c.GiveBack
	}
	if diff := cmp.Diff(map[string]bool{"rules/hours/per_person": true, "rules/price/per_person": true}, limits); diff != "" {
		t.Errorf("uses, and whether they are given back (-want +got)\n%s", diff)
	}
	s.who = "leo"
	s.writes("message about hours\n\nabout price\n\nabout parking", "parking?", "the price?", "and your hours?")
	s.who = "mia"
	s.writes("message about hours", "the price and the hours?", "hello?")
	s.writes("held back", "hours?", "hours??")
	s.writes("message about parking", "hours?", "parking?")
}

// A text that has part in why a rule matched leads to no other one.
func TestPartsOfOneQuestion(t *testing.T) {
	t.Parallel()
	s := play(t, burst+
		rule("box", "    when: message\n    if: { text: { any_phrase: price of the box } }\n    then:\n      - reply: the box\n"+per)+
		rule("both", "    when: message\n    if:\n      - text: { any_word: lunch }\n      - text: { any_word: sunday }\n    then:\n      - reply: lunch on sunday\n"+per)+
		asks("price", "")+asks("sunday", ""))
	s.writes("message the box", "hello", "the price", "of the box")
	s.writes("message about price", "price", "hello")
	s.who = "leo"
	s.writes("message lunch on sunday\n\nabout price", "do you have lunch", "on sunday", "at what price")
	s.who = "mia"
	s.writes("message the box\n\nabout sunday", "price of", "the box", "on sunday?")
}

// What must not be said is looked for in the whole burst; a rule that looks for nothing answers no single text.
func TestBurstAsAWhole(t *testing.T) {
	t.Parallel()
	s := play(t, burst+asks("hours", "")+
		rule("price", "    when: message\n    if: { text: { any_word: price } }\n    then:\n      - reply: twelve\n"+per)+
		rule("angry", "    when: message\n    if: { text: { any_word: refund } }\n    then:\n      - label: angry\n")+
		rule("any", "    when: message\n    if: { conversation: { first_message: false } }\n    then:\n      - reply: anything else?\n"+per))
	s.writes("acted", "your hours?", "I want a refund")
	s.writes("message twelve", "the price?", "your hours?", "I want a refund")
	s.who = "leo"
	s.writes("message about hours\n\ntwelve", "hm", "hours", "price")
	s.writes("message anything else?", "hm", "well")
}

// What gives the conversation to a team stands alone, wherever it is written.
func TestHandoffAlone(t *testing.T) {
	t.Parallel()
	human := rule("human", "    when: message\n    if: { text: { any_word: human } }\n    then:\n      - handoff: { to: sales, say_open: A moment., note: wants a human }\n"+per)
	for name, files := range map[string]string{"first": human + asks("hours", "") + asks("price", ""), "last": asks("hours", "") + asks("price", "") + human} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, burst+files)
			s.writes("message A moment.; tell sales: wants a human", "hours?", "price?", "a human please")
			g := s.Guest("ana")
			if g.State.Owner != "sales" || !slices.Equal(g.State.Labels, []string{"hours", "price"}) {
				t.Errorf("%s has it, with %q", g.State.Owner, g.State.Labels)
			}
			giveBack(g)
			s.writes("message about hours", "a human?", "hours?") // held back by its limit
		})
	}
}

// The stricter status holds for the message that answers both, and both limits count when it is approved.
func TestJoinedStatus(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]string{
		"live, ask": asks("hours", "") + unlabelled(asks("price", "    status: ask\n")),
		"ask, live": unlabelled(asks("hours", "    status: ask\n")) + asks("price", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, burst+files+rule("none", "    when: message\n    then:\n      - notify: { who: team, if_waiting: 30m, text: waits }\n"))
			s.Holds = true
			scenes := s.writes("message about hours\n\nabout price (ask)", "hours?", "price?")
			d := &scenes[len(scenes)-1].Decision
			if n := len(d.Actions[0].LimitUses); len(d.LimitUses) > 0 || n != 2 {
				t.Errorf("%d uses at once, and %d with the approval", len(d.LimitUses), n)
			}
			s.waits(31*time.Minute, "tell team: waits") // it has answered nobody
			s.held(1, s.Rule(s.Guest("ana"), true))
			s.writes("held back", "hours?")
			s.writes("held back", "price?")
		})
	}
	s := play(t, burst+asks("hours", "    status: watch\n")+asks("price", "    status: watch\n")+asks("parking", ""))
	s.writes("message about hours\n\nabout price (watch); message about parking", "parking?", "hours?", "price?")
}

// What is longer than the platform takes becomes two messages; what stands behind a wait is one of its own.
func TestTwoMessages(t *testing.T) {
	t.Parallel()
	long := func(word string) string {
		return rule(word, "    when: message\n    if: { text: { any_word: "+word+" } }\n    then:\n      - reply: "+strings.Repeat(word[:1], bot.MaxMessage/2)+"\n"+per)
	}
	s := play(t, burst+long("hours")+long("price")+asks("parking", ""))
	s.writes("message "+strings.Repeat("h", bot.MaxMessage/2)+"; message "+strings.Repeat("p", bot.MaxMessage/2)+"\n\nabout parking", "hours?", "price?", "parking?")
	s = play(t, burst+asks("hours", "")+rule("later", "    when: message\n    if: { text: { any_word: later } }\n    then:\n      - wait: 1h\n      - message: later\n"+per))
	s.writes("message about hours; message later in 1h0m0s", "hours?", "later")
}

// Mentions come one by one.
func TestMentionsAreNoBurst(t *testing.T) {
	t.Parallel()
	s := play(t, burst+strings.ReplaceAll(asks("hours", "")+asks("price", ""), "when: message", "when: mention"))
	s.does(event.KindMention, "hours?\nprice?", "post about hours")
	s.does(event.KindMention, "price?", "post about price")
}

const catering = "conversations:\n  - id: booking\n    start: { when: message, if: { text: { any_word: book } } }\n" +
	"    limits: { per_person: 1 per 1d }\n    answer_faq_between: true\n    merge_messages: 6s\n    if_silent: [{ after: 24h, goto: done }]\n" +
	"    at_any_step:\n      - { if: { text: { any_word: restart } }, goto: day }\n      - { if: { text: { any_word: human } }, goto: person }\n    steps:\n" +
	"      - id: day\n        ask: Which day?\n        expect: date\n        save_as: day\n" +
	"        if_wrong: { say: A day please., times: 2, then_goto: person }\n        next: mail\n" +
	"      - id: mail\n        ask: \"{{day}}, and your mail?\"\n        expect: email\n        save_as: mail\n        private: true\n        next: why\n" +
	"      - id: why\n        ask: What for?\n        expect: text\n        next: done\n" +
	"      - id: done\n        say: Booked.\n        end: booked\n" +
	"      - id: person\n        handoff: { to: sales, say_open: A moment. }\n        end: handed\n"

// A question in the same burst as the answer to a step is answered, before the next question.
func TestQuestionBesideAnAnswer(t *testing.T) {
	t.Parallel()
	s := play(t, burst+asks("hours", "")+asks("price", "")+catering)
	s.writes("message about hours\n\nWhich day?", "I would like to book", "your hours?")
	scenes := s.writes("message about price\n\nSunday 14 March, and your mail?", "14 March", "and the price?")
	d := &scenes[len(scenes)-1].Decision
	if want := " led to booking, "; !strings.Contains(d.Reason, want) || d.Rule != "booking" {
		t.Errorf("by %s: %q, want %q", d.Rule, d.Reason, want)
	}
	s.writes("message Which day?", "restart") // a text alone is as before
	s.writes("message Sunday 14 March, and your mail?", "14", "March")
	scenes = s.writes("message What for?", "ana@example.org", "hello?")
	if d := &scenes[len(scenes)-1].Decision; len(d.Masks) != 2 {
		t.Errorf("hidden are %v", d.Masks)
	}
	s.writes("message Booked.", "the price of the hours", "my hours") // it takes everything
	s.who = "leo"
	s.writes("message Which day?", "book")
	s.writes("message about hours\n\nWhich day?", "hm", "your hours?")
	s.writes("message about price\n\nWhich day?", "restart", "price?")
	s.writes("message A moment.; tell sales: message from @leo: a human\nyour hours?", "a human", "your hours?")
	s.who = "mia"
	s.writes("message Which day?", "book")
	s.writes("message Saturday 13 March, and your mail?", "13 March", "and a refund of the price!")
	s.who = "eva"
	s.writes("message Which day?", "book")
	s.writes("message about price\n\nSaturday 13 March, and your mail?", "13 March", "the price?") // as one text it is no date
}

// A team that is asked for beside the answer to a step stands alone.
func TestHandoffBesideAnAnswer(t *testing.T) {
	t.Parallel()
	s := play(t, burst+asks("hours", "")+rule("boss", "    when: message\n    if: { text: { any_word: boss } }\n    then:\n      - handoff: { to: sales, say_open: A moment., note: the boss }\n"+per)+catering)
	s.writes("message Which day?", "book")
	s.writes("message A moment.; tell sales: the boss", "14 March", "hours?", "the boss")
	if g := s.Guest("ana"); g.State.Owner != "sales" || g.State.Flow.Active() {
		t.Errorf("%s has it, at %q", g.State.Owner, g.State.Flow.State)
	}
}

// The question that a person has to approve is the one that is asked in the message that answers both.
func TestJoinedQuestionWaits(t *testing.T) {
	t.Parallel()
	s := play(t, burst+unlabelled(asks("hours", "    status: ask\n"))+catering)
	s.Holds = true
	s.writes("message about hours\n\nWhich day? (ask)", "book", "hours?")
	s.writes("held back", "14 March")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.writes("message Sunday 14 March, and your mail?", "14 March")
}

// Of two conversations that a burst would begin, one begins.
func TestTwoConversations(t *testing.T) {
	t.Parallel()
	other := strings.TrimPrefix(strings.NewReplacer("id: booking", "id: other", "word: book ", "word: table ", "Which day?", "Which table?").Replace(catering), "conversations:\n")
	s := play(t, burst+asks("hours", "")+catering+other)
	s.writes("message about hours\n\nWhich day?", "book", "a table", "hours?")
	if at := s.Guest("ana").State.Flow.Flow; at != "rules.booking" {
		t.Errorf("it stands in %s", at)
	}
}

// A flood is answered as one text.
func TestFloodOfTexts(t *testing.T) {
	t.Parallel()
	s := play(t, burst+asks("hours", "")+asks("price", ""))
	var texts []string
	for i := range 51 {
		texts = append(texts, fmt.Sprint("hours ", i), "price")
	}
	s.writes("message about hours", texts...)
}
