package match_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/language/match"
)

func TestMatch(t *testing.T) {
	word := func(w ...string) match.Pattern { return match.Pattern{AnyWord: w} }
	fuzzy := func(w ...string) match.Pattern { return match.Pattern{AnyWord: w, Fuzzy: true} }
	phrase := func(w ...string) match.Pattern { return match.Pattern{AnyPhrase: w} }
	part := func(w ...string) match.Pattern { return match.Pattern{Contains: w} }
	expression := func(w ...string) match.Pattern { return match.Pattern{Matches: w} }
	tests := []struct {
		name    string
		pattern match.Pattern
		yes, no []string
	}{
		{"nothing", match.Pattern{}, []string{"", "x"}, nil},
		{"whole words", word("price"), []string{"price", "What PRICE?", "(price)", "price's"}, []string{"priceless", "", "pric"}},
		{"accents", word("café", "GRÖSSE"), []string{"CAFE", "cafe\u0301!", "größe", "Grosse"}, []string{"caf"}},
		{"Greek", word("ώρα"), []string{"ΩΡΑ", "ωρα;"}, nil},
		{"Cyrillic", word("мой", "еще"), []string{"МОЙ", "мои\u0306", "ещё"}, []string{"мои"}},
		{"drawn out", word("please", "cool", "moon"), []string{"pleeeease", "PLEEEASE", "cooool", "coooooll lol cool", "mooon"}, []string{"mon", "col", "pleease", "coooollo"}},
		{"drawn out entry", word("www", "hmmm"), []string{"wwww", "www", "hmmmmm"}, []string{"ww", "hmm"}},
		{"digits are not drawn out", word("10", "100"), []string{"10", "100"}, []string{"1000", "1"}},
		{"entities", word("fish", "café"), []string{"fish&amp;chips", "caf&eacute;", "&quot;fish&quot;"}, []string{"&fisch;"}},
		{"several words in a word", word("e-mail", "don't"), []string{"my E-MAIL", "e mail", "don’t", "dont"}, []string{"email", "don"}},
		{"emoji", word("👍", "❤️"), []string{"👍🏽", "ok👍👍", "❤", "so❤️ok"}, []string{"👎", ""}},
		{"flags", word("🇪🇸"), []string{"viva 🇪🇸!"}, []string{"🇪 x 🇸", "🇸🇪"}},
		{"dressed letters", word("price"), []string{"𝗽𝗿𝗶𝗰𝗲?", "ＰＲＩＣＥ", "ⓟⓡⓘⓒⓔ"}, nil},
		{"hidden characters", word("price"), []string{"pri\u00adce", "pr\u200dice", "\u2066price\u2069", "\ufeffprice", "pri\u200bce"}, []string{"pri\u2009ce"}},
		{"no spaces", word("営業", "ราคา"), []string{"明日は営業しますか", "ถามราคาหน่อย"}, []string{"営", "業営"}},
		{"phrases", phrase("opening hours"), []string{"your OPENING   hours?", "opening, hours", "openingggg hours"}, []string{"opening the hours", "hours opening", "opening", "reopening hours"}},
		{"phrase with its word again", phrase("no no yes"), []string{"no no no yes"}, []string{"no yes", "no no"}},
		{"parts", part("wedd", "://", "€", "c'est"), []string{"weddings", "http://x", "5€", "C’est non c'est", "WEDDDDING"}, []string{"web", ":"}},
		{"parts between words", part("?!", "a  b"), []string{"what??!!", "a b", "xa\tby"}, []string{"? !", "a-b"}},
		{"parts drawn out", part("please", "cool"), []string{"xpleeeeasex", "coooool"}, []string{"pleease", "col"}},
		{"expressions", expression(`\b(pric|cost)\w*`, `^\d{3,}$`), []string{"Priceless", "COSTS", "1234"}, []string{"a 123", "rice"}},
		{"expressions see accents", expression(`caf[eé] noir`), []string{"CAFÉ noir", "caf&eacute; noir"}, []string{"cafè noir"}},
		{"expressions that tell case", expression(`(?-i)SOS`), []string{"SOS"}, []string{"sos"}},
		{"expressions with ß", expression(`fuß`, `straße`), []string{"FUẞ", "die Straße"}, []string{"fuss", "strasse"}},
		{"expressions in other scripts", expression(`цен[аы]`, `και`, `ми`), []string{"ЦЕНЫ", "ΚΑΙ", "ми\u0306"}, []string{"мй", "цен"}},
		{"typos", fuzzy("price"), []string{"price", "pirce", "pricee", "prise", "priice", "pricc"}, []string{"rpice", "pric", "rice", "pirse", "priceless"}},
		{"two typos", fuzzy("appointment"), []string{"apointment", "apointmen", "appiontmnet", "appppointment"}, []string{"apintmen", "disappointment"}},
		{"no typos in short words", fuzzy("cost"), []string{"cost"}, []string{"csot", "costs"}},
		{"no typos with digits", fuzzy("12345", "a1234b"), []string{"12345"}, []string{"12346", "a1235b"}},
		{"typos in phrases", match.Pattern{AnyPhrase: []string{"opening hours of"}, Fuzzy: true}, []string{"openning huors of"}, []string{"opening hours off"}},
		{
			"a typo in a short word of a phrase",
			match.Pattern{AnyPhrase: []string{"when do you open", "tell me more"}, Fuzzy: true},
			[]string{"whne do you open", "when do you oepn", "when do you opn", "whenn do you open", "tell me moer", "tel me more"},
			[]string{"whne do you oepn", "when od you open", "when do oyu open", "hwen do you open", "tell me", "wen do you opne", "when do you opeeener"},
		},
		{"no typo in a short word of two", match.Pattern{AnyPhrase: []string{"you open"}, AnyWord: []string{"open"}, Fuzzy: true}, []string{"you open"}, []string{"you oepn"}},
		{"no typos in none", match.Pattern{NoneWord: []string{"refund"}, Fuzzy: true}, []string{"refnud"}, []string{"refund", "REFUND?", "refuuund"}},
		{"none", match.Pattern{AnyPhrase: []string{"opening hours"}, NoneWord: []string{"refund"}, NonePhrase: []string{"so angry"}}, []string{"opening hours, angry so"}, []string{"opening hours, refund", "so angry: opening hours", "hours"}},
		{"any of all lists", match.Pattern{AnyWord: []string{"a"}, Contains: []string{"xyz"}, Matches: []string{"q+u"}}, []string{"a", "vxyzv", "qqu"}, []string{"b"}},
	}
	for _, test := range tests {
		x, err := match.NewIndex([]match.Pattern{test.pattern})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		check := func(text string, want bool) {
			r := match.Read(text)
			if got := len(x.Match(r, nil)) == 1; got != want {
				t.Errorf("%s: %q matches: %t, want %t", test.name, text, got, want)
			}
			if v := x.ExplainPattern(0, r); v.Holds != want {
				t.Errorf("%s: %q is explained as %+v, want %t", test.name, text, v, want)
			}
		}
		for _, text := range test.yes {
			check(text, true)
		}
		for _, text := range test.no {
			check(text, false)
		}
	}
}

