package language

import (
	"slices"
	"strings"
)

// Time finds the time of day that a text names, by a clock of 24 hours: "19:30", "7pm", "at 7", "half past
// seven", "19h30", "halb acht" (7:30), noon, midnight. "7 in the evening" is 19:00; without such a word
// seven is 7:00, and the person sees what was understood. An hour alone is one when nothing else is said,
// or behind a word such as "at"; "1930" only when nothing else is said.
func (l Language) Time(text string) (hour, minute int, ok bool) {
	p := clockParser{l: l.orEnglish(), t: tokenizeText(text)}
	for i := range p.t {
		if minutes, end, ok := p.readFigures(i); ok && p.t.isGlued(i+1, ":.") {
			if minutes, ok = p.partOfDay(minutes, end); ok {
				return minutes / 60 % 24, minutes % 60, true
			}
		}
	}
	for i := range p.t {
		for _, read := range []func(i int) (minutes, end int, ok bool){p.readFigures, p.readSpoken, p.readNamed, p.bare} {
			minutes, end, ok := read(i)
			if !ok {
				continue
			}
			if minutes, ok = p.partOfDay(minutes, end); ok {
				return minutes / 60 % 24, minutes % 60, true
			}
		}
	}
	return 0, 0, false
}

// clockParser looks for a time of day. Its methods read one at a place, in minutes from midnight on, and
// say where it ends.
type clockParser struct {
	l Language
	t tokens
}

// readHour reads the hour, in digits or words.
func (p *clockParser) readHour(i int) (hour, end int, ok bool) {
	if hour, ok = p.t.readDigits(i, 2); ok {
		return hour, i + 1, hour <= 24 && (i == 0 || p.t[i].gap || p.t[i-1].kind != wordToken) && !p.inNumber(i)
	}
	if p.l == Portuguese && p.t.wordAt(i+1) == "e" || p.l == Spanish && p.t.wordAt(i+1) == "y" || p.l == French && p.t.wordAt(i+1) == "et" {
		n, ok := p.l.readNumeral(p.t.wordAt(i))
		return n.n, i + 1, ok && !n.times && n.n <= 24
	}
	hour, end, _ = p.l.readCardinal(p.t, i)
	return hour, end, end > i && hour <= 24 && (p.l != English || p.t.wordAt(i) != "a")
}

// inNumber reports whether the digits at i go on with a sign and more digits, or went before it.
func (p *clockParser) inNumber(i int) bool {
	return p.t.isOther(i-1, ".,/:-+") && !p.t[i].gap || p.t.isGlued(i+1, "/-,%") && i+2 < len(p.t) && !p.t[i+2].gap && p.t[i+2].kind == digitToken
}

// readFigures reads "19:30", "19.30 Uhr", "19h30", "7pm" and "7 o'clock".
func (p *clockParser) readFigures(i int) (minutes, end int, ok bool) {
	hour, ok := p.t.readDigits(i, 2)
	if !ok || i > 0 && !p.t[i].gap && p.t[i-1].kind == wordToken || p.inNumber(i) {
		return 0, 0, false
	}
	end = i + 1
	minute, shown := 0, false
	if p.t.isGlued(end, ":.") {
		if m, ok := p.minutes(end + 1); ok && !p.t[end+1].gap {
			point := p.t[end].text == "."
			minute, end = m, end+2
			shown = !point || p.t.isAlone(i, end) && !p.t.isOther(end, ".")
			if p.t.isGlued(end, ".,/-") && end+1 < len(p.t) && p.t[end+1].kind == digitToken && !p.t[end+1].gap {
				return 0, 0, false
			}
		} else if p.t[end].text == ":" {
			return 0, 0, false
		}
	}
	if after, ok := p.t.readPhrase(end, p.hourWords()...); ok {
		shown, end = true, after
		if m, ok := p.minutes(end); ok && minute == 0 && p.t.endsClause(end+1) {
			minute, end = m, end+1
		}
	} else if p.readMeridiem(end) != "" {
		shown = true
	}
	return hour*60 + minute, end, shown && hour <= 24 && hour*60+minute <= 24*60
}

// minutes reads two digits.
func (p *clockParser) minutes(i int) (int, bool) {
	m, ok := p.t.readDigits(i, 2)
	return m, ok && m < 60 && len(p.t[i].text) == 2
}

func (p *clockParser) hourWords() []string {
	switch p.l {
	case Spanish, Portuguese:
		return []string{"h", "hs", "hrs", "horas", "hora"}
	case French:
		return []string{"h", "heures", "heure"}
	case German:
		return []string{"uhr", "h"}
	default:
		return []string{"o clock", "oclock", "ish", "h", "hrs", "hours"}
	}
}

