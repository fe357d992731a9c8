package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Phrases are words in a row that are looked for at the edges of short texts.
type Phrases [][]string

// NewPhrases reads phrases. What has no word in it is left out.
func NewPhrases(texts ...string) Phrases {
	p := make(Phrases, 0, len(texts))
	for _, text := range texts {
		if words := wordsOf(text); len(words) > 0 {
			p = append(p, words)
		}
	}
	return p
}

// Edge reports whether a text asks nothing, and begins or ends with one of the phrases while it has so many words at
// most, or is nothing else. Symbols such as 🙏 are no words here, unless a phrase has them.
func (p Phrases) Edge(r *Reading, most int) bool {
	if len(p) == 0 || len(r.words) == 0 || strings.ContainsAny(r.written, "?？؟") { //mutate:stop-question
		return false
	}
	letters := r.withoutSymbols()
	for _, phrase := range p {
		for _, text := range []*Reading{r, letters} {
			n, last := len(phrase), len(text.words)-len(phrase)
			if last < 0 || len(text.words) > most && last > 0 {
				continue
			}
			if text.rowAt(phrase, 0, false) == n || text.rowAt(phrase, last, false) == n {
				return true
			}
		}
	}
	return false
}

// withoutSymbols returns a reading of the words alone.
func (r *Reading) withoutSymbols() *Reading {
	symbol := func(w word) bool {
		first, _ := utf8.DecodeRuneInString(w.text)
		return !unicode.IsLetter(first) && !unicode.IsNumber(first)
	}
	if !slices.ContainsFunc(r.words, symbol) {
		return r
	}
	return &Reading{words: slices.DeleteFunc(slices.Clone(r.words), symbol)}
}
