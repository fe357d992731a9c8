// Package blank compares texts that a platform may show with other white space than they were sent with.
package blank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FoldSpace returns a text with one space in the place of any white space, none at its ends, and U+FFFD in the place of characters that are broken.
// What stands so already, as nearly everything does, is returned as it is.
func FoldSpace(text string) string {
	if isFolded(text) {
		return text
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}

func isFolded(text string) bool {
	space := true // before what comes next
	for i, r := range text {
		switch {
		case r == ' ' && !space:
			space = true
		case unicode.IsSpace(r):
			return false
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return false
		default:
			space = false
		}
	}
	return !space || text == ""
}
