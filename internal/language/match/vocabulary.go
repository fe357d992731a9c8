package match

import (
	"slices"
	"unicode/utf8"
)

// vocabulary gives the words of all patterns numbers: an even one as it is, the odd one behind it when
// typos are allowed.
type vocabulary struct {
	number map[string]int32
	texts  []string
	most   []int // how many typos the odd one allows
	// skeleton leads from a word with every letter once to the last word with this skeleton, and other
	// from there to the next, -1 ends.
	skeleton map[string]int32
	other    []int32
	typos    *typos
}

func (v *vocabulary) init() {
	v.number, v.skeleton = map[string]int32{}, map[string]int32{}
}

// idCount returns how many numbers there are.
func (v *vocabulary) idCount() int { return 2 * len(v.texts) }

// add gives a word a number, with which it may have so many typos.
func (v *vocabulary) add(text string, typos int) int32 {
	n, ok := v.number[text]
	if !ok {
		n = int32(len(v.texts))
		v.number[text] = n
		v.texts, v.most = append(v.texts, text), append(v.most, 0)
		skeleton := squeezeRuns(text, 2, 1)
		other, ok := v.skeleton[skeleton]
		if !ok {
			other = -1
		}
		v.other = append(v.other, other)
		v.skeleton[skeleton] = n
	}
	if typos > 0 {
		v.most[n] = typos
		return 2*n + 1
	}
	return 2 * n
}

func (v *vocabulary) finishTexts() {
	var words []typoWord
	for n, most := range v.most {
		if most > 0 {
			words = append(words, typoWord{[]rune(v.texts[n]), int32(2*n + 1), most})
		}
	}
	v.typos = newTypos(words)
}

// find appends the numbers that a word of a text has to ids.
func (v *vocabulary) find(w *word, ids []int32) []int32 {
	from := len(ids)
	if w.skeleton != "" {
		ids = v.drawn(w, ids)
	} else if n, ok := v.number[w.text]; ok {
		ids = v.found(n, ids)
	}
	if w.text[0] >= utf8.RuneSelf {
		ids = v.stems(w, ids)
	}
	if len(v.typos.words) == 0 {
		return ids
	}
	v.typos.find(w.meantText(), func(id int32) {
		if !slices.Contains(ids[from:], id) {
			ids = append(ids, id)
		}
	})
	return ids
}

// stems appends the numbers of the words to which others are glued in a word.
func (v *vocabulary) stems(w *word, ids []int32) []int32 {
	from := len(ids)
	eachStem(w.text, func(stem string) {
		if n, ok := v.number[stem]; ok && !slices.Contains(ids[from:], 2*n) {
			ids = v.found(n, ids)
		}
	})
	return ids
}

// drawn appends the numbers of the words that a word with drawn-out letters may be.
func (v *vocabulary) drawn(w *word, ids []int32) []int32 {
	n, ok := v.skeleton[w.skeleton]
	if !ok {
		return ids
	}
	for ; n >= 0; n = v.other[n] {
		if drawnOut(w.text, v.texts[n]) {
			ids = v.found(n, ids)
		}
	}
	return ids
}

func (v *vocabulary) found(n int32, ids []int32) []int32 {
	ids = append(ids, 2*n)
	if v.most[n] > 0 {
		ids = append(ids, 2*n+1)
	}
	return ids
}
