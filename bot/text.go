package bot

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Words returns the words of the event's text as the function Words does, which is done once for a
// turn.
func (t *Turn) Words() []string {
	if text := t.Text(); t.words == nil || t.words.of != text {
		t.words = &wordList{of: text, list: Words(text)}
	}
	return t.words.list
}

// wordList is the words of a text.
type wordList struct {
	of   string
	list []string
}

// Words cuts a text into words that compare equal when people would call them the same:
//
//   - Case does not matter, by Unicode's simple folding; ß is ss.
//   - Accents do not matter on Latin letters, nor on Greek vowels; ё is е. That is a table, not the
//     whole of Unicode: what it does not know keeps its accent.
//   - Letters and digits make words, everything else stands between them. A symbol such as 👍, whatever
//     its colour, is a word; so is each character of scripts that leave no space between words
//     (Chinese, Japanese, Thai, Lao, Khmer, Burmese).
func Words(text string) []string {
	w := splitter{folded: make([]byte, 0, len(text)+8), ends: make([]int, 0, 16)}
	for _, r := range text {
		w.add(r)
	}
	w.end()
	if len(w.ends) == 0 {
		return nil
	}
	all, start := string(w.folded), 0
	words := make([]string, len(w.ends))
	for i, end := range w.ends {
		words[i], start = all[start:end], end
	}
	return words
}

// splitter folds a text and notes where its words end.
type splitter struct {
	folded []byte
	ends   []int
	alone  bool // the last word takes no further letters
}

func (s *splitter) end() {
	if n := len(s.folded); n > 0 && (len(s.ends) == 0 || s.ends[len(s.ends)-1] < n) {
		s.ends = append(s.ends, n)
	}
	s.alone = false
}

func (s *splitter) add(r rune) {
	switch {
	case r < utf8.RuneSelf:
		s.ascii(byte(r))
	case isModifier(r):
	case r == utf8.RuneError:
		s.end()
	case unicode.IsMark(r):
		s.folded = utf8.AppendRune(s.folded, r)
	case unicode.IsLetter(r), unicode.IsNumber(r):
		if unicode.In(r, unspaced...) || r == 'ー' {
			s.single(r)
			return
		}
		s.join()
		s.folded = appendFolded(s.folded, r)
	case unicode.Is(unicode.So, r):
		s.single(r)
	default:
		s.end()
	}
}

func (s *splitter) ascii(c byte) {
	switch {
	case 'A' <= c && c <= 'Z':
		s.join()
		s.folded = append(s.folded, c+'a'-'A')
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		s.join()
		s.folded = append(s.folded, c)
	default:
		s.end()
	}
}

// single makes a word of one character, and of the marks behind it.
func (s *splitter) single(r rune) {
	s.end()
	s.folded = utf8.AppendRune(s.folded, r)
	s.alone = true
}

// join makes sure that a letter does not go on with a word of one character.
func (s *splitter) join() {
	if s.alone {
		s.end()
	}
}

// unspaced are the scripts that leave no space between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isModifier reports whether a character changes only how its neighbour looks: accents of its own, joiners,
// variants, colours of skin.
func isModifier(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036F, r >= 0xFE00 && r <= 0xFE0F, r >= 0x1F3FB && r <= 0x1F3FF:
		return true
	default:
		return r == 0x00AD || r == 0x200C || r == 0x200D
	}
}

// appendFolded appends a letter without its case and accent.
func appendFolded(dst []byte, r rune) []byte {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	r = unicode.ToLower(least)
	if base, ok := baseLetter(r); ok {
		return append(dst, base...)
	}
	return utf8.AppendRune(dst, r)
}

// letters is a range of letters that are one letter without their case and accents.
type letters struct {
	from, to rune
	base     string
}

// baseLetter returns what a letter with an accent is without it.
func baseLetter(r rune) (string, bool) {
	i, found := slices.BinarySearchFunc(baseLetters, r, func(l letters, r rune) int {
		if l.from <= r && r <= l.to {
			return 0
		}
		return cmp.Compare(l.from, r)
	})
	if !found {
		return "", false
	}
	return baseLetters[i].base, true
}

