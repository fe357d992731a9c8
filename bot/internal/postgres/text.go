package postgres

import (
	"strings"
	"unicode/utf8"
)

// PostgreSQL takes no NUL in a text, and nothing that is no proper UTF-8. Such a byte is kept as one of 256 runes that
// nobody writes, at the end of all of Unicode; where somebody does write one of them, its bytes are. What is proper stays
// as it is, so that keys are found by how they begin.
const (
	firstKept = '\U0010ff00'
	lastKept  = '\U0010ffff'
)

// intoText returns a text as PostgreSQL takes it.
func intoText(s string) string {
	if IsText(s) { //mutate:odd-bytes
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 12)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != 0 && r < firstKept && (r != utf8.RuneError || size > 1) {
			b.WriteString(s[i : i+size])
		} else {
			for _, x := range []byte(s[i : i+size]) {
				b.WriteRune(firstKept + rune(x))
			}
		}
		i += size
	}
	return b.String()
}

// IsText reports whether intoText would change nothing.
func IsText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == 0 || c >= utf8.RuneSelf {
			return c != 0 && strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) && !strings.ContainsFunc(s, isKept)
		}
	}
	return true
}

func isKept(r rune) bool { return r >= firstKept && r <= lastKept }

// FromText returns the text of which intoText made s.
func FromText(s string) string {
	if strings.IndexByte(s, 0xf4) < 0 || !strings.ContainsFunc(s, isKept) { // with which those runes begin
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if isKept(r) {
			b = append(b, byte(r-firstKept))
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}
