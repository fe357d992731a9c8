package match

import (
	"slices"
	"strings"
	"unicode"
)

// WritingNames returns the languages that a text can be told to be written in: those in which answers are understood, by common words, and others by their
// script.
func WritingNames() []string {
	return []string{"en", "es", "pt", "fr", "de", "ar", "el", "fa", "he", "hi", "ja", "ko", "ru", "th", "uk", "zh"}
}

// WrittenIn returns the language that a text is written in; false when nothing tells: "ok", "14:00", or words that several languages have.
func (r *Reading) WrittenIn() (code string, ok bool) {
	if code := scriptOf(r.written); code != "" {
		return code, true
	}
	scores := map[string]int{}
	for i := range r.words {
		w := r.words[i].meantText()
		in := languagesOf[w]
		for _, l := range in {
			scores[l] += 12 / len(in) // a word of one language says as much as two words that two of them have
		}
	}
	for _, c := range r.written {
		for l, letters := range ownLetters {
			if strings.ContainsRune(letters, unicode.ToLower(c)) {
				scores[l] += 12
			}
		}
	}
	best, second := 0, 0
	for _, l := range answered {
		switch n := scores[l]; {
		case n > best:
			best, second, code = n, best, l
		case n > second:
			second = n
		}
	}
	return code, best > second
}

// answered are the languages in which answers are understood, in the order in which they are asked.
var answered = []string{"en", "es", "pt", "fr", "de"}

// scriptOf returns the language by whose script most letters of a text are written; "" for Latin letters.
func scriptOf(text string) string {
	n, latin := map[string]int{}, 0
	for _, c := range text {
		if c < 0x0370 {
			if unicode.IsLetter(c) {
				latin++
			}
			continue
		}
		for _, s := range scripts {
			if unicode.Is(s.table, c) {
				n[s.code]++
				break
			}
		}
	}
	code, most := "", 0
	for _, s := range scripts {
		if n[s.code] > most {
			code, most = s.code, n[s.code]
		}
	}
	switch {
	case most == 0 || latin > most && code != "ja" && code != "zh": // a brand's name among two words of Chinese is longer than these
		return ""
	case code == "zh" && n["ja"] > 0:
		return "ja"
	case code == "ru" && strings.ContainsAny(strings.ToLower(text), "іїєґ"):
		return "uk"
	case code == "ar" && strings.ContainsAny(text, "پچژگکی"):
		return "fa"
	}
	return code
}

var scripts = []struct {
	code  string
	table *unicode.RangeTable
}{
	{"ar", unicode.Arabic},
	{"el", unicode.Greek},
	{"he", unicode.Hebrew},
	{"hi", unicode.Devanagari},
	{"ja", unicode.Hiragana},
	{"ja", unicode.Katakana},
	{"ko", unicode.Hangul},
	{"ru", unicode.Cyrillic},
	{"th", unicode.Thai},
	{"zh", unicode.Han},
}

// ownLetters are characters that only one of the languages has.
var ownLetters = map[string]string{"es": "ñ¿¡", "pt": "ãõ", "de": "ßäö", "fr": "èùœîû"}

// languagesOf leads from common words to the languages that have them.
var languagesOf = func() map[string][]string {
	all := map[string][]string{}
	for l, words := range commonWords {
		for w := range wordSet(words) {
			all[w] = append(all[w], l)
		}
	}
	for _, in := range all {
		slices.Sort(in)
	}
	return all
}()

// commonWords are words of each language that people write often, without accents. What is left out is what others have in another meaning.
var commonWords = map[string]string{
	"en": `the is are was do does did you your yours my i it we they this that there what when where which who how much many can could will would should
		want need have has for of on at and or with from about please hello hi hey thanks thank thx price prices pricing cost costs how open opening closed hours
		appointment booking book today tomorrow tonight morning now not yes yeah any some me us get got know make order delivery available free whats dont cant im
		long see buy shop by be been if but`,
	"es": `el la los las un una unos unas y o de del que en es son por para con sin como cuanto cuanta cuantos cuesta cuestan vale precio precios cual cuales
		cuando donde quien hola buenos buenas dias tardes noches gracias favor quiero quisiera necesito puedo puede pueden tiene tienen tengo hay abren abierto abre
		cierran horario horarios cita reservar reserva manana hoy ahora si no me mi su sus usted ustedes muy estan esta este esto pero mas ya a al lo le te yo
		comprar envio pedido hacen`,
	"pt": `os as um uma uns umas e o a de do da dos das que em no na nos nas por para pra com sem como quanto quanta quantos custa custam preco precos qual
		quais quando onde quem ola oi bom boa dia tarde noite obrigado obrigada favor quero queria gostaria preciso posso pode podem tem tenho ha abrem aberto abre
		fecham horario horarios consulta marcar reserva amanha hoje agora sim nao me meu minha seu sua voce voces vcs muito esta estao este isso mas mais ja ao eu
		comprar encomenda fazem`,
	"fr": `le la les un une des et ou de du que qui quoi en est sont pour par avec sans comme combien coute coutent prix tarif tarifs quel quelle quels quelles
		quand bonjour bonsoir salut merci je tu il elle on nous vous ils mon ma mes ton votre vos voudrais veux peux puis pouvez avez ai suis etes y a ouvert ouverts
		ouvrez fermez horaires rendez rdv demain aujourd hui maintenant oui non ne pas au aux dans sur ce cette ces plus tres faut reserver commander livraison cest jai`,
	"de": `der die das dem den des ein eine einen einem einer und oder ist sind sie ich wir ihr mein meine was wie wo wann wer welche wieviel viel kostet kosten
		preis preise hallo guten tag morgen abend danke bitte ja nein nicht haben habe hat kann konnen koennen mochte moechte will wollen offen geoffnet geoeffnet
		offnungszeiten oeffnungszeiten offnen termin termine buchen bestellen heute jetzt fur fuer mit von zu zum zur auf im in es gibt auch noch aber nur um bei habt
		euch uns seid`,
}
