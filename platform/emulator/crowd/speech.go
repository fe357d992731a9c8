package crowd

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is the length of the longest texts that people write, in runes. It leaves a bot that
// repeats them some room below the limit of the platform.
const longest = 2900

// speaker is how one person of a crowd writes.
type speaker struct {
	seed   uint64
	person int // number in the crowd
	tongue tongue
	mood   mood
}

func (s speaker) diceFor(n int, purpose uint64) *dice {
	return newDice(s.seed, s.person, n, purpose)
}

// line returns what the speaker writes as message n, counted from 0.
func (s speaker) line(n int) string {
	d := s.diceFor(n, forWords)
	if n > 0 && d.hasChance(s.oftenFor(clumsy, 5, 15)) {
		return s.line(n - 1) // said twice
	}
	book := &phrasebook[s.tongue]
	from := book.small
	switch kind := d.numberBelow(100); {
	case kind < 40:
		from = book.ask
	case kind < 52:
		from = book.answer
	case kind < s.oftenFor(clumsy, 58, 70):
		from = book.puzzled
	}
	return s.decorate(d, fill(d, pickOne(d, from)))
}

// responseText returns what the speaker writes as message n when it answers a question.
func (s speaker) responseText(n int) string {
	d := s.diceFor(n, forWords)
	book := &phrasebook[s.tongue]
	from := book.answer
	if d.hasChance(s.oftenFor(clumsy, 20, 50)) {
		from = book.puzzled
	}
	return fill(d, pickOne(d, from))
}

// publicText returns what the speaker writes about the account in a post.
func (s speaker) publicText(d *dice) string {
	return fill(d, pickOne(d, phrasebook[s.tongue].mention))
}

// oftenFor returns more for a speaker of that mood, and usual for the others.
func (s speaker) oftenFor(m mood, usual, more int) int {
	if s.mood == m {
		return more
	}
	return usual
}

// decorate makes a phrase longer, or puts something around it, now and then.
func (s speaker) decorate(d *dice, text string) string {
	if d.hasChance(s.oftenFor(longwinded, 1, 6)) {
		text = s.ramble(d, text)
	}
	if d.hasChance(12) {
		text += " " + pickOne(d, emoji[:])
	}
	if d.hasChance(4) {
		text = fmt.Sprintf(pickOne(d, marks[:]), text)
	}
	if d.hasChance(s.oftenFor(clumsy, 2, 8)) {
		text = fmt.Sprintf(pickOne(d, gaps[:]), text)
	}
	return text
}

// ramble goes on from text for hundreds or thousands of runes.
func (s speaker) ramble(d *dice, text string) string {
	const room = 40 // for what is put around it
	book := &phrasebook[s.tongue]
	length := 200 + d.numberBelow(longest-200-room)
	var b strings.Builder
	b.WriteString(text)
	for n := utf8.RuneCountInString(text); ; {
		more := "; " + fill(d, pickOne(d, book.small)) + ", " + fill(d, pickOne(d, book.ask))
		if n += utf8.RuneCountInString(more); n > length {
			return b.String()
		}
		b.WriteString(more)
	}
}

// fill puts a number where a phrase has a place for one.
func fill(d *dice, phrase string) string {
	if !strings.Contains(phrase, "%d") {
		return phrase
	}
	return fmt.Sprintf(phrase, 2+d.numberBelow(19))
}

// asksQuestion reports whether a text holds a question.
func asksQuestion(text string) bool { return strings.ContainsAny(text, "?？؟") }
