package event

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A name is what a stranger chose, and everybody may read what the bot says to that stranger. So only what looks like a name is said.
const (
	longestWord = 30 // runes of a word of a name
	longestName = 60 // runes of a name
)

// FirstName returns the first word of the name, to be said; "" when it is not known, or has a link, the name of a host,
// "@", "#", "/", a sign that nobody sees, or more than 30 runes.
func (p Peer) FirstName() string {
	words := strings.Fields(p.Name)
	if len(words) == 0 || !sayable(words[0]) {
		return ""
	}
	return words[0]
}

// FullName returns the name, to be said; "" when it is not known, or FirstName would not say one of its words, or it has
// more than 60 runes.
func (p Peer) FullName() string {
	words := strings.Fields(p.Name)
	for _, word := range words {
		if !sayable(word) {
			return ""
		}
	}
	if name := strings.Join(words, " "); utf8.RuneCountInString(name) <= longestName {
		return name
	}
	return ""
}

// UserName returns the user name, to be said; "" when it is not known, or has other signs than letters, digits, "_", "."
// and "-", or more than 30 runes.
func (p Peer) UserName() string {
	if utf8.RuneCountInString(p.User) > longestWord || strings.ContainsFunc(p.User, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("_.-", r)
	}) {
		return ""
	}
	return p.User
}

// sayable reports whether a word can stand in a text as a name.
func sayable(word string) bool {
	if utf8.RuneCountInString(word) > longestWord {
		return false
	}
	plain := strings.Map(func(r rune) rune {
		const nonJoiner, joiner = '\u200C', '\u200D' // of emoji, and of letters in Persian and in India
		if r == nonJoiner || r == joiner {
			return -1
		}
		return r
	}, norm.NFKC.String(word)) // as programs read it that make links
	//mutate:name-signs
	if strings.ContainsFunc(plain, func(r rune) bool {
		return strings.ContainsRune(`@#/\:`, r) || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
	}) {
		return false
	}
	return !hasHost(plain) //mutate:name-host
}

// hasHost reports whether there is the name of a host in a text: a dot between letters or digits, with two or more
// letters behind it. J.R. has none.
func hasHost(text string) bool {
	labels := strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == '\u3002' })
	for i := 1; i < len(labels); i++ {
		letters := 0
		for _, r := range labels[i] {
			if !unicode.IsLetter(r) {
				break
			}
			letters++
		}
		if last, _ := utf8.DecodeLastRuneInString(labels[i-1]); letters >= 2 && (unicode.IsLetter(last) || unicode.IsDigit(last)) {
			return true
		}
	}
	return false
}
