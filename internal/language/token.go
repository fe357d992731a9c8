package language

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/internal/language/match"
)

// token is a part of a text in which an answer is looked for: a folded word, a row of digits, or one
// other character.
type token struct {
	text string
	kind tokenKind
	gap  bool // a space stands before it
}

type tokenKind uint8

const (
	wordToken tokenKind = iota
	digitToken
	otherToken
)

// tokens are the parts of a text.
type tokens []token

// tokenizeText cuts a text. Hyphens and apostrophes between letters count as spaces.
func tokenizeText(text string) tokens {
	s := match.Read(text).Folded()
	t := make(tokens, 0, len(s)/4+2)
	gap := false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		from := i
		i += size
		switch {
		case r == ' ':
			gap = true
			continue
		case '0' <= r && r <= '9':
			for i < len(s) && '0' <= s[i] && s[i] <= '9' {
				i++
			}
			t = append(t, token{s[from:i], digitToken, gap})
		case match.IsInWord(r):
			for i < len(s) {
				next, size := utf8.DecodeRuneInString(s[i:])
				if !match.IsInWord(next) {
					break
				}
				i += size
			}
			t = append(t, token{s[from:i], wordToken, gap})
		case joins(r) && from > 0 && i < len(s) && !gap && match.IsLetterAt(s, i) && match.EndsInLetter(s[:from]):
			gap = true
			continue
		default:
			t = append(t, token{s[from:i], otherToken, gap})
		}
		gap = false
	}
	return t
}

func joins(r rune) bool { return r == '-' || r == '\'' || r == '‐' || r == '‑' }

// wordAt returns the word at i, "" when there is none.
func (t tokens) wordAt(i int) string {
	if i < 0 || i >= len(t) || t[i].kind != wordToken {
		return ""
	}
	return t[i].text
}

// hasWords reports whether the words of a phrase, one space between them, stand at i.
func (t tokens) hasWords(i int, phrase string) bool {
	for phrase != "" {
		var w string
		w, phrase, _ = strings.Cut(phrase, " ")
		if t.wordAt(i) != w {
			return false
		}
		i++
	}
	return true
}

// readPhrase returns the end of the first of the phrases that stands at i.
func (t tokens) readPhrase(i int, phrases ...string) (end int, ok bool) {
	for _, p := range phrases {
		if t.hasWords(i, p) {
			return i + 1 + strings.Count(p, " "), true
		}
	}
	return i, false
}

// readDigits returns the number at i, of at most so many digits.
func (t tokens) readDigits(i, most int) (n int, ok bool) {
	if i < 0 || i >= len(t) || t[i].kind != digitToken || len(t[i].text) > most {
		return 0, false
	}
	n, err := strconv.Atoi(t[i].text)
	return n, err == nil
}

// isGlued reports whether one of the characters follows at i, without a space.
func (t tokens) isGlued(i int, characters string) bool {
	return t.isOther(i, characters) && !t[i].gap
}

// isOther reports whether one of the characters stands at i.
func (t tokens) isOther(i int, characters string) bool {
	return i >= 0 && i < len(t) && t[i].kind == otherToken && strings.Contains(characters, t[i].text)
}

// endsClause reports whether nothing follows at i, or something that ends a clause.
func (t tokens) endsClause(i int) bool {
	return i >= len(t) || t[i].kind == otherToken && !t.isOther(i, "-/:%€$£°+&")
}

// over reports whether nothing but punctuation follows at i.
func (t tokens) over(i int) bool {
	for ; i < len(t); i++ {
		if t[i].kind != otherToken || !t.endsClause(i) {
			return false
		}
	}
	return true
}

// isAlone reports whether t[from:to] is everything but punctuation.
func (t tokens) isAlone(from, to int) bool {
	return t[:from].over(0) && t.over(to)
}
