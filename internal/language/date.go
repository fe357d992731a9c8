package language

import (
	"slices"
	"strings"
	"time"
)

// FindDate finds the date that a text names, and returns the beginning of that day in now's time zone.
//
// It knows days with a month ("14 June", "June 14th", "the first of June", "14.6.2027", "2027-06-14"),
// today, tomorrow and the day after, spans ("in two weeks", "a week from today"), days of the week, and
// a lone day of the month ("the 14th"), each in the words of the language, wherever it is in the text. A
// day with a month goes before a day of the week: "Friday, 14 June" is 14 June.
//
//   - Without a year a date lies ahead: it is today or later. With a year it may lie in the past; years
//     have four digits, or two in dates made of numbers.
//   - In numbers the day comes first, in every language. Only English reads 06/14/2027 as well, where the
//     other order is impossible. The year comes first when it has four digits.
//   - A day of the week, with or without "next" before it, is the first one after today; "Friday next
//     week" is the one in the week after this, and weeks begin on Monday.
//   - A day that does not exist (31 June) makes the whole text no date, so that the person is asked again.
//   - Vague answers (June, next week, 80) are no dates, nor are parts of fractions, ranges and phone
//     numbers: "1/2" or "10-12" is a date only when nothing else is said.
func (l Language) FindDate(text string, now time.Time) (time.Time, bool) {
	l = l.orEnglish()
	p := dateParser{l: l, t: tokenizeText(text), now: now}
	for i := range p.t {
		if d, found := p.calendar(i); found {
			return d, !d.IsZero()
		}
	}
	for i := range p.t {
		if d, found := p.readRelative(i); found {
			return d, true
		}
		if d, found := p.readWeekday(i); found {
			return d, true
		}
		if d, found := p.lone(i); found {
			return d, true
		}
	}
	return time.Time{}, false
}

// dateParser looks for a date. Its methods tell whether there is one at a place; a zero date is one
// that does not exist.
type dateParser struct {
	l   Language
	t   tokens
	now time.Time
}

// calendar finds a day of a month.
func (p *dateParser) calendar(i int) (time.Time, bool) {
	if d, found := p.numbers(i); found {
		return d, true
	}
	if month, ok := p.l.monthNamed(p.t.wordAt(i)); ok {
		return p.monthFirst(i, month)
	}
	day, end := p.day(i)
	if day == 0 {
		return time.Time{}, false
	}
	if p.t.isOther(end, ".,") || p.t.isGlued(end, "-/") && end+1 < len(p.t) && !p.t[end+1].gap {
		end++
	}
	for slices.Contains([]string{"of", "de", "do", "del"}, p.t.wordAt(end)) {
		end++
	}
	month, ok := p.l.monthNamed(p.t.wordAt(end))
	if !ok || p.verb(end, end+1) {
		return time.Time{}, false
	}
	return p.withYear(month, day, end+1)
}

// day reads the day of a month, in digits or words.
func (p *dateParser) day(i int) (day, end int) {
	if day, ok := p.t.readDigits(i, 2); ok {
		if p.t.isOther(i-1, ".,:/") && !p.t[i].gap {
			return 0, i
		}
		end = i + 1
		if end < len(p.t) && !p.t[end].gap && slices.Contains([]string{"th", "st", "nd", "rd", "er", "re", "º", "ª", "o", "°"}, p.t[end].text) {
			end++
		}
		return day, end
	}
	return p.l.readOrdinal(p.t, i)
}

// monthFirst reads "June 14th, 2027".
func (p *dateParser) monthFirst(i int, month time.Month) (time.Time, bool) {
	end := i + 1
	if p.t.isOther(end, ".") {
		end++
	}
	if p.t.wordAt(end) == "the" {
		end++
	}
	day, after := p.day(end)
	if day == 0 || p.verb(i, after) || p.t.isGlued(after, ":/-") || p.t.isGlued(after, ".,") && p.isDigit(after+1) && !p.t[after+1].gap {
		return time.Time{}, false
	}
	if _, ok := p.l.monthNamed(p.t.wordAt(after)); ok && p.l != English {
		return time.Time{}, false // "junio, 3 julio"
	}
	return p.withYear(month, day, after)
}

func (p *dateParser) isDigit(i int) bool { return i < len(p.t) && p.t[i].kind == digitToken }

// verb reports whether a month at i, of a date that ends at end, is rather the English verb: "you may 20
// times".
func (p *dateParser) verb(i, end int) bool {
	if w := p.t.wordAt(i); p.l != English || w != "may" && w != "march" {
		return false
	}
	next := p.t.wordAt(end)
	return next != "" && !slices.Contains(strings.Fields("at on in for please or and around if to from is would works"), next)
}

// withYear reads the year behind a day and a month, if there is one.
func (p *dateParser) withYear(month time.Month, day, end int) (time.Time, bool) {
	if p.t.isOther(end, ".,") || p.t.isGlued(end, "-/") && p.isDigit(end+1) && !p.t[end+1].gap {
		end++
	}
	for slices.Contains([]string{"of", "de", "del", "do", "in"}, p.t.wordAt(end)) {
		end++
	}
	if p.t.isOther(end, "'") {
		if year, ok := p.t.readDigits(end+1, 2); ok && len(p.t[end+1].text) == 2 && !p.t[end+1].gap {
			return p.on(2000+year, month, day), true
		}
	}
	if year, ok := p.year(end); ok && !p.t.isGlued(end+1, ":h") {
		return p.on(year, month, day), true
	}
	if p.isDigit(end) && len(p.t[end].text) > 4 { // a year with a slip
		return time.Time{}, true
	}
	d, _ := nextDay(month, day, p.now)
	return d, true
}

