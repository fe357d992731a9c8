package language_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/internal/language"
)

// What a bot written in Go compares by bot.Words and what rule files compare are the same words.
func TestWordsAreThoseOfBots(t *testing.T) {
	for _, text := range []string{
		"What's the PRICE of 2 boxes?", "café naïve Größe œuvre Łódź İstanbul ısı Ærø", "ΏΡΑ ώρες", "ещё Ёлка мой",
		"明日は営業しますか 12時", "ถามราคาหน่อย", "👍🏽 ok👍👍 ❤️ 👩‍👩‍👧", "don't e-mail me", "한국어 문장", "नमस्ते दुनिया",
	} {
		for _, w := range bot.Words(text) {
			x, err := language.NewIndex([]language.Pattern{{AnyWord: []string{w}}})
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if len(x.Match(language.Read(text), nil)) == 0 {
				t.Errorf("%q is a word of %q for bots, and not for rule files", w, text)
			}
		}
	}
}
