package language_test

import (
	"testing"

	"github.com/nectar-bot/nectar/internal/language"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// People say stop of many things. Each line is what `init` offers in a language, a message, and whether it asks for silence.
func TestSilenceAsked(t *testing.T) {
	t.Parallel()
	offered := map[language.Language]match.Phrases{
		language.English:    match.NewPhrases("stop", "unsubscribe", "opt out", "stop all", "cancel"),
		language.Spanish:    match.NewPhrases("baja", "darme de baja", "stop", "unsubscribe"),
		language.Portuguese: match.NewPhrases("sair", "parar", "descadastrar", "stop", "unsubscribe"),
		language.French:     match.NewPhrases("désabonnement", "arrêt", "stop", "unsubscribe"),
		language.German:     match.NewPhrases("stopp", "abmelden", "stop", "unsubscribe"),
	}
	for _, row := range languageTable(t, "silence") {
		if got := offered[row.l].SilenceAsked(match.Read(row.phrase)); got != (row.want == "yes") {
			t.Errorf("%s: %q: %t", row.l, row.phrase, got)
		}
	}
	if match.NewPhrases().SilenceAsked(match.Read("stop sending me this")) {
		t.Error("without stop words it asks for silence")
	}
}
