package match

import (
	"slices"
	"unicode"
)

const (
	leastTypo = 5  // letters of the shortest words that may have typos
	shortTypo = 4  // letters of words of which one in a phrase may have one
	fewWords  = 3  // of such a phrase, at least
	twoTypos  = 8  // letters of the shortest words that may have two
	mostTypo  = 64 // letters of the longest words that may have typos
	// typoPrefix is of how many letters the table takes neighbours. Words that are near each other
	// have prefixes with a neighbour in common, so that more letters would only cost memory.
	typoPrefix = 7
)

// typosIn returns how many typos a word may have.
func typosIn(w string) int {
	switch letters := lettersIn(w); {
	case letters < leastTypo:
		return 0
	case letters < twoTypos:
		return 1
	default:
		return 2
	}
}

// lettersIn returns how many letters a word has; 0 for words that are never mistyped: with digits, too long, or of one character.
func lettersIn(w string) int {
	letters := 0
	for _, r := range w {
		if !unicode.IsLetter(r) || IsUnspaced(r) {
			return 0
		}
		letters++
	}
	if letters > mostTypo {
		return 0
	}
	return letters
}

// mayBeMistyped reports whether a word is a short one that may have a typo in its phrase.
func mayBeMistyped(phrase []string, i int) bool {
	return len(phrase) >= fewWords && lettersIn(phrase[i]) == shortTypo
}

// isMistyped reports whether text is w with at most as many typos as w may have.
func isMistyped(text, w string) bool {
	most := typosIn(w)
	return most > 0 && typosIn(text) > 0 && isWithin(most, text, w)
}

// isWithin reports whether two words of letters are at most so many typos apart.
func isWithin(most int, text, w string) bool {
	var a, b [mostTypo]rune
	return near(appendLetters(text, &a), appendLetters(w, &b), most)
}

func appendLetters(w string, into *[mostTypo]rune) []rune {
	n := 0
	for _, r := range w {
		into[n] = r
		n++
	}
	return into[:n]
}

// near reports whether a and b begin alike and are at most so many typos apart.
func near(a, b []rune, most int) bool {
	if a[0] != b[0] || len(a)-len(b) > most || len(b)-len(a) > most {
		return false
	}
	return typoDistance(a, b, most) <= most
}

// typoDistance returns how many letters must be put in, left out, changed or swapped with their neighbour
// to make a of b, each place once; more than most when it is more than that. Neither is longer than
// mostTypo.
func typoDistance(a, b []rune, most int) int {
	var rows [3][mostTypo + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d = 1 + min(d, last[j], row[j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d = min(d, before[j-2]+1)
				}
			}
			row[j] = d
			least = min(least, d)
		}
		if least > most && slices.Min(last[:len(b)+1]) > most {
			return least // a swap looks back two rows, further nothing does
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// typos finds the words that a word may be meant for. It knows of each word what remains of its prefix
// when one letter, or two, are left out; a typo away is what remains the same.
type typos struct {
	words []typoWord
	// start and rest are a hash table: what remains with hash h is in rest[start[h>>shift]:].
	start []int32
	rest  []remainder
	shift uint
	most  int // typos in any of the words
	least int // letters of the shortest word that may be meant for one of them
}

type typoWord struct {
	text []rune
	id   int32
	most int
}

type remainder struct {
	hash uint32
	word int32
}

func newTypos(words []typoWord) *typos {
	t := &typos{words: words, shift: 32, least: leastTypo}
	var all []remainder
	for i, w := range words {
		t.most = max(t.most, w.most)
		t.least = min(t.least, fewest(w.text))
		remainders(w.text, w.most, func(hash uint32) { all = append(all, remainder{hash, int32(i)}) })
	}
	for size := 1; size < len(all) && t.shift > 8; size *= 2 {
		t.shift--
	}
	t.start = make([]int32, 1<<(32-t.shift)+1)
	for _, r := range all {
		t.start[r.hash>>t.shift+1]++
	}
	for i := range len(t.start) - 1 {
		t.start[i+1] += t.start[i]
	}
	t.rest = make([]remainder, len(all))
	next := append([]int32(nil), t.start...)
	for _, r := range all {
		at := r.hash >> t.shift
		t.rest[next[at]] = r
		next[at]++
	}
	return t
}

// fewest returns how many letters a word has at least that may be meant for w.
func fewest(w []rune) int {
	if len(w) < leastTypo {
		return shortTypo - 1
	}
	return leastTypo
}

// find calls found with the number of each word that text may be meant for, some of them repeatedly.
func (t *typos) find(text string, found func(id int32)) {
	if len(t.words) == 0 || lettersIn(text) < t.least {
		return
	}
	var buf [mostTypo]rune
	runes := appendLetters(text, &buf)
	remainders(runes, t.most, func(hash uint32) {
		at := hash >> t.shift
		for _, r := range t.rest[t.start[at]:t.start[at+1]] {
			if r.hash != hash {
				continue
			}
			if w := &t.words[r.word]; len(runes) >= fewest(w.text) && near(runes, w.text, w.most) {
				found(w.id)
			}
		}
	})
}

// remainders calls each with the hash of w's prefix, and with those of what remains of it when up to
// most letters but the first are left out.
func remainders(w []rune, most int, each func(hash uint32)) {
	w = w[:min(len(w), typoPrefix)]
	each(hashWithout(w, 0, 0))
	for i := 1; i < len(w); i++ {
		each(hashWithout(w, i, 0))
		if most < 2 {
			continue
		}
		for j := i + 1; j < len(w); j++ {
			each(hashWithout(w, i, j))
		}
	}
}

// hashWithout hashes w without its letters i and j; 0 leaves nothing out.
func hashWithout(w []rune, i, j int) uint32 {
	h := uint32(2166136261)
	for k, r := range w {
		if k > 0 && (k == i || k == j) {
			continue
		}
		h = (h ^ uint32(r)) * 16777619
	}
	h ^= h >> 15 // the table takes the upper bits
	return h * 2654435761
}
