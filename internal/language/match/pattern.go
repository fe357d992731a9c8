package match

import "fmt"

// MaxEntry is how many bytes an entry of a Pattern may have, and MaxMatched how many bytes of a text,
// from its beginning, the regular expressions of Matches look at. Both bound what a text can cost.
const (
	MaxEntry   = 1000
	MaxMatched = 16 << 10
)

// Pattern is what a text has to say. Of AnyWord, AnyPhrase, Contains and Matches taken together, when
// any of them is given, at least one entry must be there; of NoneWord and NonePhrase none may. An empty
// Pattern holds for every text.
//
// But for Matches, texts and entries are compared as [Read] says. Words are whole: "priceless" is no
// "price".
type Pattern struct {
	// AnyWord and NoneWord are words. An entry of several words, such as "e-mail" or one in a script
	// without spaces, is looked for like a phrase.
	AnyWord, NoneWord []string
	// AnyPhrase and NonePhrase are words in a row, with anything between them but another word.
	AnyPhrase, NonePhrase []string
	// Contains are parts of a text: "http" is in "https://". What is repeated between words counts
	// once here too; a text with drawn-out letters is looked at as it is written, with each of them
	// twice, and with each of them once.
	Contains []string
	// Matches are regular expressions in RE2's syntax. They look at the text as it is written, with
	// entities decoded but accents and repeated letters as they are, and do not tell capital letters
	// from small ones (write (?-i) to have it otherwise).
	Matches []string
	// Only are words and phrases: the text says nothing but these, in any order and number. Symbols such as 👍 beside them count for nothing,
	// unless an entry has them; the entry "emoji" stands for any, and then a text of symbols alone holds, too. It is asked for beside all else.
	Only []string
	// Fuzzy lets the words of AnyWord, AnyPhrase and Only match with typos: one in words of 5 to 7 letters,
	// two in words of 8 to 64. A typo is a letter too much, one missing, a wrong one, or two neighbours
	// swapped. The first letter must be right, the word in the text must have 5 letters too, and words
	// with digits have no typos. In a phrase of three words or more, one word of 4 letters may have one.
	// What a pattern must not say (NoneWord, NonePhrase) has none: a rule should not fall silent by a guess.
	Fuzzy bool
}

// PatternError says that an entry of a pattern cannot be looked for.
type PatternError struct {
	// Pattern is the index of the pattern.
	Pattern int
	// Entry is the entry as it was given.
	Entry string
	// Problem says what is wrong with it, and what to write instead where that is known.
	Problem string
}

// Error names the pattern, the entry and the problem.
func (e *PatternError) Error() string {
	return fmt.Sprintf("pattern %d: %q: %s", e.Pattern, e.Entry, e.Problem)
}

// wantsAny reports whether one of several entries has to be there.
func (p *Pattern) wantsAny() bool {
	return len(p.AnyWord)+len(p.AnyPhrase)+len(p.Contains)+len(p.Matches) > 0
}
