package match

import (
	"unicode"
	"unicode/utf8"
)

// Reading is a text that was read once, to be compared with many patterns. It does not change any more
// and may be shared.
type Reading struct {
	written string // with entities decoded, otherwise as it came
	folded  string // what contains looks at
	// variants are folded with its drawn-out letters twice and once; nil when there are none.
	variants []string
	words    []word
}

// word is a word of a text.
type word struct {
	text string // folded
	// skeleton is text with every letter once, and short with every drawn-out letter once; both are
	// empty when no letter is drawn out.
	skeleton, short string
}

// meantText returns the word that is looked at for typos.
func (w *word) meantText() string {
	if w.skeleton == "" {
		return w.text
	}
	return w.short
}

// Read reads a text so that what people would call the same compares equal:
//
//   - HTML entities are decoded, and letters dressed up as others (𝗽𝗿𝗶𝗰𝗲, ｐｒｉｃｅ, ﬁsh, ｶｰﾄﾞ) are taken as these. All kinds of apostrophes are one.
//   - What is not seen does not count: spaces without width, joiners, marks of direction.
//   - Case does not matter, by Unicode's simple folding; ß is ss. Digits of all scripts are the same.
//   - Accents do not matter on Latin and Greek letters; ё is е. In Arabic neither vowel signs nor the seat of a hamza matter, nor
//     do words that are drawn out by strokes; in Hebrew no vowel signs.
//   - A letter that stands three times or more in a row is drawn out, and as good as once or twice:
//     "pleeease" is please and "coool" is cool. "book" and "bok" stay different, as do 10, 100 and 1000.
//   - Letters and digits make words, everything else stands between them, however often it is repeated.
//     A symbol such as 👍, whatever its colour, is a word; so is each character of scripts that leave no
//     space between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese).
func Read(text string) *Reading {
	r := &Reading{written: DecodeText(text)}
	w := folder{buf: make([]byte, 0, len(r.written)+8), spans: make([]span, 0, len(r.written)/5+2), start: -1}
	for _, c := range composeText(r.written) {
		w.add(c)
	}
	w.end()
	r.folded = string(w.buf)
	r.words = make([]word, len(w.spans))
	for i, s := range w.spans {
		r.words[i].text = r.folded[s.from:s.to]
		if s.drawn {
			r.words[i].skeleton = squeezeRuns(r.words[i].text, 2, 1)
			r.words[i].short = squeezeRuns(r.words[i].text, 3, 1)
		}
	}
	if w.anyDrawn {
		r.variants = []string{squeezeRuns(r.folded, 3, 2), squeezeRuns(r.folded, 3, 1)}
	}
	return r
}

// Folded returns the text as it is compared.
func (r *Reading) Folded() string { return r.folded }

// WordCount returns how many words the text has.
func (r *Reading) WordCount() int { return len(r.words) }

// HasWordsAt reports whether words stand in a row from word at of the text on.
func (r *Reading) HasWordsAt(words []string, at int) bool {
	return r.rowAt(words, at, false) == len(words)
}

// HasPhrase reports whether words stand in a row anywhere in the text.
func (r *Reading) HasPhrase(words []string) bool { return r.findRow(words, false) >= 0 }

// folder folds a text and notes where its words are.
type folder struct {
	buf      []byte
	spans    []span
	start    int  // of the word that is being read, -1 between words
	alone    bool // the word takes no further letters
	last     rune // the last character that was written
	run      int  // how often last stands there in a row, as a letter
	drawn    bool // the word has a drawn-out letter
	anyDrawn bool
}

type span struct {
	from, to int
	drawn    bool
}

func (f *folder) end() {
	if f.start >= 0 {
		f.spans = append(f.spans, span{f.start, len(f.buf), f.drawn})
	}
	f.start, f.alone, f.drawn, f.run = -1, false, false, 0
}

func (f *folder) ascii(c byte) {
	switch {
	case 'a' <= c && c <= 'z':
		f.letter(rune(c))
	case 'A' <= c && c <= 'Z':
		f.letter(rune(c) + 'a' - 'A')
	case '0' <= c && c <= '9':
		f.digit(rune(c))
	case c == '`':
		f.between('\'')
	default:
		f.between(rune(c))
	}
}

func (f *folder) add(r rune) {
	switch {
	case r < utf8.RuneSelf:
		f.ascii(byte(r))
	case isSilent(r):
	case r == utf8.RuneError:
		f.between(' ')
	case isApostrophe(r):
		f.between('\'')
	case unicode.IsMark(r):
		f.buf = utf8.AppendRune(f.buf, r)
		f.last, f.run = r, 0
	case unicode.IsLetter(r):
		if IsUnspaced(r) {
			f.single(r)
			return
		}
		c, more := foldedLetter(r)
		f.letter(c)
		for _, c := range more {
			f.letter(c)
		}
	case unicode.IsNumber(r):
		c, _ := foldedLetter(r)
		f.digit(c)
	case unicode.Is(unicode.So, r):
		f.single(r)
	default:
		f.between(r)
	}
}

func (f *folder) letter(r rune) {
	if f.alone {
		f.end()
	}
	if f.start < 0 {
		f.start = len(f.buf)
	}
	if r == f.last {
		f.run++
		if f.run >= 3 {
			f.drawn, f.anyDrawn = true, true
		}
	} else {
		f.last, f.run = r, 1
	}
	f.buf = utf8.AppendRune(f.buf, r)
}

func (f *folder) digit(r rune) {
	if f.alone {
		f.end()
	}
	if f.start < 0 {
		f.start = len(f.buf)
	}
	f.buf = utf8.AppendRune(f.buf, r)
	f.last, f.run = r, 0
}

// single makes a word of one character, and of the marks behind it.
func (f *folder) single(r rune) {
	f.end()
	f.start, f.alone = len(f.buf), true
	f.buf = utf8.AppendRune(f.buf, r)
	f.last = r
}

// between writes what stands between words; again and again is once.
func (f *folder) between(r rune) {
	f.end()
	if unicode.IsSpace(r) {
		r = ' '
	}
	if r == f.last {
		return
	}
	f.buf = utf8.AppendRune(f.buf, r)
	f.last = r
}

// squeezeRuns shortens each run of at least from equal letters to the given length.
func squeezeRuns(s string, from, to int) string {
	if !hasRun(s, from) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n, end := run(s, i)
		if n >= from && unicode.IsLetter(r) {
			n = to
		}
		for range n {
			out = utf8.AppendRune(out, r)
		}
		i = end
	}
	return string(out)
}

// hasRun reports whether a text may have a run of so many characters, exactly where it is ASCII.
func hasRun(s string, from int) bool {
	n := 0
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return true
		}
		if i > 0 && s[i] == s[i-1] {
			n++
		} else {
			n = 1
		}
		if n >= from {
			return true
		}
	}
	return false
}

// run returns the character at i, how often it stands there in a row, and where it ends.
func run(s string, i int) (r rune, n, end int) {
	r, size := utf8.DecodeRuneInString(s[i:])
	n, end = 1, i+size
	for end < len(s) {
		next, size := utf8.DecodeRuneInString(s[end:])
		if next != r {
			break
		}
		n, end = n+1, end+size
	}
	return r, n, end
}

// drawnOut reports whether a folded word of a text is w with drawn-out letters.
func drawnOut(text, w string) bool {
	i, j := 0, 0
	for i < len(text) && j < len(w) {
		r, n, end := run(text, i)
		q, m, wend := run(w, j)
		if r != q || n != m && (n < 3 || !unicode.IsLetter(r)) {
			return false
		}
		i, j = end, wend
	}
	return i == len(text) && j == len(w)
}
