package checker

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// checkTakes checks what a conversation takes from the message that begins it.
func (c *checker) checkTakes(conv *grammar.Conversation) {
	taken := false
	for i := range conv.Steps {
		s := &conv.Steps[i]
		if s.Expect == nil {
			continue
		}
		for _, kind := range s.Expect.Kinds {
			taken = taken || conv.TakesAnswer(s, kind)
			for j := range i {
				if first := &conv.Steps[j]; kind != grammar.ExpectChoices && first.Expect != nil && slices.Contains(first.Expect.Kinds, kind) && conv.SharesAnswer(first, s, kind) {
					c.noteHint(s.At, "take_from_start: %s and %s both ask for a %s, so neither takes one from the first message: nobody knows whose it is", first.ID, s.ID, kind)
				}
			}
		}
	}
	whens := conv.Start.When
	switch {
	case !taken:
		c.add(conv.At, "take_from_start takes nothing here: there is no step that asks for date, time, email, phone, number or choices, keeps it in save_as and is not private")
	case len(whens) > 0 && !slices.ContainsFunc(whens, func(w grammar.When) bool { return !isSilent(w) }):
		c.add(conv.At, "take_from_start: a %s says nothing from which something could be taken", whens[0])
	}
}