func TestMatchAppendsInOrder(t *testing.T) {
	x, err := match.NewIndex([]match.Pattern{
		{AnyWord: []string{"b"}}, {NoneWord: []string{"z"}}, {AnyWord: []string{"a"}}, {Contains: []string{"b"}}, {AnyWord: []string{"c"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := x.Match(match.Read("a b"), []int{9, 7})
	if want := []int{9, 7, 0, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("matched %v, want %v", got, want)
	}
}

func TestMatchFromManyGoroutines(t *testing.T) {
	x, err := match.NewIndex([]match.Pattern{
		{AnyWord: []string{"price"}, Fuzzy: true}, {Matches: []string{"pr.ce"}}, {Contains: []string{"rice"}}, {NoneWord: []string{"price"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]int{"price": {0, 1, 2}, "pirce": {0, 3}, "hours": {3}, "prrrrice": {0, 2}}
	for text, want := range texts {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			r := match.Read(text)
			for range 200 {
				if got := x.Match(r, nil); !slices.Equal(got, want) {
					t.Errorf("%q matches %v, want %v", text, got, want)
				}
			}
		})
	}
}

func TestExplain(t *testing.T) {
	faq := match.Pattern{
		AnyWord: []string{"price", "cost"}, AnyPhrase: []string{"opening hours", "when do you open"},
		NoneWord: []string{"refund"}, NonePhrase: []string{"so angry"},
	}
	tests := []struct {
		pattern match.Pattern
		text    string
		want    match.Verdict
	}{
		{faq, "The PRICE?", match.Verdict{Holds: true, By: `any_word "price"`}},
		{faq, "opening hours", match.Verdict{Holds: true, By: `any_phrase "opening hours"`}},
		{faq, "price? refund!", match.Verdict{By: `none_word "refund"`}},
		{faq, "price, I am so ANGRY", match.Verdict{By: `none_phrase "so angry"`}},
		{faq, "refund", match.Verdict{By: `none of any_word, any_phrase is there`}},
		{faq, "the prices", match.Verdict{By: `none of any_word, any_phrase is there`, Nearest: `"prices" is not "price"`}},
		{faq, "when do they open", match.Verdict{By: `none of any_word, any_phrase is there`, Nearest: `only "when do" of "when do you open"`}},
		{match.Pattern{AnyWord: []string{"price"}, Fuzzy: true}, "a pirce", match.Verdict{Holds: true, By: `any_word "price" (written "pirce")`}},
		{match.Pattern{AnyWord: []string{"price"}, Fuzzy: true}, "pirce price", match.Verdict{Holds: true, By: `any_word "price"`}},
		{match.Pattern{Contains: []string{"€"}}, "5€", match.Verdict{Holds: true, By: `contains "€"`}},
		{match.Pattern{Matches: []string{`\d+`}}, "5€", match.Verdict{Holds: true, By: `matches "\\d+"`}},
		{match.Pattern{NoneWord: []string{"x"}}, "5€", match.Verdict{Holds: true}},
	}
	for _, test := range tests {
		x, err := match.NewIndex([]match.Pattern{test.pattern})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.ExplainPattern(0, match.Read(test.text)); got != test.want {
			t.Errorf("%q: %+v, want %+v", test.text, got, test.want)
		}
	}
}

// Expressions with a part that must be there cost a text without it nothing, and may be many.
func TestManyExpressions(t *testing.T) {
	patterns := make([]match.Pattern, 5000)
	for i := range patterns {
		patterns[i].Matches = []string{fmt.Sprintf(`\bword%d\w*\s+(one|two)\b`, i)}
	}
	x, err := match.NewIndex(patterns)
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Match(match.Read("Word77xyz TWO"), nil); !slices.Equal(got, []int{7, 77}) {
		t.Errorf("matched %v", got)
	}
}

// oneByOne returns a format filled in with one number after the other.
func oneByOne(format string) []string {
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf(format, i))
	}
	return all
}

func TestPatternErrors(t *testing.T) {
	tests := []struct {
		pattern match.Pattern
		entry   string
		problem string
	}{
		{match.Pattern{AnyWord: []string{"ok", "?!"}}, "?!", "no word"},
		{match.Pattern{NonePhrase: []string{""}}, "", "no word"},
		{match.Pattern{Contains: []string{" \t"}}, " \t", "empty"},
		{match.Pattern{Matches: []string{""}}, "", "empty"},
		{match.Pattern{Matches: []string{"a)(b"}}, "a)(b", "regular expression"},
		{match.Pattern{Matches: []string{"(?<x"}}, "(?<x", "regular expression"},
		{match.Pattern{Matches: []string{"((a{500}){500}){500}"}}, "((a{500}){500}){500}", "regular expression"},
		{match.Pattern{Matches: []string{`([ab][cd]){900}`}}, `([ab][cd]){900}`, "too large"},
		{match.Pattern{Matches: oneByOne(`[a%d]{900}`)}, `[a11]{900}`, "too many"},
		{match.Pattern{AnyWord: []string{strings.Repeat("ab", 600)}}, strings.Repeat("ab", 20) + "…", "too long"},
	}
	for _, test := range tests {
		_, err := match.NewIndex([]match.Pattern{{}, test.pattern})
		var problem *match.PatternError
		if !errors.As(err, &problem) {
			t.Errorf("%q: got %v", test.entry, err)
			continue
		}
		if problem.Pattern != 1 || problem.Entry != test.entry || !strings.Contains(problem.Problem, test.problem) {
			t.Errorf("%q: got %v", test.entry, problem)
		}
	}
}
