package language_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// What a bot written in Go compares by bot.Words and what rule files compare are the same words.
func TestWordsAreThoseOfBots(t *testing.T) {
	for _, text := range []string{
		"What's the PRICE of 2 boxes?", "café naïve Größe œuvre Łódź İstanbul ısı Ærø", "ΏΡΑ ώρες", "ещё Ёлка мой",
		"明日は営業しますか 12時", "ถามราคาหน่อย", "👍🏽 ok👍👍 ❤️ 👩‍👩‍👧", "don't e-mail me", "한국어 문장", "नमस्ते दुनिया",
	} {
		for _, w := range bot.Words(text) {
			x, err := match.NewIndex([]match.Pattern{{AnyWord: []string{w}}})
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if len(x.Match(match.Read(text), nil)) == 0 {
				t.Errorf("%q is a word of %q for bots, and not for rule files", w, text)
			}
		}
	}
}

// What people would call the same word is found however it is typed, and what is another word is not. Each line is a word or phrase of a rule, a text,
// and whether it is there.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "words") {
		text, want, ok := strings.Cut(row[1], "|")
		if !ok {
			t.Fatalf("%q is no row", row)
		}
		p := match.Pattern{AnyPhrase: []string{row[0]}}
		x, err := match.NewIndex([]match.Pattern{p})
		if err != nil {
			t.Errorf("%q: %v", row[0], err)
			continue
		}
		r := match.Read(strings.TrimSpace(text))
		if got := len(x.Match(r, nil)) == 1; got != (strings.TrimSpace(want) == "yes") {
			t.Errorf("%q in %q: %t, want %s", row[0], text, got, want)
		}
		if got := x.ExplainPattern(0, r).Holds; got != (strings.TrimSpace(want) == "yes") {
			t.Errorf("%q in %q is explained as %t, want %s", row[0], text, got, want)
		}
	}
}
