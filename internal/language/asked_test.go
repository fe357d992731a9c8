package language_test

import (
	"testing"

	"github.com/nectar-bot/nectar/internal/language"
)

func TestAsked(t *testing.T) {
	t.Parallel()
	p := language.NewPhrases("stop", "Unsubscribe", "désabonnement", "leave me alone", "do not ever write to me", "停止", "🛑", "!")
	for text, want := range map[string]bool{
		"stop": true, "STOP!": true, "Stop please": true, "please stop": true, "please, please stop": true, "stop 🙏🙏🙏": true, "stoppp!!": true,
		"unsubscribe me now": true, "desabonnement": true, "leave me alone": true, "please leave me alone": true, "do not ever write to me": true,
		"do not ever write to me please": true, "请停止": false, "🛑": true, "🛑🛑🛑": true, "s t o p": false, "ｓｔｏｐ": true, "𝘀𝘁𝗼𝗽": true, "st&#111;p": true,
		"is it near the bus stop?": false, "stop?": false, "stop？": false, "you stop it": false, "the bus stop is there": false, "please do stop it": false,
		"I want to stop": false, "non-stop fun": false, "": false, "!": false, "stopped": false, "stop it, stop it": true, "don't stop": false,
	} {
		if got := p.AreAsked(language.Read(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// People say stop of many things. Each line is what `init` offers in a language, a message, and whether it asks for silence.
func TestSilenceAsked(t *testing.T) {
	t.Parallel()
	offered := map[language.Language]language.Phrases{
		language.English:    language.NewPhrases("stop", "unsubscribe", "opt out", "stop all", "cancel"),
		language.Spanish:    language.NewPhrases("baja", "darme de baja", "stop", "unsubscribe"),
		language.Portuguese: language.NewPhrases("sair", "parar", "descadastrar", "stop", "unsubscribe"),
		language.French:     language.NewPhrases("désabonnement", "arrêt", "stop", "unsubscribe"),
		language.German:     language.NewPhrases("stopp", "abmelden", "stop", "unsubscribe"),
	}
	for _, row := range languageTable(t, "silence") {
		if got := offered[row.l].SilenceAsked(language.Read(row.phrase)); got != (row.want == "yes") {
			t.Errorf("%s: %q: %t", row.l, row.phrase, got)
		}
	}
	if language.NewPhrases().SilenceAsked(language.Read("stop sending me this")) {
		t.Error("without stop words it asks for silence")
	}
}
