package match

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Verdict says why a pattern holds for a text, or does not.
type Verdict struct {
	Holds bool
	// By is what decided: `any_word "price"`, `none_word "refund"`, `none of any_word, contains is there`;
	// empty when nothing had to be there and nothing was that must not. For an entry that was found with
	// typos it says how it was written: `any_word "price" (written "pirce")`.
	By string
	// Nearest is what came nearest to one of the words and phrases when none of them is there: `"pricing"
	// is not "price"`, `only "opening" of "opening hours"`. Empty when nothing came near.
	Nearest string
}

// ExplainPattern says why pattern i holds for a text, or does not. It looks at this pattern alone and takes
// its time.
func (x *Index) ExplainPattern(i int, r *Reading) Verdict {
	p := &x.patterns[i]
	by, ok := r.any(p)
	if !ok {
		return Verdict{By: "none of " + p.lists() + " is there", Nearest: r.nearest(p)}
	}
	for _, l := range []struct {
		name    string
		entries []string
	}{{"none_word", p.NoneWord}, {"none_phrase", p.NonePhrase}} {
		for _, entry := range l.entries {
			if _, ok := r.anyRow(entry, false); ok {
				return Verdict{By: fmt.Sprintf("%s %q", l.name, entry)}
			}
		}
	}
	if o := newOnly(p); o.isAsked() {
		entry, n := r.onlyUpTo(&o)
		switch {
		case r.saysOnly(&o) && by == "":
			by = fmt.Sprintf("only %q", entry)
		case r.saysOnly(&o):
		case n < len(r.words):
			return Verdict{By: fmt.Sprintf("only: %q is none of these", r.words[n].text)}
		default:
			return Verdict{By: "only: none of these is there"}
		}
	}
	return Verdict{Holds: true, By: by}
}

// lists names the lists of which something must be there.
func (p *Pattern) lists() string {
	var names []string
	for _, l := range []struct {
		name    string
		entries []string
	}{{"any_word", p.AnyWord}, {"any_phrase", p.AnyPhrase}, {"contains", p.Contains}, {"matches", p.Matches}} {
		if len(l.entries) > 0 {
			names = append(names, l.name)
		}
	}
	return strings.Join(names, ", ")
}

// any returns the first entry that is there, or says that none has to be.
func (r *Reading) any(p *Pattern) (by string, ok bool) {
	for _, l := range []struct {
		name    string
		entries []string
	}{{"any_word", p.AnyWord}, {"any_phrase", p.AnyPhrase}} {
		for _, entry := range l.entries {
			if written, ok := r.anyRow(entry, p.Fuzzy); ok {
				by := fmt.Sprintf("%s %q", l.name, entry)
				if written != "" {
					by += fmt.Sprintf(" (written %q)", written)
				}
				return by, true
			}
		}
	}
	for _, entry := range p.Contains {
		if r.contains(Read(entry).folded) {
			return fmt.Sprintf("contains %q", entry), true
		}
	}
	for _, entry := range p.Matches {
		if e, err := newExpression(entry); err == nil && e.matchesText(r.written) {
			return fmt.Sprintf("matches %q", entry), true
		}
	}
	return "", !p.wantsAny()
}

func (r *Reading) contains(folded string) bool {
	for _, v := range r.variants {
		if strings.Contains(v, folded) {
			return true
		}
	}
	return strings.Contains(r.folded, folded)
}

// anyRow looks for one of the spellings of an entry, and says how it is written where that is with typos. Places without come first.
func (r *Reading) anyRow(entry string, fuzzy bool) (written string, ok bool) {
	ways := spellingsOf(entry)
	for _, words := range ways {
		if r.findRow(words, false) >= 0 {
			return "", true
		}
	}
	for _, words := range ways {
		if at := r.findRow(words, fuzzy); at >= 0 {
			return r.joined(at, len(words)), true
		}
	}
	return "", false
}

// findRow returns where words stand in a row, or -1.
func (r *Reading) findRow(words []string, fuzzy bool) int {
	for at := range len(r.words) - len(words) + 1 {
		if r.rowAt(words, at, fuzzy) == len(words) {
			return at
		}
	}
	return -1
}

// rowAt returns how many of the words stand in a row from a place on.
func (r *Reading) rowAt(words []string, at int, fuzzy bool) int {
	n, short := 0, fuzzy
	for ; n < len(words) && at+n < len(r.words); n++ {
		w := &r.words[at+n]
		if w.is(words[n], fuzzy) {
			continue
		}
		if !short || !mayBeMistyped(words, n) || lettersIn(w.meantText()) < shortTypo-1 || !isWithin(1, w.meantText(), words[n]) {
			break
		}
		short = false
	}
	return n
}

func (r *Reading) joined(at, n int) string {
	texts := make([]string, n)
	for i := range n {
		texts[i] = r.words[at+i].text
	}
	return strings.Join(texts, " ")
}

// is reports whether a word of a text is entry.
func (w *word) is(entry string, fuzzy bool) bool {
	found := w.text == entry || w.skeleton != "" && drawnOut(w.text, entry) || fuzzy && isMistyped(w.meantText(), entry)
	if !found && w.text[0] >= utf8.RuneSelf {
		eachStem(w.text, func(stem string) { found = found || stem == entry })
	}
	return found
}

// leastLike is how like an entry the text has to be to come near: half of its letters, or of its words.
const leastLike = 0.5

// mostNearest is how many comparisons the search for what came nearest may take.
const mostNearest = 100_000

// nearest returns what came nearest to a word or phrase of a pattern.
func (r *Reading) nearest(p *Pattern) string {
	best, text := 0.0, ""
	left := mostNearest
	for _, list := range [][]string{p.AnyPhrase, p.AnyWord} {
		for _, entry := range list {
			words := spellingsOf(entry)[0]
			if left -= (len(words) + 1) * (len(r.words) + 1); left < 0 {
				return text
			}
			for at := range r.words {
				if score, says := r.nearAt(entry, words, at, p.Fuzzy); score >= leastLike && score > best {
					best, text = score, says
				}
			}
		}
	}
	return text
}

// nearAt says how near, from 0 to 1, the text comes to an entry at one place.
func (r *Reading) nearAt(entry string, words []string, at int, fuzzy bool) (score float64, says string) {
	if len(words) > 1 {
		n := r.rowAt(words, at, fuzzy)
		return float64(n) / float64(len(words)), fmt.Sprintf("only %q of %q", r.joined(at, n), entry)
	}
	var a, b [mostTypo]rune
	w := &r.words[at]
	if len(w.text) > mostTypo || len(words[0]) > mostTypo {
		return 0, ""
	}
	x, y := appendLetters(w.text, &a), appendLetters(words[0], &b)
	score = 1 - float64(typoDistance(x, y, mostTypo))/float64(max(len(x), len(y)))
	return score, fmt.Sprintf("%q is not %q", w.text, entry)
}
