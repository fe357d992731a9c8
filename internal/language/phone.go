package language

import (
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nyaruka/phonenumbers"
)

// FindPhone finds the first phone number in a text and returns it as +351912345678, with any text around it.
// Without + or 00 before it a number belongs to the region, a country code such as "PT"; with "" as the
// region it is returned as its digits when there are 7 to 15.
//
//   - Its groups stand in one line, with spaces, hyphens, points, slashes or brackets between them.
//   - Dates, times, prices, quantities, IBANs, numbers of cards and what has letters on it ("AB-1234567") are no
//     phone numbers, nor is what is called something else: "order 12345678", "pedido nº 12345678".
//   - Nor is anything that no number of that country may be by its length.
func FindPhone(text, region string) (string, bool) {
	for line := range strings.SplitSeq(match.DecodeText(text), "\n") {
		l := newFigureLine(line)
		for from := 0; from < len(l.figures); {
			to := l.rowFrom(from)
			if number, ok := l.phone(from, to, region); ok {
				return number, true
			}
			from = max(to, from+1)
		}
	}
	return "", false
}

// The digits that a phone number has, with the code of its country.
const (
	leastPhone = 7
	mostPhone  = 15
)

// phone reads a row of figures as a phone number.
func (l *figureLine) phone(from, to int, region string) (string, bool) {
	if from == to {
		return "", false
	}
	plus := l.hasPlus(from)
	const longest = 12 // without the code of the country
	if !plus && isYear(l.digitsOf(from)) && len(l.digits(from, to, false)) > longest {
		from++
	}
	to = l.beforeUnit(from, to)
	if from >= to || !plus && (l.calledOtherwise(from) || l.shapedOtherwise(from, to)) || l.isPrice(from, to) {
		return "", false
	}
	for {
		if number, ok := dialled(l.digits(from, to, plus), plus, region); ok {
			return number, true
		}
		// Of what is too long for its country the last figure may be something else.
		if last := l.figures[to-1]; !plus && region == "" || to-from < 3 || last.to-last.from > 2 {
			return "", false
		}
		to--
	}
}

// dialled returns digits as the number that they are.
func dialled(digits string, plus bool, region string) (string, bool) {
	if !plus && strings.HasPrefix(digits, "00") {
		plus, digits = true, digits[2:]
	}
	switch {
	case len(digits) < leastPhone || len(digits) > mostPhone:
		return "", false
	case plus:
		digits, region = "+"+digits, "ZZ"
	case region == "":
		return digits, true
	}
	n, err := phonenumbers.Parse(digits, strings.ToUpper(region))
	if err != nil || phonenumbers.IsPossibleNumberWithReason(n) != phonenumbers.IS_POSSIBLE {
		return "", false
	}
	return phonenumbers.Format(n, phonenumbers.E164), true
}

// digits returns the digits of a row, without a (0) that is not dialled after the code of a country.
func (l *figureLine) digits(from, to int, plus bool) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		if f := l.digitsOf(i); !plus || f != "0" || l.signBefore(i, "(") == "" || l.signBehind(i, ")") == "" {
			b.WriteString(f)
		}
	}
	return b.String()
}

func isYear(s string) bool { return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") }

// beforeUnit leaves out a last figure that says how many of what stands behind it: "17 Uhr", "80 people". It returns
// where the row ends: at from, when that is the whole of it.
func (l *figureLine) beforeUnit(from, to int) int {
	if to == from || !l.isCount(to-1) {
		return to
	}
	return to - 1
}

// shapedOtherwise reports whether a row has the form of a date, of a number with its thousands apart, of a card or of
// an identity.
func (l *figureLine) shapedOtherwise(from, to int) bool {
	var sizes, signs strings.Builder
	for i := from; i < to; i++ {
		sizes.WriteString(strconv.Itoa(len(l.digitsOf(i))))
		if i > from {
			signs.WriteString(l.textBetween(i - 1))
		}
	}
	digits := l.digits(from, to, false)
	switch shape := sizes.String(); {
	case shape == "133", (shape == "233" || shape == "1333" || shape == "2333") && strings.Trim(signs.String(), ".") == "":
		return true // 1.200.000
	case shape == "44":
		return isYear(digits[:4]) && isYear(digits[4:])
	case shape == "3332" && signs.String() == "..-", shape == "23342" && signs.String() == "../-":
		return true // CPF, CNPJ
	case shape == "224":
		return isDate(digits[4:], digits[2:4], digits[:2])
	case shape == "422" || shape == "8" && isYear(digits[:4]):
		return isDate(digits[:4], digits[4:6], digits[6:])
	case len(digits) >= 14:
		return strings.ContainsAny(digits[:1], "3456") && luhn(digits)
	}
	return false
}

// isDate reports whether three numbers are a date, with a day that has two places at most.
func isDate(year, month, day string) bool {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	exists := func(m, d int) bool { return m >= 1 && m <= 12 && d >= 1 && d <= daysIn(y, time.Month(m)) }
	return (len(year) == 2 || isYear(year)) && (exists(m, d) || exists(d, m))
}

// luhn reports whether the last digit is the check digit that numbers of cards have.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n = 2*n%10 + n/5
		}
		sum += n
	}
	return sum%10 == 0
}
