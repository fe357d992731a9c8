package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Phrases are words in a row that a whole text says.
type Phrases [][]string

// NewPhrases reads phrases. What has no word in it is left out.
func NewPhrases(texts ...string) Phrases {
	p := make(Phrases, 0, len(texts))
	for _, text := range texts {
		p = append(p, spellingsOf(text)...)
	}
	return p
}

// AreAsked reports whether a text asks for what one of the phrases means: it is one of them, also more than once, beside words that are polite or
// strengthen it ("please", "now", "me"), and asks nothing. With any other word it is about something else: "the bus stop", "stop bleeding". A phrase
// that is one of the words people say of what they have, such as "cancel", has to be the whole text. Symbols such as 🙏 are no words here, unless a phrase has them.
func (p Phrases) AreAsked(r *Reading) bool {
	if len(p) == 0 || len(r.words) == 0 || strings.ContainsAny(r.written, "?？؟") { //mutate:stop-question
		return false
	}
	return p.says(r) || p.says(r.withoutSymbols())
}

// SilenceAsked is AreAsked, or a sentence that means it: "stop sending me this".
func (p Phrases) SilenceAsked(r *Reading) bool {
	return p.AreAsked(r) || len(p) > 0 && !strings.ContainsAny(r.written, "?？؟") && r.withoutSymbols().endsMessages()
}

// says reports whether a text is nothing but phrases and what may stand around them.
func (p Phrases) says(r *Reading) bool {
	found := false
	for i := 0; i < len(r.words); {
		n := 0
		for _, phrase := range p {
			if len(phrase) > n && r.rowAt(phrase, i, false) == len(phrase) && (len(phrase) > 1 || len(r.words) == 1 || !ownWords[phrase[0]]) {
				n = len(phrase)
			}
		}
		switch w := r.words[i].text; {
		case n > 0:
			found, i = true, i+n
		case politeWords[w] || found && wordsBehind[w]:
			i++
		default:
			return false
		}
	}
	return found
}

// endsMessages reports whether a text says that no more messages are to come, and nothing else.
func (r *Reading) endsMessages() bool {
	i := 0
	for i < len(r.words) && politeWords[r.words[i].text] {
		i++
	}
	lead := 0
	for _, phrase := range messageEnds {
		if r.rowAt(phrase, i, false) == len(phrase) {
			lead = max(lead, len(phrase))
		}
	}
	writes := false
	for _, w := range r.words[min(i+lead, len(r.words)):] {
		if writes = writes || writingWords[w.text]; !writingWords[w.text] && !messageWords[w.text] && !politeWords[w.text] && !wordsBehind[w.text] {
			return false
		}
	}
	return lead > 0 && writes
}

// The words of all languages together: people may write to a Spanish account in English.
var (
	politeWords = wordSet(`please pls plz now just ok okay hey hi hello thanks already immediately really
		por favor porfa porfavor ya ahora vale hola gracias inmediatamente ja agora ola obrigado obrigada favor imediatamente
		svp sil vous te plait stp maintenant bonjour salut merci tout de suite immediatement
		bitte jetzt sofort hallo danke endlich mal`)
	// wordsBehind stand only behind what is asked for.
	wordsBehind = wordSet("me us it this that all everything everybody again thank you mich uns alles wieder encore")
	// ownWords are what people say of their appointments, orders and subscriptions, too.
	ownWords = wordSet("cancel end quit")
	// messageEnds begin a sentence that ends messages, if one of writingWords follows.
	messageEnds = NewPhrases("stop", "quit", "deja de", "deje de", "dejen de", "dejad de", "para de", "pare de", "paren de", "parem de", "arrete de", "arretez de",
		"arrete d", "arretez d", "cesse de", "cessez de", "cessez d", "hor auf", "hore auf", "hort auf", "horen sie auf")
	writingWords = wordSet(`sending messaging texting writing contacting spamming bothering
		enviar enviarme enviarnos mandar mandarme mandarnos escribir escribirme escribirnos escrever incomodar
		envoyer ecrire contacter deranger schreiben schicken senden`)
	messageWords = wordSet(`to these those messages message texts text msgs stuff anything any more anymore the your
		de mensajes mensaje esto estos estas mas nada publicidad los las mensagens mensagem mais isto isso estas essas nos
		m d ces des messages ca plus mir zu nachrichten keine mehr`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// withoutSymbols returns a reading of the words alone.
func (r *Reading) withoutSymbols() *Reading {
	if !slices.ContainsFunc(r.words, word.isSymbol) {
		return r
	}
	return &Reading{words: slices.DeleteFunc(slices.Clone(r.words), word.isSymbol)}
}

// isSymbol reports whether a word is a symbol such as 👍.
func (w word) isSymbol() bool {
	first, _ := utf8.DecodeRuneInString(w.text)
	return !unicode.IsLetter(first) && !unicode.IsNumber(first)
}

// StartWords returns the words of a language that end a silence, unless others are written. The first one is named.
func StartWords(language string) []string {
	switch language {
	case "es":
		return []string{"alta", "start", "empezar"}
	case "pt":
		return []string{"voltar", "start", "começar"}
	case "fr":
		return []string{"reprendre", "start"}
	case "de":
		return []string{"start", "weiter"}
	default:
		return []string{"start", "resume"}
	}
}

// AllStartWords are those of all languages.
func AllStartWords() Phrases {
	var all Phrases
	for _, l := range answered {
		all = append(all, NewPhrases(StartWords(l)...)...)
	}
	return all
}
