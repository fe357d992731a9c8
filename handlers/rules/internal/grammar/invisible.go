package grammar

import (
	"fmt"
	"unicode"
)

// FirstInvisible names the first invisible character of a text, which copying from a web page brings along: U+200B; "" where there is none. Characters that
// join letters and emoji do not count, since they change what is seen.
func FirstInvisible(said string) string {
	for _, ch := range said {
		switch {
		case ch == '\u200c' || ch == '\u200d' || ch >= 0xe0000: // Persian and Hindi, emoji, flags
		case unicode.Is(unicode.Cf, ch), ch == '\u115f', ch == '\u1160', ch == '\u2800', ch == '\u3164', ch == '\uffa0':
			return fmt.Sprintf("%U", ch)
		}
	}
	return ""
}

// UnseenIn says that nobody sees a character of an address; "" where all are seen.
func UnseenIn(address string) string {
	if ch := FirstInvisible(address); ch != "" {
		return fmt.Sprintf("a character that nobody sees (%s) stands in this address, as when it is copied from a web page: write it anew by hand", ch)
	}
	return ""
}
