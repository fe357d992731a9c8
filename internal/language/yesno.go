package language

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/internal/language/match"
)

// YesNo reads an answer to a question of yes or no: the usual words of the language, ok, 👍 and 👎, drawn
// out or not. What could be either is neither, so that the person is asked again: both ("yes and no", "no
// problem, yes"), a denied yes ("not correct"), a question ("ok?"), doubt ("not sure"), and a long text
// that does not begin with the answer.
func (l Language) YesNo(text string) (yes, ok bool) {
	l = l.orEnglish()
	r := match.Read(text)
	if r.WordCount() == 0 || strings.HasSuffix(strings.TrimSpace(r.Folded()), "?") {
		return false, false
	}
	a := answers{r: r, short: r.WordCount() <= 3}
	said := l.answers()
	for phrase := range strings.SplitSeq(said.doubt, "|") {
		if r.HasPhrase(strings.Fields(phrase)) {
			return false, false
		}
	}
	agrees, denies := a.has(said.yes, said.yesAlone), a.has(said.no, said.noAlone)
	if agrees.any == denies.any {
		return false, false
	}
	if a.hasWord(said.not) {
		return false, denies.first // "no, not today", but neither "not right" nor "not wrong"
	}
	return agrees.any, a.short || agrees.first || denies.first
}

// answers looks for answers in a text.
type answers struct {
	r     *match.Reading
	short bool // the text is a few words
}

// found reports whether an answer is there, and is what the text begins with.
type found struct{ any, first bool }

// has looks for phrases, between bars, and for those that count only when nothing else is said.
func (a *answers) has(phrases, alone string) found {
	var f found
	for phrase := range strings.SplitSeq(phrases, "|") {
		words := strings.Fields(phrase)
		for at := range a.r.WordCount() - len(words) + 1 {
			if a.r.HasWordsAt(words, at) {
				f.any = true
				f.first = f.first || at == 0
			}
		}
	}
	for phrase := range strings.SplitSeq(alone, "|") {
		words := strings.Fields(phrase)
		if len(words) > 0 && len(words) == a.r.WordCount() && a.r.HasWordsAt(words, 0) {
			return found{true, true}
		}
	}
	return f
}

func (a *answers) hasWord(words string) bool {
	return slices.ContainsFunc(strings.Fields(words), func(w string) bool { return a.r.HasPhrase([]string{w}) })
}

// said is how a language says yes and no.
type said struct {
	yes, no           string
	yesAlone, noAlone string
	not               string // words that turn an answer around
	doubt             string // phrases that make it no answer
}

func (l Language) answers() said {
	switch l {
	case Spanish:
		return said{
			yes: "si|claro|vale|correcto|exacto|por supuesto|de acuerdo|desde luego|asi es|perfecto|ok|okay|okey|👍|✅", no: "no|nunca|incorrecto|para nada|👎|❌",
			yesAlone: "s|bueno|bien|esta bien|eso es", noAlone: "n|mal|nada", not: "tampoco",
			doubt: "no se|no tengo ni idea|no hay problema|ningun problema|sin problema|quiza|quizas|tal vez|si quieres|si puedes|si es posible|no estoy|depende|ni idea|por que no|no es|no esta",
		}
	case Portuguese:
		return said{
			yes: "sim|claro|certo|correto|correcto|com certeza|isso mesmo|exato|exatamente|exactamente|pode ser|de acordo|perfeito|ok|okay|👍|✅", no: "nao|nunca|errado|incorreto|de jeito nenhum|👎|❌",
			yesAlone: "s|e|isso|esta bem|ta|ta bom|bem|beleza", noAlone: "n|nada", not: "nem",
			doubt: "nao sei|nao faco ideia|sem problema|nao ha problema|nao tem problema|talvez|nao tenho certeza|depende|por que nao|nao e|nao esta",
		}
	case French:
		return said{
			yes: "oui|ouais|ouaip|d accord|bien sur|exact|exactement|c est ca|c est bon|tout a fait|volontiers|correct|parfait|ok|okay|👍|✅", no: "non|nan|jamais|pas du tout|faux|incorrect|👎|❌",
			yesAlone: "o|si|bien|bon|ca marche", noAlone: "n|rien", not: "pas ni",
			doubt: "sais pas|pas de probleme|aucun probleme|sans probleme|peut etre|pas sur|ca depend|pourquoi pas|aucune idee",
		}
	case German:
		return said{
			yes: "ja|jo|jep|jap|jawohl|klar|genau|stimmt|richtig|korrekt|passt|gerne|gern|einverstanden|sicher|natuerlich|naturlich|ok|okay|👍|✅", no: "nein|nee|ne|no|nope|niemals|falsch|auf keinen fall|👎|❌",
			yesAlone: "j|gut|jaja", noAlone: "n|nie", not: "nicht kein keine",
			doubt: "kein problem|weiss nicht|vielleicht|jein|nicht sicher|keine ahnung|kommt drauf an|warum nicht",
		}
	default:
		return said{
			yes: "yes|yep|yup|yeah|yea|ya|aye|ok|okay|sure|of course|correct|right|definitely|absolutely|exactly|certainly|👍|✅", no: "no|nope|nah|never|wrong|incorrect|no way|👎|❌",
			yesAlone: "y|k|fine|perfect|great|good|it is|i do|i am", noAlone: "n|none", not: "not isn t don t doesn",
			doubt: "no problem|no worries|not sure|don t know|dont know|maybe|perhaps|no idea|no clue|no need|no rush|why not|it depends|no matter|right now|right away",
		}
	}
}
