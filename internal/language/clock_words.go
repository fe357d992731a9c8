package language

import "strings"

// readSpoken reads times that are said in words around an hour.
func (p *clockParser) readSpoken(i int) (minutes, end int, ok bool) {
	switch p.l {
	case English:
		return p.english(i)
	case German:
		return p.german(i)
	default:
		return p.romance(i)
	}
}

// part reads a quarter, or minutes in digits or words.
func (p *clockParser) part(i int, quarters ...string) (minutes, end int, ok bool) {
	if end, ok = p.t.readPhrase(i, quarters...); ok {
		return 15, end, true
	}
	if minutes, ok = p.t.readDigits(i, 2); ok {
		return minutes, i + 1, minutes < 60
	}
	minutes, end, _ = p.l.readCardinal(p.t, i)
	return minutes, end, end > i && minutes > 0 && minutes < 60
}

func (p *clockParser) english(i int) (minutes, end int, ok bool) {
	if at, ok := p.t.readPhrase(i, "half past", "half"); ok {
		hour, end, ok := p.readHour(at)
		return hour*60 + 30, end, ok
	}
	minutes, at, ok := p.part(i, "quarter", "a quarter")
	if at2, minute := p.t.readPhrase(at, "minutes", "mins"); minute {
		at = at2
	}
	sign := 1
	switch {
	case !ok:
		return p.oclock(i)
	case p.t.wordAt(at) == "to" || p.t.wordAt(at) == "before":
		sign = -1
	case p.t.wordAt(at) != "past" && p.t.wordAt(at) != "after":
		return p.oclock(i)
	}
	hour, end, ok := p.readHour(at + 1)
	return around(hour, sign*minutes), end, ok && hour <= 12
}

// around returns the time so many minutes before or after an hour. A quarter to one is in the day.
func around(hour, minutes int) int {
	m := (hour*60 + minutes + 24*60) % (24 * 60)
	if hour == 1 && minutes < 0 {
		m += 12 * 60
	}
	return m
}

// oclock reads an hour in words that is followed by one that says so.
func (p *clockParser) oclock(i int) (minutes, end int, ok bool) {
	hour, at, ok := p.readHour(i)
	if !ok {
		return 0, 0, false
	}
	if end, ok = p.t.readPhrase(at, p.hourWords()...); !ok || p.t.wordAt(at) == "h" || p.l == English && p.t.wordAt(at) == "hours" {
		return hour * 60, at, p.readMeridiem(at) != ""
	}
	if minutes, after, ok := p.minutesBehind(end); ok && p.l == German {
		return hour*60 + minutes, after, true // "acht Uhr dreißig"
	}
	return hour * 60, end, true
}

func (p *clockParser) german(i int) (minutes, end int, ok bool) {
	for _, lead := range []struct {
		word    string
		minutes int
	}{{"halb", -30}, {"dreiviertel", -15}, {"viertel", -45}} {
		if p.t.wordAt(i) == lead.word {
			if hour, end, ok := p.readHour(i + 1); ok {
				return around(hour, lead.minutes), end, hour <= 12
			}
		}
	}
	minutes, at, ok := p.part(i, "viertel")
	if w := p.t.wordAt(at); ok && (w == "minuten" || w == "min") {
		at++
	}
	sign := 1
	switch {
	case !ok:
		return p.oclock(i)
	case p.t.wordAt(at) == "vor":
		sign = -1
	case p.t.wordAt(at) != "nach":
		return p.oclock(i)
	}
	half := 0
	if at++; p.t.wordAt(at) == "halb" {
		half, at = -30, at+1
	}
	hour, end, ok := p.readHour(at)
	return around(hour, half+sign*minutes), end, ok && hour <= 12
}

// romance reads Spanish, Portuguese and French times: an hour, then what is added or taken away.
func (p *clockParser) romance(i int) (minutes, end int, ok bool) {
	at, led := p.t.readPhrase(i, p.leads()...)
	if minutes, end, ok = p.readFigures(at); ok && led {
		return minutes, end, true
	}
	if p.l == Portuguese {
		if minutes, end, ok = p.beforeHour(at); ok {
			return minutes, end, ok
		}
	}
	_, _, named := p.readNamed(at)
	one := strings.HasSuffix(p.t.wordAt(at-1), "a") // "a la una", "à uma"
	hour, at, ok := p.noonOrHour(at)
	if !ok || led && one && hour > 1 && !named {
		return 0, 0, false
	}
	if after, ok := p.t.readPhrase(at, p.hourWords()...); ok {
		at, led = after, true
	} else if led {
		led = p.free(at)
	}
	said := led || named
	if m, after, ok := p.added(at, said); ok {
		return around(hour, m), after, true
	}
	return hour * 60, at, said || p.readDaypart(at) != ""
}

func (p *clockParser) leads() []string {
	switch p.l {
	case Spanish:
		return []string{"a las", "a la", "las", "sobre las"}
	case Portuguese:
		return []string{"as", "pelas", "a"}
	default:
		return nil
	}
}

// beforeHour reads "um quarto para as oito".
func (p *clockParser) beforeHour(i int) (minutes, end int, ok bool) {
	part, at, ok := p.part(i, "um quarto", "quarto")
	if !ok {
		return 0, 0, false
	}
	if at, ok = p.t.readPhrase(at, "para as", "para a", "pras"); !ok {
		return 0, 0, false
	}
	hour, end, ok := p.readHour(at)
	return around(hour, -part), end, ok && hour <= 12
}

func (p *clockParser) noonOrHour(i int) (hour, end int, ok bool) {
	if m, end, ok := p.readNamed(i); ok {
		return m / 60, end, true
	}
	return p.readHour(i)
}

// added reads what stands behind the hour: "y media", "menos cuarto", "et demie", and minutes when it is
// clear that it is an hour.
func (p *clockParser) added(i int, said bool) (minutes, end int, ok bool) {
	half, quarters := []string{"y media"}, []string{"cuarto", "un cuarto"}
	plus, minus := "y", "menos"
	switch p.l {
	case Portuguese:
		half, quarters, plus = []string{"e meia"}, []string{"quarto", "um quarto"}, "e"
	case French:
		half, quarters, plus, minus = []string{"et demie", "et demi"}, []string{"quart", "le quart", "un quart"}, "et", "moins"
	default:
	}
	if end, ok = p.t.readPhrase(i, half...); ok {
		return 30, end, true
	}
	switch p.t.wordAt(i) {
	case plus:
		if minutes, end, ok = p.part(i+1, quarters...); ok && (said || p.t.wordAt(end-1) == quarters[0]) {
			return minutes, end, true
		}
	case minus:
		if minutes, end, ok = p.part(i+1, quarters...); ok {
			return -minutes, end, true
		}
	default:
		if n, end, _ := p.l.readCardinal(p.t, i); p.l == French && said && end > i && n < 60 {
			return n, end, true
		}
	}
	return 0, 0, false
}
