package match_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/internal/language/match"
	"pgregory.net/rapid"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"when do you open":                             {"when do you open"},
		"When do you open? How much is it?":            {"When do you open?", "How much is it?"},
		"when do you open and how much is it":          {"when do you open", "and how much is it"},
		"when do you open\nhow much is it":             {"when do you open", "how much is it"},
		"I need a table. At 7.30 p.m.":                 {"I need a table.", "At 7.30 p.m."},
		"12.50 or 1.5?":                                {"12.50 or 1.5?"},
		"write to ana@example.org!":                    {"write to ana@example.org!"},
		"Hello! When do you open? Thanks a lot":        {"Hello! When do you open? Thanks a lot"},
		"Hello! When do you open? Thank you so much 🙏": {"Hello! When do you open? Thank you so much 🙏"},
		"Hi. Good morning!":                            {"Hi. Good morning!"},
		"black and white":                              {"black and white"},
		"what is it and at what time do you open":      {"what is it", "and at what time do you open"},
		"¿Dónde están y cuándo abren?":                 {"¿Dónde están", "y cuándo abren?"},
		"¿a qué hora abren? ¿y a qué precio?":          {"¿a qué hora abren?", "¿y a qué precio?"},
		"onde fica e quanto custa":                     {"onde fica", "e quanto custa"},
		"c'est où et combien ça coûte ?":               {"c'est où", "et combien ça coûte ?"},
		"Wann habt ihr offen und was kostet das?":      {"Wann habt ihr offen", "und was kostet das?"},
		"営業時間は？料金は？":                                   {"営業時間は？", "料金は？"},
		"متى تفتحون؟ كم السعر؟":                        {"متى تفتحون؟", "كم السعر؟"},
		"":                                     nil,
		"and how":                              {"and how"},
		"when? where? how much?":               {"when?", "where?", "how much?"},
		"price and when do you open and where": {"price", "and when do you open", "and where"},
		"We are 4 people, 2 of them vegan... is that possible?": {"We are 4 people, 2 of them vegan...", "is that possible?"},
	} {
		if got := match.SplitQuestions(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Nothing of a text is lost but spaces.
func TestQuestionsAreTheWholeText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"hi", "and", " ", " ", "how", ".", "?", "\n", "much", "؟", "y", "qué", "…", "a", "  ", "\xff"})).Draw(t, "text"), "")
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := strings.Join(match.SplitQuestions(text), " "); bare(got) != bare(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
