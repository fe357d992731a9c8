package language

import (
	"slices"
	"strconv"
	"strings"
)

// ReadNumber reads the one number in a text: "80", "about 80 people", "1,200" (English) or "1.200" (the
// other languages), "12 000", "1.5", "2k", "eighty", "two hundred and twenty", "2 dozen", "half a dozen",
// in words from 0 to 999,999, in digits of any script.
//
// What may be meant otherwise is no number, so that the person is asked again: two different ones ("80-100",
// "3 or 4", "80, maybe 85"), halves ("one and a half", "1/2"), millions, and a sole comma or point that is a
// decimal sign and could group thousands ("1.500" in English). A word such as "un" or "eine", which may be an
// article, is a number only when nothing else is said. Digits inside of words, numbers of more than 15 digits,
// dates, times and ordinals are passed over.
func (l Language) ReadNumber(text string) (float64, bool) {
	l = l.orEnglish()
	t := tokenizeText(text)
	only, found := 0.0, false
	for i := 0; i < len(t); {
		n, end, is := l.numberAt(t, i)
		if is == unclearNumber || is == aNumber && found && n != only {
			return 0, false
		}
		if is == aNumber {
			only, found = n, true
		}
		i = max(end, i+1)
	}
	return only, found
}

// numberReading says what stands at a place.
type numberReading uint8

const (
	noNumber numberReading = iota
	aNumber
	unclearNumber // one that may be meant otherwise
)

// numberAt reads what stands at i, and says where that ends.
func (l Language) numberAt(t tokens, i int) (n float64, end int, is numberReading) {
	if t[i].kind == digitToken {
		return l.figureAt(t, i)
	}
	if end, ok := t.readPhrase(i, l.halfDozens()...); ok {
		return 6, end, aNumber
	}
	if t.isOther(i, "½¼¾⅓⅔") || l.unclearAmount(t.wordAt(i)) {
		return 0, i + 1, unclearNumber
	}
	whole, end, weak := l.readCardinal(t, i)
	no := l == English && end == i+1 && t.wordAt(i-1) == "no"
	if end == i || no || weak && (l == English || !t.isAlone(i, end)) {
		return 0, end, noNumber
	}
	return float64(whole), end, aNumber
}

// figureAt reads what stands in digits at i.
func (l Language) figureAt(t tokens, i int) (n float64, end int, is numberReading) {
	n, end, is = l.figure(t, i)
	if is != aNumber {
		return 0, end, is
	}
	digitAt := func(j int) bool { return j < len(t) && t[j].kind == digitToken && !t[j].gap }
	stuck := end < len(t) && !t[end].gap
	month := func(j int) bool { _, ok := l.monthNamed(t.wordAt(j)); return ok }
	switch {
	case t.isGlued(end, "/") && digitAt(end+1):
		return 0, end + 2, unclearNumber
	case stuck && (t.isOther(end, ":") || t.wordAt(end) == "h") && digitAt(end+1), stuck && l == English && slices.Contains([]string{"st", "nd", "rd", "th"}, t.wordAt(end)):
		return 0, end + 2, noNumber
	case month(i - 1):
		return 0, end, noNumber
	case month(end):
		if end++; end < len(t) && t[end].kind == digitToken && len(t[end].text) == 4 {
			end++
		}
		return 0, end, noNumber
	}
	if w, ok := l.readNumeral(t.wordAt(end)); ok && w.times {
		return n * float64(w.n), end + 1, aNumber
	}
	return n, end, aNumber
}

// halfDozens returns how six is said by the dozen.
func (l Language) halfDozens() []string {
	switch l {
	case Spanish:
		return []string{"media docena"}
	case Portuguese:
		return []string{"meia duzia"}
	case French:
		return []string{"demi douzaine"}
	case German:
		return []string{"halbes dutzend", "halbe dutzend", "halben dutzend"}
	default:
		return []string{"half a dozen", "half dozen"}
	}
}

// unclearAmount reports whether a folded word makes another number of what stands beside it: halves, millions, minus.
func (l Language) unclearAmount(w string) bool {
	var words string
	switch l {
	case Spanish:
		words = "medio media medios millon millones menos" //nolint:misspell // Spanish
	case Portuguese:
		words = "meio meia meios milhao milhoes menos"
	case French:
		words = "demi demie demis million millions moins"
	case German:
		words = "halb halbe halber halbes halben anderthalb million millionen minus"
		if strings.HasSuffix(w, "einhalb") {
			return true
		}
	default:
		words = "half halves quarter quarters million millions minus"
	}
	return slices.Contains(strings.Fields(words), w)
}

// figure reads a number in digits, and says where it ends.
func (l Language) figure(t tokens, i int) (n float64, end int, is numberReading) {
	parts, signs := []string{t[i].text}, ""
	end = i + 1
	for end < len(t) {
		switch {
		case t.isGlued(end, ".,'") && end+1 < len(t) && t[end+1].kind == digitToken && !t[end+1].gap:
			signs += t[end].text
			parts = append(parts, t[end+1].text)
			end += 2
			continue
		case t[end].kind == digitToken && t[end].gap && len(t[end].text) == 3 && len(t[i].text) <= 3:
			signs += " "
			parts = append(parts, t[end].text)
			end++
			continue
		}
		break
	}
	if i > 0 && !t[i].gap && t[i-1].kind == wordToken {
		return 0, end, noNumber
	}
	text, is := l.joined(parts, signs)
	if is != aNumber {
		return 0, end, is
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) > 16 {
		return 0, end, noNumber
	}
	if t.wordAt(end) == "k" && !t[end].gap {
		n *= 1000
		end++
	}
	if i > 0 && t.isOther(i-1, "-−") && !t[i].gap && (i == 1 || t[i-1].gap) {
		n = -n
	}
	return n, end, aNumber
}

// joined puts the parts of a number together, with a point before decimals.
func (l Language) joined(parts []string, signs string) (string, numberReading) {
	if signs == "" {
		return parts[0], aNumber
	}
	decimal := byte(',')
	if l == English {
		decimal = '.'
	}
	last := signs[len(signs)-1]
	groups := func(parts []string) bool {
		for i, p := range parts {
			if i > 0 && len(p) != 3 || i == 0 && (len(p) > 3 || p == "0") {
				return false
			}
		}
		return true
	}
	one := strings.Trim(signs[:len(signs)-1], signs[:1]) == ""
	switch {
	case len(signs) == 1 && last != decimal && groups(parts):
		return strings.Join(parts, ""), aNumber
	case len(signs) == 1 && last == decimal && groups(parts):
		return "", unclearNumber
	case len(signs) == 1 && last != '\'' && last != ' ':
		return parts[0] + "." + parts[1], aNumber
	case signs[0] == last && one && groups(parts):
		return strings.Join(parts, ""), aNumber
	case signs[0] != last && one && last != '\'' && last != ' ' && groups(parts[:len(parts)-1]):
		return strings.Join(parts[:len(parts)-1], "") + "." + parts[len(parts)-1], aNumber
	default:
		return "", noNumber
	}
}
