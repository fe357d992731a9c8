package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mostSpellings is for how many apostrophes of an entry both spellings are looked for, each with each.
const mostSpellings = 4

// spellingsOf returns the folded words of an entry as it is written, and then as people write it who leave its apostrophes out, or put them in: "what's
// the menu" is "whats the menu" as well, and the other way round. None are returned when there is no word in it.
func spellingsOf(entry string) [][]string {
	r := Read(entry)
	if len(r.words) == 0 {
		return nil
	}
	all := [][]string{{}}
	choices := 0
	for i := 0; i < len(r.words); i++ {
		w := r.words[i].text
		ways := [][]string{{w}}
		switch apart, ok := contractions[w]; {
		case choices == mostSpellings:
		case ok:
			ways = append(ways, strings.Fields(apart))
		case r.elided(i):
			next := r.words[i+1].text
			i++
			ways[0] = append(ways[0], next)
			if !otherWords[w+next] || len(r.words) > 2 {
				ways = append(ways, []string{w + next})
			}
		}
		if len(ways) > 1 {
			choices++
		}
		all = combined(all, ways)
	}
	return all
}

// combined puts each of some ends behind each of some beginnings.
func combined(beginnings, ends [][]string) [][]string {
	all := make([][]string, 0, len(beginnings)*len(ends))
	for _, end := range ends {
		for _, beginning := range beginnings {
			all = append(all, slices.Concat(beginning, end))
		}
	}
	return all
}

// elided reports whether nothing but an apostrophe stands between a word and the next one.
func (r *Reading) elided(i int) bool {
	if i+1 >= len(r.words) {
		return false
	}
	at := 0
	for _, w := range r.words[:i+1] {
		at += strings.Index(r.folded[at:], w.text) + len(w.text)
	}
	rest, ok := strings.CutPrefix(r.folded[at:], "'")
	return ok && strings.HasPrefix(rest, r.words[i+1].text) && EndsInLetter(r.words[i].text) && IsLetterAt(rest, 0)
}

// contractions are words that people write without their apostrophe, and what they are with it.
var contractions = func() map[string]string {
	words := map[string]string{"cest": "c est", "jai": "j ai", "daccord": "d accord", "aujourdhui": "aujourd hui"}
	for end, begins := range map[string]string{
		"t":  "don can won isn aren wasn weren doesn didn haven hasn hadn couldn wouldn shouldn mustn ain",
		"s":  "what that where when how who there here it let",
		"m":  "i",
		"re": "you they",
		"ve": "i you we they",
		"ll": "you they it that",
		"d":  "you they",
	} {
		for begin := range strings.FieldsSeq(begins) {
			words[begin+end] = begin + " " + end
		}
	}
	return words
}()

// otherWords are words of their own, and contractions only beside others.
var otherWords = wordSet("ill well hell shell were wed id shed")

// eachStem calls each with what is left of a word in a language that glues others to it: articles, prepositions and "and" stand in front of it in
// Arabic and Hebrew, particles behind it in Korean.
func eachStem(w string, each func(stem string)) {
	if w[0] < 0xD7 { // Latin, Greek and Cyrillic letters begin below
		return
	}
	switch first, _ := utf8.DecodeRuneInString(w); {
	case first >= 0x05D0 && first <= 0x05EA:
		hebrewStems(w, each)
	case first >= 0x0620 && first <= 0x06D3:
		arabicStems(w, each)
	case isHangul(first):
		koreanStems(w, each)
	}
}

// fewStem is how many letters are left at least where a single letter was in front; the article of Arabic may leave two.
const fewStem = 3

// arabicStems takes "and" and "so", then a preposition, then the article off.
func arabicStems(w string, each func(stem string)) {
	step := func(prefixes string) {
		first, size := utf8.DecodeRuneInString(w)
		if rest := w[size:]; strings.ContainsRune(prefixes, first) && utf8.RuneCountInString(rest) >= fewStem {
			w = rest
			each(w)
		}
	}
	step("وف")
	whole := w
	step("بكل")
	rest, ok := strings.CutPrefix(w, "ال")
	if !ok {
		rest, ok = strings.CutPrefix(whole, "لل") // the article behind "to"
	}
	if ok && utf8.RuneCountInString(rest) >= 2 {
		each(rest)
	}
}

// hebrewStems takes up to three letters off that stand for "and", "the", "in", "as", "to", "from" and "that".
func hebrewStems(w string, each func(stem string)) {
	for range 3 {
		first, size := utf8.DecodeRuneInString(w)
		if w = w[size:]; !strings.ContainsRune("והבכלמש", first) || utf8.RuneCountInString(w) < fewStem {
			return
		}
		each(w)
	}
}

// koreanStems takes one or two particles off. Those of one syllable go by the syllable before them.
func koreanStems(w string, each func(stem string)) {
	for range 2 {
		rest, ok := withoutParticle(w)
		if !ok {
			return
		}
		w = rest
		each(w)
	}
}

// The particles of Korean that stand behind any syllable, behind one that ends in a consonant, and behind one that does not, longest first.
var (
	particles = strings.Fields(`입니까 인가요 이에요 입니다 에서는 에서도 으로는 에게서 한테서 예요 에요 에서 에게 한테 께서 부터 까지 보다 처럼 마다
		하고 이나 이랑 으로 인지 이죠 이지 들이 들은 들을 인데 의 에 도 만 들 로 요 죠`)
	behindConsonant = strings.Fields("은 이 을 과")
	behindVowel     = strings.Fields("는 가 를 와 랑 나")
)

func withoutParticle(w string) (stem string, ok bool) {
	for _, p := range particles {
		if stem, ok = strings.CutSuffix(w, p); ok && stem != "" {
			return stem, utf8.RuneCountInString(p) > 1 || utf8.RuneCountInString(stem) > 1
		}
	}
	for vowel, list := range [][]string{behindConsonant, behindVowel} {
		for _, p := range list {
			if stem, ok = strings.CutSuffix(w, p); ok && stem != "" && endsInVowel(stem) == (vowel == 1) {
				return stem, true
			}
		}
	}
	return "", false
}

// endsInVowel reports whether the last syllable has no consonant at its end.
func endsInVowel(w string) bool {
	last, _ := utf8.DecodeLastRuneInString(w)
	return isHangul(last) && (last-firstHangul)%28 == 0
}

const firstHangul = 0xAC00

// isHangul reports whether a character is a syllable of Korean.
func isHangul(r rune) bool { return r >= firstHangul && r <= 0xD7A3 }
