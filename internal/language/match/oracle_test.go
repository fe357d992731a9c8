package match_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/nectar-bot/nectar/internal/language/match"
	"pgregory.net/rapid"
)

// oracle decides one pattern against one text in the simplest way, for texts of letters, digits,
// spaces, "!" and the characters that plainly folds.
type oracle struct{ text string }

func (o oracle) holds(p match.Pattern) bool {
	for _, entry := range slices.Concat(p.NoneWord, p.NonePhrase) {
		if o.row(entry, false) {
			return false
		}
	}
	if len(p.Only) > 0 && !o.only(p) {
		return false
	}
	found := len(p.AnyWord)+len(p.AnyPhrase)+len(p.Contains)+len(p.Matches) == 0
	for _, entry := range slices.Concat(p.AnyWord, p.AnyPhrase) {
		found = found || o.row(entry, p.Fuzzy)
	}
	for _, entry := range p.Contains {
		found = found || o.contains(entry)
	}
	for _, entry := range p.Matches {
		found = found || regexp.MustCompile("(?i)"+entry).MatchString(o.text)
	}
	return found
}

// only builds an expression of all that the text may say.
func (o oracle) only(p match.Pattern) bool {
	var says func(words []string, some bool) bool
	says = func(words []string, some bool) bool {
		if len(words) == 0 {
			return some
		}
		symbols := slices.Contains(p.Only, match.AnySymbol)
		if words[0] == "👍" && says(words[1:], some || symbols) {
			return true
		}
		for _, entry := range p.Only {
			if row := o.words(entry); entry != match.AnySymbol && len(row) <= len(words) &&
				(oracle{strings.Join(words[:len(row)], " ")}).row(entry, p.Fuzzy) && says(words[len(row):], true) {
				return true
			}
		}
		return false
	}
	return says(o.words(o.text), false)
}

func simply(text string) string {
	return strings.NewReplacer("é", "e", "ß", "ss", "日", " 日 ", "👍", " 👍 ").Replace(strings.ToLower(text))
}

func (o oracle) words(text string) []string {
	return strings.FieldsFunc(simply(text), func(r rune) bool { return r == ' ' || r == '!' })
}

func (o oracle) row(entry string, fuzzy bool) bool {
	row, words := o.words(entry), o.words(o.text)
	for at := range words {
		if len(words)-at < len(row) {
			break
		}
		same, short := true, 0
		for i, w := range row {
			if !o.same(words[at+i], w, fuzzy) {
				short++
				same = same && fuzzy && len(row) >= 3 && len([]rune(w)) == 4 && o.near(words[at+i], w, 3, 1)
			}
		}
		if same && short <= 1 {
			return true
		}
	}
	return false
}

// same builds an expression of the word in the text: a drawn-out letter is that letter any number of
// times.
func (o oracle) same(text, entry string, fuzzy bool) bool {
	expression := "^"
	for _, r := range runs(text) {
		c := string([]rune(r)[:1])
		if n := len([]rune(r)); n >= 3 && c >= "a" {
			expression += c + "+"
		} else {
			expression += r
		}
	}
	if regexp.MustCompile(expression + "$").MatchString(entry) {
		return true
	}
	letters := len([]rune(entry))
	return fuzzy && letters >= 5 && o.near(text, entry, 5, map[bool]int{true: 2, false: 1}[letters >= 8])
}

// near reports whether a word of the text, with each drawn-out letter once, has so many letters at least and so many typos at most.
func (o oracle) near(text, entry string, least, most int) bool {
	short := ""
	for _, r := range runs(text) {
		if c := []rune(r); len(c) >= 3 && c[0] >= 'a' {
			r = string(c[:1])
		}
		short += r
	}
	a, b := []rune(short), []rune(entry)
	return len(a) >= least && a[0] == b[0] && !strings.ContainsFunc(short+entry, func(r rune) bool { return !unicode.IsLetter(r) || r == '日' }) && typosBetween(a, b) <= most
}

// typosBetween is the recursive definition of the distance.
func typosBetween(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return typosBetween(a[1:], b[1:])
	}
	if len(a)-len(b) > 3 || len(b)-len(a) > 3 {
		return 9
	}
	d := 1 + min(typosBetween(a[1:], b), typosBetween(a, b[1:]), typosBetween(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, 1+typosBetween(a[2:], b[2:]))
	}
	return d
}

func (o oracle) contains(entry string) bool {
	fold := func(text string) string {
		text = strings.NewReplacer("é", "e", "ß", "ss").Replace(strings.ToLower(text))
		for strings.Contains(text, "  ") {
			text = strings.ReplaceAll(text, "  ", " ")
		}
		for strings.Contains(text, "!!") {
			text = strings.ReplaceAll(text, "!!", "!")
		}
		return text
	}
	text, twice, once := fold(o.text), "", ""
	for _, r := range runs(text) {
		c := []rune(r)
		n2, n1 := len(c), len(c)
		if len(c) >= 3 && unicode.IsLetter(c[0]) {
			n2, n1 = 2, 1
		}
		twice, once = twice+string(c[:n2]), once+string(c[:n1])
	}
	entry = fold(entry)
	return strings.Contains(text, entry) || strings.ContainsFunc(text, func(r rune) bool { return drawn(text) && r != ' ' }) &&
		(strings.Contains(twice, entry) || strings.Contains(once, entry))
}

