package textfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is pasted from a web page or a word processor is often indented by spaces that YAML takes for letters.

// isUnlikeSpace reports whether a character looks like a space, or like nothing, and is none to YAML.
func isUnlikeSpace(ch rune) bool {
	return ch >= utf8.RuneSelf && (unicode.IsSpace(ch) || ch == '\u200B' || ch == '\u2060')
}

// spaceLength returns how many bytes such characters take at the beginning of a text, with the spaces behind them; 0 when it begins with none.
func spaceLength(s string) int {
	if ch, _ := utf8.DecodeRuneInString(s); !isUnlikeSpace(ch) {
		return 0
	}
	return len(s) - len(strings.TrimLeftFunc(s, func(ch rune) bool { return ch == ' ' || ch == '\t' || isUnlikeSpace(ch) }))
}

// unlikeSpaces looks at the beginning of a line's first word, at pos. It tells, and ends the reading, where such spaces stand in front of a key, a
// dash or a comment, behind a dash, or alone. A text may begin with them.
func (r *reader) unlikeSpaces() bool {
	dash := 0
	if r.at(r.pos) == '-' {
		dash = 1
	}
	end := r.lineEnd(r.pos)
	n := spaceLength(r.src[r.pos+dash : end])
	if n == 0 {
		return false
	}
	at := r.pos + dash + n
	if key := r.findColon(at) >= 0; dash > 0 && !key || !key && at < end && r.at(at) != '#' && (r.at(at) != '-' || !r.isGap(at+1)) {
		return false
	}
	if dash > 0 {
		ch, _ := utf8.DecodeRuneInString(r.src[r.pos+dash:])
		r.fail(r.line, "behind the dash stands %s: put a plain space in its place", spaceName(ch))
		return true
	}
	r.failIndented()
	return true
}

// failIndented tells that the line at pos begins with such spaces.
func (r *reader) failIndented() {
	ch, _ := utf8.DecodeRuneInString(r.src[r.pos:])
	r.fail(r.line, "this line begins with %s, as in what is pasted from a web page or a word processor: put plain spaces in the place of all of them", spaceName(ch))
}

// spaceName says what such a character is.
func spaceName(ch rune) wording {
	name := "an unusual space"
	switch ch {
	case '\u00A0', '\u202F':
		name = "a no-break space"
	case '\u200B', '\u2060':
		name = "an invisible character"
	}
	return wording(fmt.Sprintf("%s (U+%04X)", name, ch))
}
