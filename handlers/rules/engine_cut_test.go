package rules_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// Two questions in one message are both answered, in one message, like two messages in a row.
func TestTwoQuestionsInOneMessage(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+asks("hours", "")+asks("price", "")+asks("parking", ""))
	s.Explain = true
	scenes := s.writes("message about hours\n\nabout price", "Hi there! Your hours? And the price, please? Thank you!")
	d := &scenes[len(scenes)-1].Decision
	if want := "message:1 led to hours, message:1 led to price"; d.Reason != want || d.Outcome != decision.Answered {
		t.Errorf("%s: %q, want %q", d.Outcome, d.Reason, want)
	}
	s.writes("message about parking", "hours? parking?") // each rule's limit counts, and holds back its own part alone
	s.who = "leo"
	s.writes("message about hours\n\nabout price", "hours\nprice")
	s.who = "mia"
	s.writes("message about hours\n\nabout price", "the price and when are your hours")
	s.who = "kim"
	s.writes("message about hours", "hours and price")    // nothing says that these are two questions
	s.writes("message about price", "parking is price")   // the first rule in the file answers
	s.writes("message about parking", "where is parking") //
	s.who = "bo"
	s.writes("unmatched", "The price? Your hours? I want a refund.") // none_word looks at all of it
	s.who = "al"
	s.writes("message about hours", "Is the price list new? I wait for hours. Is it?") // no rule is for "Is it?"
	s.who = "mo"
	s.does(event.KindMention, "hours? price?", "unmatched")
}

// In a row of messages each of them may have several questions.
func TestQuestionsInARow(t *testing.T) {
	t.Parallel()
	s := play(t, burst+asks("hours", "")+asks("price", "")+asks("parking", ""))
	s.writes("message about hours\n\nabout price\n\nabout parking", "hi", "hours? price?", "parking?")
	s.who = "leo"
	s.writes("message about hours\n\nabout price", "hours? price?")
}

// What gives the conversation to a team stands alone.
func TestHandoffAloneInOneMessage(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+asks("hours", "")+
		rule("human", "    when: message\n    if: { text: { any_word: human } }\n    then:\n      - handoff: { to: sales, say_open: A moment., note: wants a human }\n"+per))
	s.writes("message A moment.; tell sales: wants a human", "Your hours? Is there a human?")
	if g := s.Guest("ana"); g.State.Owner != "sales" {
		t.Errorf("%q has it", g.State.Owner)
	}
}

// Where rules may answer between steps, a message may have the answer to the step and a question of theirs.
func TestAnswerAndQuestionInOneMessage(t *testing.T) {
	t.Parallel()
	file := func(faq string) string {
		return "rules:\n" + asks("price", "") + "conversations:\n  - id: booking\n    start: { when: message, if: { text: { any_word: book } } }\n" + faq +
			"    limits: { per_person: 1 per 1d }\n    if_silent: [{ after: 24h, goto: done }]\n    steps:\n" +
			"      - { id: day, ask: Which day?, expect: date, save_as: day, next: guests }\n" +
			"      - { id: guests, ask: How many?, expect: number, save_as: guests, next: done }\n" +
			"      - { id: done, say: \"{{guests|none}} on {{day|none}}.\", end: booked }\n"
	}
	s := play(t, file("    answer_faq_between: true\n"))
	s.says("book", "message Which day?")
	s.says("14 June. What is the price?", "message about price\n\nHow many?")
	s.says("80 people. 2 of them are vegan", "message How many?") // two numbers: as one text it is no answer
	s.says("80", "message 80 on Monday 14 June.")
	s = play(t, file(""))
	s.says("book", "message Which day?")
	s.says("14 June. What is the price?", "message How many?")
}