// drawn reports whether a text has a letter drawn out; of characters that are words of their own none is.
func drawn(text string) bool {
	return slices.ContainsFunc(runs(text), func(r string) bool {
		c := []rune(r)
		return len(c) >= 3 && c[0] >= 'a' && c[0] <= 'z'
	})
}

func runs(s string) []string {
	var out []string
	for _, r := range s {
		if n := len(out); n > 0 && strings.HasSuffix(out[n-1], string(r)) {
			out[n-1] += string(r)
			continue
		}
		out = append(out, string(r))
	}
	return out
}

// drawWord draws words that are often equal, often nearly.
func drawWord(t *rapid.T) string {
	w := rapid.SampledFrom([]string{
		"a", "b", "price", "prices", "priceless", "opening", "hours", "appointment", "cool", "col", "book", "caféteria",
		"groß", "10", "100", "1000", "日", "👍", "aaa", "abbac", "refund", "Refuse",
	}).Draw(t, "word")
	r := []rune(w)
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		at := rapid.IntRange(0, len(r)-1).Draw(t, "at")
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			r = slices.Insert(r, at, r[at], r[at])
		case 1:
			r = slices.Insert(r, at, rapid.SampledFrom([]rune("abeÉP1")).Draw(t, "letter"))
		case 2:
			if len(r) > 1 {
				r = slices.Delete(r, at, at+1)
			}
		case 3:
			if at > 0 {
				r[at], r[at-1] = r[at-1], r[at]
			}
		default:
		}
	}
	return string(r)
}

func drawText(t *rapid.T, least, most int) string {
	words := rapid.SliceOfN(rapid.Custom(drawWord), least, most).Draw(t, "words")
	gaps := rapid.SliceOfN(rapid.SampledFrom([]string{" ", " ", "  ", "!", "!! ", ""}), len(words), len(words)).Draw(t, "gaps")
	text := ""
	for i, w := range words {
		text += w + gaps[i]
	}
	return text
}

func drawPattern(t *rapid.T) match.Pattern {
	list := func(name string, most int) []string {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawText(t, 1, most) }), 0, 2).Draw(t, name)
	}
	p := match.Pattern{AnyWord: list("any word", 1), Fuzzy: rapid.Bool().Draw(t, "fuzzy")}
	if rapid.Bool().Draw(t, "more") {
		p.AnyPhrase, p.Contains = list("any phrase", 3), list("contains", 2)
	}
	if rapid.Bool().Draw(t, "none") {
		p.NoneWord, p.NonePhrase = list("none word", 1), list("none phrase", 3)
	}
	if rapid.Bool().Draw(t, "only") {
		if p.Only = list("only", 2); rapid.Bool().Draw(t, "any symbol") {
			p.Only = append(p.Only, match.AnySymbol)
		}
	}
	if rapid.Bool().Draw(t, "expressions") {
		p.Matches = rapid.SliceOfN(rapid.SampledFrom([]string{
			`pric(e|es)\b`, `^\s*(opening|appoint\w+)`, `\d{3}`, `(?-i)R`, `(price|hours)!`, `o{2,}`, `c.f[ée]`, `(a|bb)?`, `oß`, `日+👍`,
		}), 0, 2).Draw(t, "matches")
	}
	return p
}

func TestMatchAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		patterns := rapid.SliceOfN(rapid.Custom(drawPattern), 1, 12).Draw(t, "patterns")
		x, err := match.NewIndex(patterns)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			text := drawText(t, 0, 8)
			r := match.Read(text)
			var want []int
			for i, p := range patterns {
				holds := oracle{text}.holds(p)
				if holds {
					want = append(want, i)
				}
				if v := x.ExplainPattern(i, r); v.Holds != holds {
					t.Errorf("%q and %+v are explained as %+v", text, p, v)
				}
			}
			if got := x.Match(r, nil); !slices.Equal(got, want) {
				t.Errorf("%q matches %v, want %v of %+v", text, got, want, patterns)
			}
		}
	})
}

func TestPartsAreFoundWithinParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringMatching("[abc]{1,6}"), 1, 30).Draw(t, "parts")
		text := rapid.StringMatching("([abc]b|[abc]c){0,12}").Draw(t, "text")
		patterns := make([]match.Pattern, len(parts))
		var want []int
		for i, part := range parts {
			patterns[i].Contains = []string{part}
			if (oracle{text}).contains(part) {
				want = append(want, i)
			}
		}
		x, err := match.NewIndex(patterns)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Match(match.Read(text), nil); !slices.Equal(got, want) {
			t.Errorf("%q matches %v, want %v of %q", text, got, want, parts)
		}
	})
}

