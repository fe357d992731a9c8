package campaigns

import (
	"strings"
	"unicode"
)

// Tagged reports whether a text has a hashtag, as a whole word, in whatever case; any text has none.
func Tagged(text, tag string) bool {
	if tag == "" {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '#' && r != '_' })
	for _, w := range words {
		if w == strings.ToLower(tag) {
			return true
		}
	}
	return false
}