// year reads a year of four digits.
func (p *dateParser) year(i int) (int, bool) {
	year, ok := p.t.readDigits(i, 4)
	return year, ok && year >= 1900 && year < 2200
}

func (p *dateParser) on(year int, month time.Month, day int) time.Time {
	d, _ := dateOf(year, month, day, p.now.Location())
	return d
}

// numbers finds a date made of numbers.
func (p *dateParser) numbers(i int) (time.Time, bool) {
	t := p.t
	if !p.isDigit(i) || i > 0 && !t[i].gap && (t[i-1].kind == wordToken || t.isOther(i-1, "./-:,")) {
		return time.Time{}, false
	}
	if i+2 >= len(t) || !t.isGlued(i+1, "./-") || !p.isDigit(i+2) {
		return time.Time{}, false
	}
	sign := t[i+1].text
	if t[i+2].gap && sign != "." {
		return time.Time{}, false
	}
	if i+4 < len(t) && t.isGlued(i+3, sign) && p.isDigit(i+4) && (!t[i+4].gap || sign == ".") {
		return p.three(i)
	}
	return p.two(i, sign)
}

// three reads "14.6.2027", "14/06/27" and "2027-06-14".
func (p *dateParser) three(i int) (time.Time, bool) {
	t := p.t
	if t.isGlued(i+5, "./-") && p.isDigit(i+6) && !t[i+6].gap {
		return time.Time{}, false // something longer, as a phone number
	}
	if year, ok := p.year(i); ok && len(t[i].text) == 4 {
		month, ok := t.readDigits(i+2, 2)
		day, ok2 := t.readDigits(i+4, 2)
		return p.on(year, time.Month(month), day), ok && ok2
	}
	day, ok := t.readDigits(i, 2)
	month, ok2 := t.readDigits(i+2, 2)
	year, ok3 := t.readDigits(i+4, 4)
	switch {
	case !ok || !ok2 || !ok3:
		return time.Time{}, false
	case len(t[i+4].text) == 2:
		year += 2000
	case year < 1900 || year >= 2200:
		return time.Time{}, false
	}
	if p.l == English && month > 12 && day <= 12 {
		day, month = month, day
	}
	return p.on(year, time.Month(month), day), true
}

// two reads "14.6." and "14/6", where it is no price, fraction or range.
func (p *dateParser) two(i int, sign string) (time.Time, bool) {
	t := p.t
	day, ok := t.readDigits(i, 2)
	month, ok2 := t.readDigits(i+2, 2)
	if !ok || !ok2 {
		return time.Time{}, false
	}
	if p.l == English && sign == "/" && month > 12 && day <= 12 {
		day, month = month, day
	}
	d, exists := nextDay(time.Month(month), day, p.now)
	if !exists {
		return time.Time{}, false
	}
	alone, led := t.isAlone(i, i+3), p.led(i)
	switch {
	case alone:
		return d, true
	case sign == "." && p.l == German:
		unit := slices.Contains(strings.Fields("uhr euro h kg kilo km m prozent"), t.wordAt(i+3)) || t.isOther(i+3, "€%$")
		return d, !unit && (led || t.isGlued(i+3, ".") && !t[i+2].gap)
	case sign == "/":
		return d, led || len(t[i].text) == 2 && len(t[i+2].text) == 2 && day != month
	default:
		return d, false
	}
}

// led reports whether a word stands before i that leads to a date.
func (p *dateParser) led(i int) bool {
	var words string
	switch p.l {
	case Spanish:
		words = "el dia al del para"
	case Portuguese:
		words = "em dia no para a"
	case French:
		words = "le du pour au"
	case German:
		words = "am vom zum den der bis ab"
	default:
		words = "on the by from until"
	}
	_, _, weekday := p.l.weekdayNamed(p.t.wordAt(i - 1))
	return weekday || slices.Contains(strings.Fields(words), p.t.wordAt(i-1))
}

// lone finds a day without a month: "the 14th", "am 14.".
func (p *dateParser) lone(i int) (time.Time, bool) {
	day, ok := p.t.readDigits(i, 2)
	if !ok || i > 0 && !p.t[i].gap {
		return time.Time{}, false
	}
	end := i + 1
	led := p.led(i)
	switch p.l {
	case English:
		led = slices.Contains([]string{"th", "st", "nd", "rd"}, p.t.wordAt(end)) && !p.t[end].gap && (led || p.t.isAlone(i, end+1))
		end++
	case Portuguese:
		led = p.t.wordAt(i-1) == "dia"
	case German:
		led = led && p.t.isGlued(end, ".")
	default:
	}
	if !led || !p.t.endsClause(end) || end+1 < len(p.t) && p.isDigit(end+1) {
		return time.Time{}, false
	}
	for m := range 12 {
		first := time.Date(p.now.Year(), p.now.Month()+time.Month(m), 1, 0, 0, 0, 0, time.UTC)
		if d, ok := dateOf(first.Year(), first.Month(), day, p.now.Location()); ok && !isBefore(d, p.now) {
			return d, true
		}
	}
	return time.Time{}, false
}