// drawExpression draws an expression of letters that folding treats in all its ways.
func drawExpression(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom(atoms()).Draw(t, "atom")
	}
	sub := func(name string) string { return drawExpression(t, rapid.IntRange(0, depth-1).Draw(t, name)) }
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return "(" + sub("a") + "|" + sub("b") + ")"
	case 1:
		return "(?:" + sub("a") + ")?"
	case 2:
		return "(" + sub("a") + ")+"
	case 3:
		return "(?:" + sub("a") + "){0,2}"
	case 4:
		return "(?-i:" + sub("a") + ")"
	default:
		return sub("a") + sub("b")
	}
}

func atoms() []string {
	return []string{"price", "e", "é", "e\u0301", "ß", "ss", "SS", "ſ", "k", "\u212a", "и", "й", "\u0306", "かき", "\u3099", "ㄱ", "가", "α", "ς", "1", "ﬁ", "𝗽", "ı", "İ", " ", "!!", "\u00ad", "œ"}
}

func TestExpressionsAreTriedWhereTheyMatch(t *testing.T) {
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		expression := drawExpression(t, 4)
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(atoms()), 0, 8).Draw(t, "text"), "")
		x, err := match.NewIndex([]match.Pattern{{Matches: []string{expression}}})
		if err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile("(?i)" + expression).MatchString(text)
		if want {
			matched++
		}
		if got := len(x.Match(match.Read(text), nil)) == 1; got != want {
			t.Errorf("%q matches %q: %t, want %t", expression, text, got, want)
		}
	})
	if matched == 0 {
		t.Error("no expression matched")
	}
}

func TestCoversHoldsForTexts(t *testing.T) {
	covered := 0
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawPattern(t), drawPattern(t)
		if rapid.Bool().Draw(t, "similar") {
			p.AnyWord = append(p.AnyWord, q.AnyWord...)
			p.AnyPhrase, p.Contains, p.Matches = append(p.AnyPhrase, q.AnyPhrase...), append(p.Contains, q.Contains...), q.Matches
			p.NoneWord, p.NonePhrase = q.NoneWord, nil
		}
		if rapid.Bool().Draw(t, "words as parts") {
			q.Contains, q.Matches, p.NoneWord, p.NonePhrase = nil, nil, nil, nil
			p.AnyWord, p.AnyPhrase, p.Contains = nil, nil, nil
			for _, entry := range slices.Concat(q.AnyWord, q.AnyPhrase) {
				p.Contains = append(p.Contains, strings.Trim(entry, " !"))
			}
		}
		if !p.Same(p) || !p.CoversPattern(p) {
			t.Errorf("%+v is not the same as itself, or does not cover itself", p)
		}
		if !p.CoversPattern(q) {
			return
		}
		covered++
		for range 4 {
			text := drawText(t, 0, 6)
			for _, entry := range slices.Concat(q.AnyWord, q.AnyPhrase) {
				if rapid.Bool().Draw(t, "entry") {
					text += " " + strings.ReplaceAll(entry, " ", rapid.SampledFrom([]string{" ", "!"}).Draw(t, "gap"))
				}
			}
			if (oracle{text}).holds(q) && !(oracle{text}).holds(p) {
				t.Errorf("%+v does not cover %+v: %q", p, q, text)
			}
		}
	})
	if covered == 0 {
		t.Error("no pattern covered another one")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("hey, when do you open tomorrow?", "when do you open", "tomorow", `open\b`, true)
	f.Add("caf&eacute; 𝗽𝗿𝗶𝗰𝗲 pleeease 👍🏽", "please", "cafe", `(a|b)+`, false)
	f.Add("и\u0306 か\u3099 ㄱㅏ 각", "и", "か", `и|か+|ㄱㅏ`, true)
	f.Add("a\xffb\u0300\u0300 ﬁ İ ß 日本", "ß", "İ日", `[[:alpha:]]ß`, true)
	f.Fuzz(func(t *testing.T, text, entry, part, expression string, fuzzy bool) {
		patterns := []match.Pattern{
			{AnyWord: []string{entry}, Fuzzy: fuzzy},
			{AnyPhrase: []string{entry + " " + part}, Fuzzy: fuzzy},
			{Contains: []string{part}},
			{Matches: []string{expression}},
			{NoneWord: []string{entry}, NonePhrase: []string{part}},
			{AnyWord: []string{text}, NoneWord: []string{part}},
		}
		r := match.Read(text)
		for _, p := range patterns {
			x, err := match.NewIndex([]match.Pattern{p})
			if err != nil {
				continue
			}
			got := len(x.Match(r, nil)) == 1
			if v := x.ExplainPattern(0, r); v.Holds != got {
				t.Errorf("%q: %+v matches: %t, explained as %+v", text, p, got, v)
			}
			if !p.Same(p) || !p.CoversPattern(p) {
				t.Errorf("%+v is not the same as itself, or does not cover itself", p)
			}
		}
	})
}
