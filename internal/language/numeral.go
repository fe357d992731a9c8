package language

import "strings"

// numeral is what a word says about a number.
type numeral struct {
	n     int
	times bool // it multiplies what stands before it
	weak  bool // it may just as well be an article
}

// readNumeral returns what a folded word says.
func (l Language) readNumeral(w string) (numeral, bool) {
	switch l {
	case Spanish:
		return spanishNumeral(w)
	case Portuguese:
		return portugueseNumeral(w)
	case French:
		return frenchNumeral(w)
	case German:
		return germanNumeral(w)
	default:
		return englishNumeral(w)
	}
}

// readCardinal reads a number from 0 to 999,999 in words at i. end is i when there is none; weak tells that
// it may be an article.
func (l Language) readCardinal(t tokens, i int) (n, end int, weak bool) {
	g := group{l: l, small: -1, hundreds: -1}
	thousands := -1
	end = i
	for j := i; j < len(t); {
		w, ok := l.readNumeral(t.wordAt(j))
		if !ok {
			if end > i && j == end && l.joiner(t.wordAt(j), &g) {
				j++
				continue
			}
			break
		}
		switch {
		case w.times && w.n == 1000 && thousands < 0:
			thousands = max(g.value(), 1)
			g = group{l: l, small: -1, hundreds: -1}
		case !g.take(w):
			return total(thousands, g), end, weak
		}
		j++
		weak = w.weak && j == i+1
		end = j
	}
	return total(thousands, g), end, weak
}

func total(thousands int, g group) int {
	n := max(g.value(), 0)
	if thousands > 0 {
		n += thousands * 1000
	}
	return n
}

// group is a number below 1000 while it is read.
type group struct {
	l               Language
	small, hundreds int // -1: not there yet
	closed          bool
}

func (g *group) value() int {
	if g.small < 0 && g.hundreds < 0 {
		return -1
	}
	return max(g.small, 0) + max(g.hundreds, 0)
}

// take adds a word to the number, where it can follow.
func (g *group) take(w numeral) bool {
	switch {
	case g.closed:
		return false
	case w.times && w.n == 12:
		g.small, g.hundreds, g.closed = max(g.value(), 1)*12, 0, true
	case w.times && w.n == 100:
		if g.hundreds >= 0 || g.small > 19 || g.small == 0 {
			return false
		}
		g.hundreds, g.small = max(g.small, 1)*100, -1
	case w.times:
		return false
	case w.n >= 1000:
		if g.value() >= 0 {
			return false
		}
		g.small, g.closed = w.n, true
	case w.n >= 100:
		if g.value() >= 0 {
			return false
		}
		g.hundreds = w.n / 100 * 100
		if w.n%100 != 0 {
			g.small = w.n % 100
		}
	case g.small < 0:
		g.small = w.n
	case g.l == French && g.small == 4 && w.n == 20:
		g.small = 80
	case g.small >= 20 && g.small%10 == 0 && w.n > 0 && (w.n < 10 || g.l == French && w.n < 20 && (g.small == 60 || g.small == 80)):
		g.small += w.n
	default:
		return false
	}
	return true
}

// joiner reports whether a word may stand inside of the number.
func (l Language) joiner(w string, g *group) bool {
	tens := g.small >= 20 && g.small%10 == 0
	switch l {
	case Spanish:
		return w == "y" && tens
	case Portuguese:
		return w == "e"
	case French:
		return w == "et" && tens
	case German:
		return w == "und" && g.small < 0
	default:
		return w == "and" && g.small < 0
	}
}

// numberAt returns the number of a word in a list, in which those for one number stand between bars.
func numberAt(list, w string, first, step int) (int, bool) {
	if w == "" {
		return 0, false
	}
	n := first
	for names := range strings.FieldsSeq(list) {
		for name := range strings.SplitSeq(names, "|") {
			if name == w {
				return n, true
			}
		}
		n += step
	}
	return 0, false
}