// readNamed reads noon and midnight.
func (p *clockParser) readNamed(i int) (minutes, end int, ok bool) {
	noon, midnight := []string{"noon", "midday"}, []string{"midnight"}
	switch p.l {
	case Spanish:
		noon, midnight = []string{"mediodia", "medio dia"}, []string{"medianoche", "media noche"}
	case Portuguese:
		noon, midnight = []string{"meio dia"}, []string{"meia noite"}
	case French:
		noon, midnight = []string{"midi"}, []string{"minuit"}
		if p.t.wordAt(i-1) == "apres" {
			return 0, 0, false
		}
	case German:
		noon, midnight = []string{"mittag", "mittags"}, []string{"mitternacht"}
	default:
	}
	if end, ok = p.t.readPhrase(i, noon...); ok {
		return 12 * 60, end, true
	}
	end, ok = p.t.readPhrase(i, midnight...)
	return 0, end, ok
}

// bare reads an hour with nothing behind it: all that is said, or led by a word such as "at".
func (p *clockParser) bare(i int) (minutes, end int, ok bool) {
	if n, ok := p.t.readDigits(i, 4); ok && len(p.t[i].text) == 4 && p.t.isAlone(i, i+1) {
		return n/100*60 + n%100, i + 1, n < 2400 && n%100 < 60
	}
	hour, end, ok := p.readHour(i)
	if !ok {
		return 0, 0, false
	}
	minutes = hour * 60
	if minute, after, ok := p.minutesBehind(end); ok {
		minutes, end = minutes+minute, after
	}
	return minutes, end, p.t.isAlone(i, end) || p.ledTo(i) && p.free(end) || p.readDaypart(end) != "" || p.readMeridiem(end) != ""
}

// minutesBehind reads minutes that follow an hour with nothing between them, as in "seven thirty".
func (p *clockParser) minutesBehind(i int) (minutes, end int, ok bool) {
	if minutes, ok = p.minutes(i); ok {
		return minutes, i + 1, true
	}
	minutes, end, _ = p.l.readCardinal(p.t, i)
	return minutes, end, end > i && minutes >= 10 && minutes < 60
}

// ledTo reports whether a word before i leads to a time.
func (p *clockParser) ledTo(i int) bool {
	switch p.l {
	case English:
		return slices.Contains(strings.Fields("at around about by from after before until"), p.t.wordAt(i-1))
	case German:
		return slices.Contains(strings.Fields("um gegen ab bis nach vor"), p.t.wordAt(i-1))
	default:
		return false // their words are read with the hour
	}
}

// free reports whether what follows an hour does not make it the number of something else.
func (p *clockParser) free(i int) bool {
	return p.t.wordAt(i) == "" && (p.t.endsClause(i) || p.t.isOther(i, "-")) || p.readDaypart(i) != "" || slices.Contains(strings.Fields(
		`for on or if please tomorrow and would is may fur bitte oder ware morgen an y e o ou si se menos
		para por en em hoy hoje manana amanha favor`), p.t.wordAt(i))
}

// readMeridiem reads "am" or "pm" in one of the ways to write it.
func (p *clockParser) readMeridiem(i int) string {
	for _, half := range []string{"a", "p"} {
		if p.t.wordAt(i) == half+"m" {
			return half
		}
		if p.t.wordAt(i) == half && p.t.isGlued(i+1, ".") && p.t.wordAt(i+2) == "m" {
			return half
		}
	}
	return ""
}

// readDaypart reads "in the evening": "am" for the night's end and the morning, "pm" for the rest of the day.
func (p *clockParser) readDaypart(i int) string {
	var am, pm, night []string
	switch p.l {
	case Spanish:
		am, pm, night = []string{"de la manana", "de la madrugada"}, []string{"de la tarde"}, []string{"de la noche"}
	case Portuguese:
		am, pm, night = []string{"da manha", "da madrugada"}, []string{"da tarde"}, []string{"da noite"}
	case French:
		am, pm, night = []string{"du matin"}, []string{"de l apres midi", "du soir"}, nil
	case German:
		am, pm, night = []string{"morgens", "fruh", "vormittags", "am morgen"}, []string{"nachmittags", "abends", "am abend", "am nachmittag"}, []string{"nachts"}
	default:
		am, pm, night = []string{"in the morning"}, []string{"in the evening", "in the afternoon", "tonight"}, []string{"at night"}
	}
	for half, phrases := range [][]string{am, pm, night} {
		if _, ok := p.t.readPhrase(i, phrases...); ok {
			return []string{"am", "pm", "night"}[half]
		}
	}
	return ""
}

// partOfDay moves a time to the half of the day that is said behind it, false when it has no such time.
func (p *clockParser) partOfDay(minutes, end int) (int, bool) {
	half := p.readMeridiem(end) + "m"
	if half == "m" {
		half = p.readDaypart(end)
	} else if minutes >= 13*60 || minutes < 60 {
		return 0, false
	}
	hour := minutes / 60
	switch {
	case half == "am" && hour == 12, half == "night" && hour == 12:
		return minutes - 12*60, true
	case half == "pm" && hour < 12, half == "night" && hour >= 6 && hour < 12:
		return minutes + 12*60, true
	}
	return minutes, true
}
