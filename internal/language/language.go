package language

import "github.com/nectar-bot/nectar/internal/language/match"

// Language is one of the languages in which answers are understood, by its ISO 639-1 code. The zero
// value is English.
type Language string

// The languages.
const (
	English    Language = "en"
	Spanish    Language = "es"
	Portuguese Language = "pt"
	French     Language = "fr"
	German     Language = "de"
)

// AllLanguages returns all languages, English first.
func AllLanguages() []Language {
	return []Language{English, Spanish, Portuguese, French, German}
}

// StartWords returns the words that end a silence, unless others are written. The first one is named.
func (l Language) StartWords() []string { return match.StartWords(string(l)) }

// IsKnown reports whether l is one of the languages.
func (l Language) IsKnown() bool {
	switch l {
	case "", English, Spanish, Portuguese, French, German:
		return true
	default:
		return false
	}
}

// orEnglish returns English for a language that is not known.
func (l Language) orEnglish() Language {
	if l == "" || !l.IsKnown() {
		return English
	}
	return l
}
