package match_test

import (
	"testing"

	"github.com/nectar-bot/nectar/internal/language/match"
)

func TestAsked(t *testing.T) {
	t.Parallel()
	p := match.NewPhrases("stop", "Unsubscribe", "désabonnement", "leave me alone", "do not ever write to me", "停止", "🛑", "!")
	for text, want := range map[string]bool{
		"stop": true, "STOP!": true, "Stop please": true, "please stop": true, "please, please stop": true, "stop 🙏🙏🙏": true, "stoppp!!": true,
		"unsubscribe me now": true, "desabonnement": true, "leave me alone": true, "please leave me alone": true, "do not ever write to me": true,
		"do not ever write to me please": true, "请停止": false, "🛑": true, "🛑🛑🛑": true, "s t o p": false, "ｓｔｏｐ": true, "𝘀𝘁𝗼𝗽": true, "st&#111;p": true,
		"is it near the bus stop?": false, "stop?": false, "stop？": false, "you stop it": false, "the bus stop is there": false, "please do stop it": false,
		"I want to stop": false, "non-stop fun": false, "": false, "!": false, "stopped": false, "stop it, stop it": true, "don't stop": false,
	} {
		if got := p.AreAsked(match.Read(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
