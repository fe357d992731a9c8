package language

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/internal/language/match"
)

// figure is a row of digits in a line.
type figure struct {
	from, to int
	other    bool // it is part of something else: of a time, a date, an address, a word
}

// figureLine is a line in which a phone number is looked for, folded as [Read] says, and its rows of digits.
type figureLine struct {
	text    string
	figures []figure
}

func newFigureLine(line string) *figureLine {
	l := &figureLine{text: strings.Map(asFigure, match.Read(line).Folded())}
	for from := 0; from < len(l.text); {
		i := strings.IndexAny(l.text[from:], "0123456789")
		if i < 0 {
			break
		}
		from += i
		to := from
		for to < len(l.text) && '0' <= l.text[to] && l.text[to] <= '9' {
			to++
		}
		l.figures = append(l.figures, figure{from: from, to: to})
		from = to
	}
	if len(l.figures) > 0 {
		l.leaveOut()
	}
	return l
}

// asFigure gives hyphens and digits of other alphabets the form that they have in English.
func asFigure(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= 0x2010 && r <= 0x2015 || r == 0x2212:
		return '-'
	default:
		return match.AsDigit(r)
	}
}

// digitsOf returns a figure's digits.
func (l *figureLine) digitsOf(i int) string { return l.text[l.figures[i].from:l.figures[i].to] }

// textBetween returns what stands between a figure and the next one.
func (l *figureLine) textBetween(i int) string { return l.text[l.figures[i].to:l.figures[i+1].from] }

// signBefore returns what stands before a figure when that ends with a sign, and otherwise "".
func (l *figureLine) signBefore(i int, sign string) string {
	if s := l.text[:l.figures[i].from]; strings.HasSuffix(s, sign) {
		return s
	}
	return ""
}

// signBehind returns what stands behind a figure when that begins with a sign, and otherwise "".
func (l *figureLine) signBehind(i int, sign string) string {
	if s := l.text[l.figures[i].to:]; strings.HasPrefix(s, sign) {
		return s
	}
	return ""
}

// hasPlus reports whether a + stands before a figure.
func (l *figureLine) hasPlus(i int) bool {
	return strings.HasSuffix(strings.TrimRight(l.text[:l.figures[i].from], " ("), "+")
}

// tight reports whether a figure and the next one are one word.
func (l *figureLine) tight(i int) bool {
	return i >= 0 && i+1 < len(l.figures) && strings.Contains("-./·", l.textBetween(i))
}

// rowFrom returns where the row of figures ends that begins at i and may be one number; i when there is none.
func (l *figureLine) rowFrom(i int) int {
	if l.figures[i].other { //mutate:phone-part
		return i
	}
	from, digits := i, len(l.digitsOf(i))
	for ; i+1 < len(l.figures) && !l.figures[i+1].other; i++ {
		next := len(l.digitsOf(i + 1))
		if !l.linked(from, i, digits) || digits >= leastPhone && next >= leastPhone {
			break
		}
		digits += next
	}
	return i + 1
}

// linked reports whether a figure may belong to the same number as the next one. digits is how many there are in the
// row so far, which begins at from.
func (l *figureLine) linked(from, i, digits int) bool {
	const mostCode, mostBracket, whole = 4, 5, 9
	sign := l.textBetween(i)
	if len(l.digitsOf(i)) >= whole {
		return false
	}
	open := strings.HasSuffix(sign, "(")
	if open && (i > from || len(l.digitsOf(i)) > mostCode || l.signBehind(i+1, ")") == "") {
		return false // only what stands first, or behind the code of a country
	}
	sign = strings.TrimSuffix(sign, "(")
	if rest, closed := strings.CutPrefix(sign, ")"); closed {
		if len(l.digitsOf(i)) > mostBracket {
			return false
		}
		sign = rest
	}
	switch sign {
	case "", " ", "-", ".", "·":
		return true
	case "/":
		return digits < leastPhone
	case " - ", "- ", " -":
		if i > from && len(l.digitsOf(i)) <= 2 && len(l.digitsOf(i+1)) <= 2 && l.textBetween(i-1) != sign {
			return digits < leastPhone // 9 - 14
		}
		return digits < whole || len(l.digitsOf(i+1)) == 4
	case " / ", "/ ", " /":
		return digits < leastPhone
	default:
		return false
	}
}

// leaveOut marks the figures that are part of something else.
func (l *figureLine) leaveOut() {
	for _, r := range addresses.FindAllStringIndex(l.text, -1) {
		if !strings.Contains(l.text[r[0]:r[1]], "wa.me/") {
			l.leave(r[0], r[1])
		}
	}
	for _, r := range accountNumber.FindAllStringIndex(l.text, -1) {
		if isAccount(l.text[r[0]:r[1]]) {
			l.leave(r[0], r[1])
		}
	}
	soft := make([]bool, len(l.figures)) // it may stand beside a number: 600123456-17h
	for i := range l.figures {
		switch {
		case l.figures[i].other:
		case l.named(i):
			l.figures[i].other = true
		case l.unitGlued(i) || l.clock(i) || l.decimals(i):
			l.figures[i].other, soft[i] = true, true
		}
	}
	l.dates()
	l.days()
	spread := func(i, to int) {
		if l.figures[i].other && !l.figures[to].other && (!soft[i] || len(l.digitsOf(to)) < leastPhone) {
			l.figures[to].other, soft[to] = true, soft[i]
		}
	}
	for i := range l.figures {
		if i > 0 && l.tight(i-1) {
			spread(i-1, i)
		}
	}
	for i := len(l.figures) - 1; i > 0; i-- {
		if l.tight(i - 1) {
			spread(i, i-1)
		}
	}
}

