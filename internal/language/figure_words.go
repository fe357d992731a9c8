package language

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What stands beside a number says what it is. All words are folded, in all languages: a person who answers in another one
// than the file's is understood, too.

// phoneWords may stand on a number without a space.
const phoneWords = ` tel tlf tfno telf telefono telefone telephone telefon phone mobile movil telemovel portable handy cell whatsapp wa wsp zap
	ph fon mob no nº n nr num numero number nummer `

// otherNumbers say of what stands behind them that it is no phone number, and codeWords only with a word for a number
// between them.
const (
	otherNumbers = ` order orders invoice tracking ref reference refer sku isbn ean serial iban bic vat passport imei
		pedido pedidos factura referencia seguimiento dni nie nif cif cpf cnpj rg nib pasaporte passaporte albaran
		encomenda encomendas fatura rastreio
		commande facture suivi siret siren passeport
		bestellung rechnung auftrag reisepass ausweis plz steuernummer `
	codeWords = ` customer client account booking reservation ticket card case policy parcel member id
		cliente cuenta conta reserva tarjeta cartao billete bilhete poliza apolice expediente processo envio
		compte reservation carte dossier colis billet kunde konto buchung karte vertrag sendung paket `
	numberWords = ` no nº n º nr num numero number nummer code codigo id `
	joinWords   = ` is was es e est ist era de da do del des la el le les o a the der die das my mi `
)

// compounds are how German words for other numbers begin, and numberEndings how they end.
var (
	compounds     = []string{"bestell", "rechnung", "auftrag", "kunden", "buchung", "sendung", "vertrag", "konto", "karten", "paket", "artikel", "serien"}
	numberEndings = []string{"nummer", "nr", "code"}
)

const (
	currencyWords = ` eur euro euros usd dollar dollars dolar dolares dolares real reais brl chf gbp pound pounds libras libra francs francos
		franken pesos peso kr zl pln sek `
	currencySigns = "€$£¥"
	// unitWords say of what a number is how many.
	unitWords = ` people persons person pax guests guest adults adult kids kid children of hours hour hrs hr o am pm p noon
		personas persona adultos ninos horas hora h hs invitados comensales seguidores
		pessoas pessoa criancas convidados seguidores personnes personne adultes enfants invites heures heure
		personen leute gaste kinder erwachsene uhr stunden followers km kg `
)

func isPhoneWord(word string) bool { return among(phoneWords, word) }

// among reports whether a word is in a list.
func among(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// wordBefore returns the word that stands before a figure, with nothing but a space or a point between them.
func (l *figureLine) wordBefore(i int) string {
	return lastPart(strings.TrimRight(l.text[:l.figures[i].from], " ."), unicode.IsLetter)
}

// mostBefore is how many words before a number are looked at for what it is.
const mostBefore = 6

// calledOtherwise reports whether the words before a figure say that it is no phone number.
func (l *figureLine) calledOtherwise(i int) bool {
	s, number := l.text[:l.figures[i].from], false
	for range mostBefore {
		s = strings.TrimRight(s, " :=°№(")
		short, point := strings.CutSuffix(s, ".")
		if point {
			s = short
		}
		if rest, ok := strings.CutSuffix(s, "#"); ok {
			s, number = strings.TrimRight(rest, " "), true
		}
		word := lastPart(s, unicode.IsLetter)
		s = s[:len(s)-len(word)]
		switch {
		case point && utf8.RuneCountInString(word) > 4 && !strings.HasSuffix(word, "nr"):
			return false // the end of a sentence
		case among(otherNumbers, word), number && among(codeWords, word), isCompound(word):
			return true
		case among(numberWords, word):
			number = true
		case !among(joinWords, word):
			return false
		}
	}
	return false
}

func isCompound(word string) bool {
	return slices.ContainsFunc(compounds, func(c string) bool { return strings.HasPrefix(word, c) }) &&
		slices.ContainsFunc(numberEndings, func(e string) bool { return strings.HasSuffix(word, e) })
}

// hoursOn is how hours go on: "9 a 14", "9 - 14".
var hoursOn = regexp.MustCompile(`^(?:-|a|to|till|bis|as|y|et|and|und) ?\d{1,2}\b`)

// isCount reports whether a figure says how many there are of what stands behind it.
func (l *figureLine) isCount(i int) bool {
	s, spaced := strings.CutPrefix(l.text[l.figures[i].to:], " ")
	if i > 0 && len(l.digitsOf(i)) <= 2 && len(l.digitsOf(i-1)) > len(l.digitsOf(i)) && hoursOn.MatchString(s) {
		return true
	}
	word := firstPart(s, unicode.IsLetter)
	rest := s[len(word):]
	switch {
	case !spaced || !among(unitWords, word):
		return isYear(l.digitsOf(i)) && among(unitWords, word)
	case word == "p":
		return strings.HasPrefix(rest, ".m")
	case word == "o":
		return strings.HasPrefix(rest, "'clock") || strings.HasPrefix(rest, "’clock")
	case word == "of":
		return strings.HasPrefix(rest, " us")
	case word == "am", word == "a":
		return len(l.digitsOf(i)) <= 2 && strings.Trim(rest, ".!?, ") == "" // "am Montag" is German
	default:
		return true
	}
}

// isPrice reports whether a currency stands beside a row.
func (l *figureLine) isPrice(from, to int) bool {
	before := strings.TrimRight(l.text[:l.figures[from].from], " ")
	after := strings.TrimLeft(l.text[l.figures[to-1].to:], " ")
	if r, _ := utf8.DecodeRuneInString(after); strings.ContainsRune(currencySigns+"%", r) && after != "" {
		return true
	}
	if among(currencyWords, firstPart(after, unicode.IsLetter)) {
		return true
	}
	sign, size := utf8.DecodeLastRuneInString(before)
	if size > 0 && strings.ContainsRune(currencySigns, sign) {
		return !endsInDigit(before[:len(before)-size])
	}
	word := lastPart(before, unicode.IsLetter)
	return among(currencyWords, word) && !endsInDigit(before[:len(before)-len(word)])
}

func endsInDigit(s string) bool {
	s = strings.TrimRight(s, " ")
	return s != "" && '0' <= s[len(s)-1] && s[len(s)-1] <= '9'
}
