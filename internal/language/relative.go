package language

import (
	"slices"
	"strings"
	"time"
)

// mostSpan is how many units a span such as "in two weeks" may count.
const mostSpan = 1000

// readRelative finds a day that is said from today on.
func (p *dateParser) readRelative(i int) (time.Time, bool) {
	if days, ok := p.named(i); ok {
		if n, u, ok := p.span(i + 1); ok && p.l == German && days == 0 {
			return p.after(p.now, n, u), true // "heute in einer Woche"
		}
		return addDays(p.now, days), true
	}
	if n, u, ok := p.span(i); ok {
		return p.after(p.now, n, u), true
	}
	return p.fromNow(i)
}

// named reads words such as "tomorrow".
func (p *dateParser) named(i int) (days int, ok bool) {
	if p.t.wordAt(i) == "" {
		return 0, false
	}
	var days2, days1, days0 []string
	switch p.l {
	case Spanish:
		days2, days1, days0 = []string{"pasado manana"}, []string{"manana"}, []string{"hoy"}
	case Portuguese:
		days2, days1, days0 = []string{"depois de amanha", "depois damanha"}, []string{"amanha"}, []string{"hoje"}
	case French:
		days2, days1, days0 = []string{"apres demain"}, []string{"demain"}, []string{"aujourd hui", "aujourdhui"}
	case German:
		days2, days1, days0 = []string{"ubermorgen", "uebermorgen"}, []string{"morgen"}, []string{"heute"}
	default:
		days2 = []string{"day after tomorrow", "overmorrow"}
		days1 = []string{"tomorrow", "tomorow", "tommorow", "tommorrow", "tmrw", "tmr"} //nolint:misspell // people do misspell
		days0 = []string{"today", "tonight"}
	}
	for n, phrases := range [][]string{days0, days1, days2} {
		if _, ok := p.t.readPhrase(i, phrases...); ok {
			return n, n != 1 || !p.morning(i)
		}
	}
	return 0, false
}

// morning reports whether the word for tomorrow at i rather means the morning.
func (p *dateParser) morning(i int) bool {
	before := p.t.wordAt(i - 1)
	switch p.l {
	case Spanish:
		return slices.Contains([]string{"la", "esta", "cada", "una", "buena"}, before)
	case German:
		return slices.Contains(strings.Fields("guten gutn gut guter schonen am jeden den diesen einen heute"), before)
	default:
		return false
	}
}

// span reads "in two weeks".
func (p *dateParser) span(i int) (n int, u unit, ok bool) {
	var leads []string
	switch p.l {
	case Spanish:
		leads = []string{"dentro de", "en", "de aqui a"}
	case Portuguese:
		leads = []string{"daqui a", "daqui", "dentro de", "em"}
	case French:
		leads = []string{"dans", "d ici a", "d ici"}
	case German:
		leads = []string{"in"}
	default:
		leads = []string{"in about", "in", "within"}
	}
	from, ok := p.t.readPhrase(i, leads...)
	if !ok {
		return 0, unit{}, false
	}
	n, u, _, ok = p.amount(from)
	return n, u, ok
}

// amount reads "two weeks".
func (p *dateParser) amount(i int) (n int, u unit, end int, ok bool) {
	if n, ok = p.t.readDigits(i, 4); ok {
		end = i + 1
	} else if n, end, _ = p.l.readCardinal(p.t, i); end == i {
		return 0, unit{}, i, false
	}
	u, ok = p.l.unitNamed(p.t.wordAt(end))
	return n, u, end + 1, ok && n <= mostSpan
}

func (p *dateParser) after(t time.Time, n int, u unit) time.Time {
	if u.months > 0 {
		return addMonths(t, n*u.months)
	}
	return addDays(t, n*u.days)
}