func (l *figureLine) leave(from, to int) {
	for i := range l.figures {
		if l.figures[i].from >= from && l.figures[i].to <= to {
			l.figures[i].other = true
		}
	}
}

// addresses are those of the web, whose // is folded to one, and of mail.
var addresses = regexp.MustCompile(`\S*(?::/|www\.)\S*|[^\s,;:]*\d@\S*|[^\s,;:]*@[^\s,;]*`)

// accountNumber has the form of an IBAN: what it is called is ISO 13616.
var accountNumber = regexp.MustCompile(`\b[a-z]{2}\d{2}(?:(?: [a-z0-9]{4}){2,7}(?: [a-z0-9]{1,3})?|[a-z0-9]{11,30})\b`)

// isAccount reports whether what has the form of an IBAN is one, also with a slip in it when it has digits alone.
func isAccount(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if strings.Trim(s[2:], "0123456789") == "" {
		return true
	}
	rest := 0
	for _, r := range s[4:] + s[:4] {
		if r >= 'a' {
			rest = (rest*100 + int(r-'a') + 10) % 97
			continue
		}
		rest = (rest*10 + int(r-'0')) % 97
	}
	return rest == 1
}

// sticks reports whether a character that stands on a figure makes a word of both.
func sticks(r rune) bool { return r == '_' || unicode.IsLetter(r) && !match.IsUnspaced(r) }

// named reports whether a figure is part of a name: AB-1234567, #12345, abc123, 12345678-Z.
func (l *figureLine) named(i int) bool {
	before, after := l.text[:l.figures[i].from], l.text[l.figures[i].to:]
	if strings.HasSuffix(before, "#") {
		return true
	}
	if word := lastPart(strings.TrimSuffix(before, "-"), sticks); word != "" && !isPhoneWord(word) {
		return true
	}
	if rest, ok := strings.CutPrefix(after, "-"); ok {
		return utf8.RuneCountInString(firstPart(rest, sticks)) == 1
	}
	return false
}

// unitGlued reports whether letters stand on the end of a figure: 17h, 5pm, 12345678Z.
func (l *figureLine) unitGlued(i int) bool {
	r, _ := utf8.DecodeRuneInString(l.text[l.figures[i].to:])
	return sticks(r)
}

// clock reports whether a figure is part of a time such as 17:30.
func (l *figureLine) clock(i int) bool {
	return i > 0 && l.textBetween(i-1) == ":" || i+1 < len(l.figures) && l.textBetween(i) == ":"
}

// decimals reports whether a figure is part of a number such as 1234567,50 or 1,200,000.
func (l *figureLine) decimals(i int) bool {
	pair := func(i int) bool {
		return i >= 0 && i+1 < len(l.figures) && (l.textBetween(i) == "," || l.textBetween(i) == "'") && len(l.digitsOf(i+1)) <= 3 && !l.unitGlued(i+1)
	}
	return pair(i) || pair(i-1)
}

// dates marks what is written as a date or a range of small numbers, in one word: 14/06/2027, 2027-06-14, 14.6, 10-12.
func (l *figureLine) dates() {
	for from := 0; from < len(l.figures); {
		to := from + 1
		for to < len(l.figures) && l.tight(to-1) {
			to++
		}
		if !l.hasPlus(from) && l.dateAt(from, to) {
			l.leave(l.figures[from].from, l.figures[to-1].to)
		}
		from = to
	}
}

func (l *figureLine) dateAt(from, to int) bool {
	switch n := to - from; {
	case n == 2:
		return len(l.digitsOf(from)) <= 2 && len(l.digitsOf(from+1)) <= 2
	case n != 3 || l.textBetween(from) != l.textBetween(from+1):
		return false
	case len(l.digitsOf(from)) == 4:
		return isDate(l.digitsOf(from), l.digitsOf(from+1), l.digitsOf(from+2))
	case len(l.digitsOf(from)) <= 2 && len(l.digitsOf(from+1)) <= 2:
		return isDate(l.digitsOf(from+2), l.digitsOf(from+1), l.digitsOf(from))
	default:
		return false
	}
}

// days marks the day and the year that stand behind the name of a month: June 14, 2027.
func (l *figureLine) days() {
	for i := range l.figures {
		if !anyMonth(l.wordBefore(i)) {
			continue
		}
		if isYear(l.digitsOf(i)) {
			l.figures[i].other = true
		}
		if len(l.digitsOf(i)) > 2 || l.tight(i) {
			continue
		}
		l.figures[i].other = true
		if i+1 < len(l.figures) && isYear(l.digitsOf(i+1)) && strings.Trim(l.textBetween(i), " ,") == "" {
			l.figures[i+1].other = true
		}
	}
}

func anyMonth(word string) bool {
	for _, l := range AllLanguages() {
		if _, ok := l.monthNamed(word); ok {
			return true
		}
	}
	return false
}
