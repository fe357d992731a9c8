package rules_test

import (
	"strings"
	"testing"
)

const guestsAsked = `conversations:
  - id: table
    start: { when: message, if: { text: { any_word: table } } }
    limits: { per_person: 1 per 1d }
    if_silent: [{ after: 24h, goto: small }]
    steps:
      - id: guests
        ask: "How many guests?"
        expect: KIND
        save_as: guests
        next: name
      - id: name
        ask: "Your name?"
        expect: text
        next: [{ if: { guests: under 30 }, goto: small }, { goto: large }]
      - id: small
        say: "A table is yours."
        end: small
      - id: large
        say: "We call you about the room."
        end: large
`

// What was said as a text is no number under thirty, once an edit has made the question one for a number.
func TestTextIsNoNumberAfterAnEdit(t *testing.T) {
	t.Parallel()
	const small, large = "message A table is yours.", "message We call you about the room."
	tests := []struct{ name, before, said, want string }{
		{"a text", "text", "eighty or more of us", large},
		{"a choice", "{ choices: { few: [few], none: [many] } }", "few", large},
		{"a number, as a text", "text", "12", large},
		{"a number", "number", "twelve", small},
		{"a number of a range", "{ number: 1..400 }", "12 people", small},
		{"a fraction", "number", "2.50", small},
		{"more", "number", "80", large},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before, is := test.before, "guests: [none]"
			if strings.Contains(before, "number") {
				is = "guests: under 3"
			}
			s := play(t, strings.NewReplacer("KIND", before, "guests: under 30", is).Replace(guestsAsked))
			s.says("a table", "message How many guests?")
			s.says(test.said, "message Your name?")
			s.Use(play(t, strings.Replace(guestsAsked, "KIND", "number", 1)).of)
			s.says("Ana", test.want)
		})
	}
}