// fromNow reads "two weeks from now".
func (p *dateParser) fromNow(i int) (time.Time, bool) {
	if p.l != English {
		return time.Time{}, false
	}
	n, u, end, ok := p.amount(i)
	if !ok {
		return time.Time{}, false
	}
	if _, ok := p.t.readPhrase(end, "from now", "from today"); ok {
		return p.after(p.now, n, u), true
	}
	if _, ok := p.t.readPhrase(end, "from tomorrow"); ok {
		return p.after(addDays(p.now, 1), n, u), true
	}
	return time.Time{}, false
}

// readWeekday finds a day of the week.
func (p *dateParser) readWeekday(i int) (time.Time, bool) {
	day, short, ok := p.l.weekdayNamed(p.t.wordAt(i))
	if !ok || p.repeated(i) || p.ofMonth(i+1) {
		return time.Time{}, false
	}
	end := i + 1
	if p.l == Portuguese && p.t.wordAt(end) == "feira" {
		end++
	} else if p.l == Portuguese && day != time.Sunday && day != time.Saturday && !p.dayInPortuguese(end) {
		return time.Time{}, false
	}
	if short && !p.t.isAlone(i, end) && !slices.Contains([]string{"on", "next", "this", "by"}, p.t.wordAt(i-1)) {
		return time.Time{}, false
	}
	next := addDays(p.now, (int(day)-int(p.now.Weekday())+6)%7+1)
	if p.nextWeek(i, end) {
		monday := addDays(p.now, 7-(int(p.now.Weekday())+6)%7)
		return addDays(monday, (int(day)+6)%7), true
	}
	if _, ok := p.t.readPhrase(end, "en huit"); ok && p.l == French {
		return addDays(next, 7), true
	}
	if n, u, ok := p.span(end); ok && u.days == 7 {
		return addDays(next, 7*n), true
	}
	return next, true
}

// repeated reports whether the day of the week at i is meant as every one, or as the last one.
func (p *dateParser) repeated(i int) bool {
	return slices.Contains(strings.Fields("every each last cada todos todas todo toda chaque jeden jede letzten letzter"), p.t.wordAt(i-1)) ||
		slices.Contains([]string{"pasado", "passada", "passado", "dernier"}, p.t.wordAt(i+1))
}

// ofMonth reports whether the day of the week before i is one of a month, or counted in another way that is
// not understood: "the first Saturday of June", "the Saturday after next".
func (p *dateParser) ofMonth(i int) bool {
	if p.l == Portuguese && p.t.wordAt(i) == "feira" {
		i++
	}
	_, month := p.l.monthNamed(p.t.wordAt(i + 1))
	return month && slices.Contains([]string{"of", "in", "de", "en", "em", "do", "im"}, p.t.wordAt(i)) || p.t.hasWords(i, "after next")
}

// dayInPortuguese reports whether what follows leaves "segunda" to be Monday: it is "second" as well.
func (p *dateParser) dayInPortuguese(end int) bool {
	return p.t.endsClause(end) || slices.Contains(strings.Fields("que as a de da ou e pela por para proxima dia em daqui"), p.t.wordAt(end))
}

// nextWeek reports whether the day of the week at t[i:end] is said to be in the next week.
func (p *dateParser) nextWeek(i, end int) bool {
	var phrases []string
	switch p.l {
	case Spanish:
		phrases = []string{"de la proxima semana", "de la semana que viene", "la proxima semana", "la semana que viene", "proxima semana"}
	case Portuguese:
		phrases = []string{"da proxima semana", "da semana que vem", "na proxima semana", "na semana que vem", "proxima semana"}
	case French:
		phrases = []string{"de la semaine prochaine", "la semaine prochaine"}
	case German:
		phrases = []string{"nachster woche", "naechster woche", "nachste woche", "kommender woche", "kommende woche", "der nachsten woche"}
	default:
		phrases = []string{"next week", "of next week", "the next week"}
	}
	if _, ok := p.t.readPhrase(end, phrases...); ok {
		return true
	}
	for _, phrase := range phrases {
		for _, link := range []string{"", " el", " am", " on", " na", " le"} {
			if p.t.hasWords(i-strings.Count(phrase+link, " ")-1, phrase+link) {
				return true
			}
		}
	}
	return false
}