func englishNumeral(w string) (numeral, bool) {
	switch w {
	case "hundred", "hundreds":
		return numeral{n: 100, times: true}, true
	case "thousand":
		return numeral{n: 1000, times: true}, true
	case "dozen":
		return numeral{n: 12, times: true}, true
	case "a", "an":
		return numeral{n: 1, weak: true}, true
	}
	n, ok := numberAt(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
		sixteen seventeen eighteen nineteen`, w, 0, 1)
	if !ok {
		n, ok = numberAt("twenty thirty forty|fourty fifty sixty seventy eighty ninety|ninty", w, 20, 10) //nolint:misspell // people do misspell
	}
	return numeral{n: n}, ok
}

func spanishNumeral(w string) (numeral, bool) {
	switch w {
	case "un", "una":
		return numeral{n: 1, weak: true}, true
	case "mil":
		return numeral{n: 1000, times: true}, true
	case "docena", "docenas":
		return numeral{n: 12, times: true}, true
	case "cien", "ciento":
		return numeral{n: 100}, true
	}
	n, ok := numberAt(`cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis
		diecisiete dieciocho diecinueve veinte veintiuno|veintiun|veintiuna veintidos veintitres veinticuatro
		veinticinco veintiseis veintisiete veintiocho veintinueve`, w, 0, 1)
	if !ok {
		n, ok = numberAt("treinta cuarenta cincuenta sesenta setenta ochenta noventa", w, 30, 10)
	}
	if !ok {
		n, ok = numberAt(`doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas quinientos|quinientas
			seiscientos|seiscientas setecientos|setecientas ochocientos|ochocientas novecientos|novecientas`, w, 200, 100)
	}
	return numeral{n: n}, ok
}

func portugueseNumeral(w string) (numeral, bool) {
	switch w {
	case "um", "uma":
		return numeral{n: 1, weak: true}, true
	case "mil":
		return numeral{n: 1000, times: true}, true
	case "duzia", "duzias":
		return numeral{n: 12, times: true}, true
	case "cem", "cento":
		return numeral{n: 100}, true
	case "catorze":
		return numeral{n: 14}, true
	}
	n, ok := numberAt(`zero - dois|duas tres quatro cinco seis|meia sete oito nove dez onze doze treze quatorze quinze
		dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove`, w, 0, 1)
	if ok && w == "meia" {
		return numeral{}, false // half, when it is not read out digit by digit
	}
	if !ok {
		n, ok = numberAt("vinte trinta quarenta cinquenta|cincoenta sessenta setenta oitenta noventa", w, 20, 10)
	}
	if !ok {
		n, ok = numberAt(`duzentos|duzentas trezentos|trezentas quatrocentos|quatrocentas quinhentos|quinhentas
			seiscentos|seiscentas setecentos|setecentas oitocentos|oitocentas novecentos|novecentas`, w, 200, 100)
	}
	return numeral{n: n}, ok
}

func frenchNumeral(w string) (numeral, bool) {
	switch w {
	case "un", "une":
		return numeral{n: 1, weak: true}, true
	case "cent", "cents":
		return numeral{n: 100, times: true}, true
	case "mille", "mil":
		return numeral{n: 1000, times: true}, true
	case "douzaine", "douzaines":
		return numeral{n: 12, times: true}, true
	case "vingts":
		return numeral{n: 20}, true
	}
	n, ok := numberAt("zero - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize", w, 0, 1)
	if !ok {
		n, ok = numberAt("vingt trente quarante cinquante soixante septante huitante|octante nonante", w, 20, 10) //nolint:misspell // French
	}
	return numeral{n: n}, ok
}

func germanNumeral(w string) (numeral, bool) {
	switch w {
	case "ein", "eine", "einen", "einem", "einer":
		return numeral{n: 1, weak: true}, true
	case "hundert":
		return numeral{n: 100, times: true}, true
	case "tausend":
		return numeral{n: 1000, times: true}, true
	case "dutzend":
		return numeral{n: 12, times: true}, true
	}
	n, ok := germanCompound(w)
	return numeral{n: n}, ok
}

// germanCompound reads a number that is written in one word.
func germanCompound(w string) (int, bool) {
	for _, big := range []struct {
		name string
		n    int
	}{{"tausend", 1000}, {"hundert", 100}} {
		left, right, found := strings.Cut(w, big.name)
		if !found {
			continue
		}
		n, ok := 1, true
		if left != "" {
			n, ok = germanCompound(left)
		}
		if !ok || n >= 1000 || n == 0 || big.n == 100 && n > 19 {
			return 0, false
		}
		rest := 0
		if right = strings.TrimPrefix(right, "und"); right != "" {
			rest, ok = germanCompound(right)
		}
		return n*big.n + rest, ok && rest < big.n
	}
	if unit, ten, found := strings.Cut(w, "und"); found {
		u, ok := germanSmall(unit)
		t, tens := germanSmall(ten)
		return u + t, ok && tens && u > 0 && u < 10 && t >= 20
	}
	return germanSmall(w)
}

func germanSmall(w string) (int, bool) {
	if w == "ein" {
		return 1, true
	}
	n, ok := numberAt(`null eins zwei|zwo drei vier funf|fuenf sechs sieben acht neun zehn elf zwolf|zwoelf dreizehn vierzehn
		funfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn`, w, 0, 1)
	if !ok {
		n, ok = numberAt("zwanzig dreissig|dreizig vierzig funfzig|fuenfzig sechzig siebzig achtzig neunzig", w, 20, 10)
	}
	return n, ok
}

// readOrdinal reads a day of the month in words at i, as an ordinal or a number; 0 when there is none.
func (l Language) readOrdinal(t tokens, i int) (day, end int) {
	w := t.wordAt(i)
	switch l {
	case Spanish:
		if w == "primero" || w == "primer" {
			return 1, i + 1
		}
	case Portuguese:
		if w == "primeiro" {
			return 1, i + 1
		}
	case French:
		if w == "premier" {
			return 1, i + 1
		}
	case German:
		return germanOrdinal(w), i + 1
	default:
		return l.englishOrdinal(t, i)
	}
	n, end, weak := l.readCardinal(t, i)
	if end == i || weak && end == i+1 || n > 31 {
		return 0, i
	}
	return n, end
}

func germanOrdinal(w string) int {
	for _, ending := range []string{"er", "en", "es", "e"} {
		stem, ok := strings.CutSuffix(w, ending)
		if !ok {
			continue
		}
		switch stem {
		case "erst":
			return 1
		case "dritt":
			return 3
		case "siebt":
			return 7
		case "acht":
			return 8
		}
		for _, t := range []string{"st", "t"} {
			if number, ok := strings.CutSuffix(stem, t); ok {
				if n, ok := germanCompound(number); ok && n <= 31 {
					return n
				}
			}
		}
		return 0
	}
	return 0
}

func (l Language) englishOrdinal(t tokens, i int) (day, end int) {
	const units = "first second third fourth fifth sixth seventh eighth ninth"
	if n, ok := numberAt(units, t.wordAt(i), 1, 1); ok {
		return n, i + 1
	}
	if n, ok := numberAt(`tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth
		nineteenth twentieth`, t.wordAt(i), 10, 1); ok {
		return n, i + 1
	}
	switch t.wordAt(i) {
	case "thirtieth":
		return 30, i + 1
	case "twenty", "thirty":
		tens, _ := numberAt("twenty thirty", t.wordAt(i), 20, 10)
		if n, ok := numberAt(units, t.wordAt(i+1), 1, 1); ok {
			return tens + n, i + 2
		}
	}
	n, end, weak := l.readCardinal(t, i)
	if end == i || weak && end == i+1 || n > 31 {
		return 0, i
	}
	return n, end
}
