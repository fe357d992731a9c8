package rules_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
)

const taking = "hours: { open: [Mon-Sat 09:00-22:00] }\nconversations:\n  - id: book\n    start: { when: message, if: { text: { any_word: [book, reserve] } } }\n    limits: { per_person: 99 per 1d }\n" +
	"    take_from_start: true\n    if_silent: [{ after: 1d, goto: done }]\n    steps:\n" +
	"      - { id: where, ask: In or out?, expect: { choices: { inside: [inside, in], terrace: [terrace, outside] } }, next: { inside: day, terrace: day } }\n" +
	"      - { id: day, ask: Which day?, expect: date, open: true, save_as: day, next: time }\n" +
	"      - { id: time, ask: What time?, expect: time, open: true, save_as: time, next: people }\n" +
	"      - { id: people, ask: How many?, expect: { number: 1..20 }, save_as: people, next: name }\n" +
	"      - { id: name, ask: Your name?, expect: text, save_as: who, next: phone }\n" +
	"      - { id: phone, ask: And your phone?, expect: phone, save_as: phone, next: secret }\n" +
	"      - { id: secret, ask: And your mail?, expect: email, save_as: mail, private: true, next: sure }\n" +
	"      - { id: sure, ask: \"{{day|?}}, {{time|?}}, {{people|?}}, {{phone|?}}: right?\", expect: { choices: { correct: [right, ok], wrong: [wrong] } }, next: { correct: done, wrong: day } }\n" +
	"      - { id: done, say: Done., end: booked }\n"

// What the first message says already is not asked, and the next question tells what was understood.
func TestTakeFromStart(t *testing.T) {
	t.Parallel()
	const noted = "message I have noted: "
	for _, row := range [][2]string{
		{"I want to book", "message In or out?"},
		{"book a table inside", noted + "inside.\nWhich day?"},
		{"book in, tomorrow", noted + "inside, Wednesday 3 March.\nWhat time?"},
		{"ok book in or outside for tomorrow", noted + "Wednesday 3 March.\nIn or out?"},
		{"book inside for 4 at 7pm on Friday 12 March", noted + "inside, Friday 12 March, 19:00, 4.\nYour name?"},
		{"book inside tomorrow at 23:00 for 4", noted + "inside, Wednesday 3 March, 4.\nWhat time?"},              // closed then
		{"book inside on Sunday at 8pm", noted + "inside, 20:00.\nWhich day?"},                                    // closed that day
		{"book inside Friday or Saturday", noted + "inside.\nWhich day?"},                                         // which of them?
		{"book inside tomorrow between 7pm and 9pm", noted + "inside, Wednesday 3 March.\nWhat time?"},            // which of them?
		{"book inside tomorrow 8pm, 2 adults and 3 kids", noted + "inside, Wednesday 3 March, 20:00.\nHow many?"}, // which of them?
		{"book inside tomorrow 8pm for 400", noted + "inside, Wednesday 3 March, 20:00.\nHow many?"},              // not in the range
		{"book for 4, I am at 600 123 456", noted + "4, 600123456.\nIn or out?"},
		{"book, ana@example.org", "message In or out?"}, // private
		{"wrong number? book", "message In or out?"},    // sure is about what was answered
	} {
		s := play(t, taking)
		s.says(row[0], row[1])
	}
}

// The conversation goes on with what was taken, tells it once, and asks for it when it comes back to the step.
func TestTakenIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := play(t, taking)
	s.says("book outside for 6 tomorrow 8pm, 600 123 456", "message I have noted: terrace, Wednesday 3 March, 20:00, 6, 600123456.\nYour name?")
	s.says("Ana", "message And your mail?")
	s.says("hm", "message And your mail?")
	s.says("ana@example.org", "message Wednesday 3 March, 20:00, 6, 600123456: right?")
	s.says("wrong", "message Which day?")
	s.says("2027-03-12", "message What time?")
	s.says("9pm", "message How many?")
	if v := s.of; !engine.VersionOf(v).IsRuleText("I have noted: terrace, 20:00.\nYour name?") || engine.VersionOf(v).IsRuleText("I have eaten: terrace.\nYour name?") {
		t.Error("the bot does not know its own words")
	}
}

// What the question says itself is not told before it, and where nobody is asked any more the last word tells it.
func TestTakenIsToldOnce(t *testing.T) {
	t.Parallel()
	const brief = "language: es\nconversations:\n  - id: book\n    start: { when: [message, follow], if: { text: { none_word: [x] } } }\n    limits: { per_person: 99 per 1d }\n    take_from_start: true\n" +
		"    if_silent: [{ after: 1d, goto: done }]\n    steps:\n      - { id: day, ask: \"¿Qué día?\", expect: date, save_as: day, next: people }\n" +
		"      - { id: people, ask: \"{{day}}: ¿cuántos?\", expect: number, save_as: people, next: done }\n      - { id: done, say: \"Gracias.\", end: booked }\n"
	s := play(t, strings.Replace(brief, "{{day}}", "{{day|?}}", 1))
	s.says("mesa para mañana", "message miércoles 3 de marzo: ¿cuántos?")
	s.says("4", "message Gracias.")
	s.says("mesa para mañana, somos cuatro", "message He anotado: miércoles 3 de marzo, 4.\nGracias.")
	s.does("follow", "", "message ¿Qué día?")
}
