package rules_test

import (
	"testing"
)

// What stood before a stop word in a row is listed, and never answered.
func TestStopBehindAQuestion(t *testing.T) {
	t.Parallel()
	s := play(t, burst+asks("price", ""))
	s.writes("message We will send no more automatic messages. Write START to get them again.; list unanswered: what is the price?\nhello?",
		"what is the price?", "hello?", "STOP")
	s.says("stop", "left alone")
	s.who = "leo"
	s.writes("message We will send no more automatic messages. Write START to get them again.", "stop")
	s = play(t, burst+asks("price", "    status: watch\n"))
	s.writes("message We will send no more automatic messages. Write START to get them again. (watch)", "what is the price?", "stop")
}

// A choice that the step names itself goes before the stop word; everything else asks for silence there, too.
func TestStopWordAsAChoice(t *testing.T) {
	t.Parallel()
	const file = "conversations:\n  - id: box\n    start: { when: message, if: { text: { any_word: box } } }\n" +
		"    limits: { per_person: 9 per 1d }\n    if_silent: [{ after: 24h, goto: done }]\n    steps:\n" +
		"      - { id: keep, ask: Keep it or stop it?, expect: { choices: { keep: [keep it], end: [stop, stop it] } }, next: { keep: done, end: over } }\n" +
		"      - { id: done, say: Kept., end: kept }\n      - { id: over, say: Ended., end: over }\n"
	for said, want := range map[string]string{
		"stop":                 "message Ended.",
		"Stop it please!":      "message Ended.",
		"keep it":              "message Kept.",
		"stop sending me this": "message We will send no more automatic messages. Write START to get them again.",
	} {
		s := play(t, file)
		s.says("a box", "message Keep it or stop it?")
		s.says(said, want)
	}
	s := play(t, file)
	s.says("stop", "message We will send no more automatic messages. Write START to get them again.")
	s = play(t, file)
	s.says("a box", "message Keep it or stop it?")
	s.Guest("ana").State.Owner = "sales" // who have not written: the bot asked, and a person of ours hears it
	s.says("stop", "owned")
	if s.Guest("ana").State.Silence.Since.IsZero() {
		t.Error("she is not left alone")
	}
}