// baseLetters are the small letters, sorted, of Latin-1, Latin Extended-A, Vietnamese, Romanian, Pinyin,
// Latin Extended Additional, Greek with tonos or dialytika, and ё. Where small and capital letters
// take turns, a range holds both. ι is here because it folds to a mark.
var baseLetters = []letters{
	{'ß', 'ß', "ss"},
	{'à', 'å', "a"},
	{'æ', 'æ', "ae"},
	{'ç', 'ç', "c"},
	{'è', 'ë', "e"},
	{'ì', 'ï', "i"},
	{'ð', 'ð', "d"},
	{'ñ', 'ñ', "n"},
	{'ò', 'ö', "o"},
	{'ø', 'ø', "o"},
	{'ù', 'ü', "u"},
	{'ý', 'ý', "y"},
	{'þ', 'þ', "th"},
	{'ÿ', 'ÿ', "y"},

	{'Ā', 'ą', "a"},
	{'Ć', 'č', "c"},
	{'Ď', 'đ', "d"},
	{'Ē', 'ě', "e"},
	{'Ĝ', 'ģ', "g"},
	{'Ĥ', 'ħ', "h"},
	{'Ĩ', 'ı', "i"},
	{'Ĳ', 'ĳ', "ij"},
	{'Ĵ', 'ĵ', "j"},
	{'Ķ', 'ĸ', "k"},
	{'Ĺ', 'ł', "l"},
	{'Ń', 'ŋ', "n"},
	{'Ō', 'ő', "o"},
	{'Œ', 'œ', "oe"},
	{'Ŕ', 'ř', "r"},
	{'Ś', 'š', "s"},
	{'Ţ', 'ŧ', "t"},
	{'Ũ', 'ų', "u"},
	{'Ŵ', 'ŵ', "w"},
	{'Ŷ', 'ŷ', "y"},
	{'Ź', 'ž', "z"},

	{'Ơ', 'ơ', "o"},
	{'Ư', 'ư', "u"},
	{'Ǎ', 'ǎ', "a"},
	{'Ǐ', 'ǐ', "i"},
	{'Ǒ', 'ǒ', "o"},
	{'Ǔ', 'ǜ', "u"},
	{'Ș', 'ș', "s"},
	{'Ț', 'ț', "t"},

	{'\u0345', '\u0345', "ι"},
	{'ΐ', 'ΐ', "ι"},
	{'ά', 'ά', "α"},
	{'έ', 'έ', "ε"},
	{'ή', 'ή', "η"},
	{'ί', 'ί', "ι"},
	{'ΰ', 'ΰ', "υ"},
	{'ϊ', 'ϊ', "ι"},
	{'ϋ', 'ϋ', "υ"},
	{'ό', 'ό', "ο"},
	{'ύ', 'ύ', "υ"},
	{'ώ', 'ώ', "ω"},

	{'ё', 'ё', "е"},

	{'Ḁ', 'ḁ', "a"},
	{'Ḃ', 'ḇ', "b"},
	{'Ḉ', 'ḉ', "c"},
	{'Ḋ', 'ḓ', "d"},
	{'Ḕ', 'ḝ', "e"},
	{'Ḟ', 'ḟ', "f"},
	{'Ḡ', 'ḡ', "g"},
	{'Ḣ', 'ḫ', "h"},
	{'Ḭ', 'ḯ', "i"},
	{'Ḱ', 'ḵ', "k"},
	{'Ḷ', 'ḽ', "l"},
	{'Ḿ', 'ṃ', "m"},
	{'Ṅ', 'ṋ', "n"},
	{'Ṍ', 'ṓ', "o"},
	{'Ṕ', 'ṗ', "p"},
	{'Ṙ', 'ṟ', "r"},
	{'Ṡ', 'ṩ', "s"},
	{'Ṫ', 'ṱ', "t"},
	{'Ṳ', 'ṻ', "u"},
	{'Ṽ', 'ṿ', "v"},
	{'Ẁ', 'ẉ', "w"},
	{'Ẋ', 'ẍ', "x"},
	{'Ẏ', 'ẏ', "y"},
	{'Ẑ', 'ẕ', "z"},
	{'ẖ', 'ẖ', "h"},
	{'ẗ', 'ẗ', "t"},
	{'ẘ', 'ẘ', "w"},
	{'ẙ', 'ẙ', "y"},
	{'Ạ', 'ặ', "a"},
	{'Ẹ', 'ệ', "e"},
	{'Ỉ', 'ị', "i"},
	{'Ọ', 'ợ', "o"},
	{'Ụ', 'ự', "u"},
	{'Ỳ', 'ỹ', "y"},
}
