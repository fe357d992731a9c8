package language

import (
	"fmt"
	"time"
)

// names are the words with which dates are shown.
type names struct {
	weekdays [7]string
	months   [12]string
}

func (l Language) names() names {
	switch l {
	case Spanish:
		return names{
			[7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
			[12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
		}
	case Portuguese:
		return names{
			[7]string{"domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado"},
			[12]string{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"},
		}
	case French:
		return names{
			[7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
			[12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		}
	case German:
		return names{
			[7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
			[12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		}
	default:
		var n names
		for i := range n.weekdays {
			n.weekdays[i] = time.Weekday(i).String()
		}
		for i := range n.months {
			n.months[i] = time.Month(i + 1).String()
		}
		return n
	}
}

// ShowDate shows a date with its day of the week, so that a person sees when it was misread: "Monday 14
// June". The year is shown unless the date is the next one of its day and month.
func (l Language) ShowDate(d, now time.Time) string {
	l = l.orEnglish()
	weekday, day := l.names().weekdays[d.Weekday()], l.dayAndMonth(d)
	year := ""
	if next, ok := nextDay(d.Month(), d.Day(), now.In(d.Location())); !ok || next.Year() != d.Year() {
		year = fmt.Sprint(d.Year())
	}
	switch l {
	case Spanish, Portuguese:
		if year != "" {
			year = " de " + year
		}
		if l == Portuguese {
			weekday += ","
		}
	case German:
		weekday += ","
		fallthrough
	default:
		if year != "" {
			year = " " + year
		}
	}
	return weekday + " " + day + year
}

func (l Language) dayAndMonth(d time.Time) string {
	month := l.names().months[d.Month()-1]
	switch l {
	case Spanish, Portuguese:
		return fmt.Sprintf("%d de %s", d.Day(), month)
	case French:
		if d.Day() == 1 {
			return "1er " + month
		}
		return fmt.Sprintf("%d %s", d.Day(), month)
	case German:
		return fmt.Sprintf("%d. %s", d.Day(), month)
	default:
		return fmt.Sprintf("%d %s", d.Day(), month)
	}
}

// ShowYesNo returns the word for yes or no.
func (l Language) ShowYesNo(yes bool) string {
	words := map[Language][2]string{Spanish: {"no", "sí"}, Portuguese: {"não", "sim"}, French: {"non", "oui"}, German: {"nein", "ja"}}
	said, ok := words[l]
	if !ok {
		said = [2]string{"no", "yes"}
	}
	if yes {
		return said[1]
	}
	return said[0]
}

// ShowWhen shows when something is, on now's clock, so that it can end a sentence: "today at 14:00",
// "tomorrow at 9:00", "on Monday at 9:00" for the next six days, "on 4 January at 9:00" for all others;
// with the year when it is not the next one of its day and month.
func (l Language) ShowWhen(at, now time.Time) string {
	l = l.orEnglish()
	at = at.In(now.Location())
	clock := l.clock(at)
	switch daysTo(at, now) {
	case 0:
		return l.today() + " " + clock
	case 1:
		return l.tomorrow() + " " + clock
	}
	return l.ShowDay(at, now)
}

// ShowDay is ShowWhen for what may be read on another day than now's: it says "on Wednesday at 9:00" for today and tomorrow, too.
func (l Language) ShowDay(at, now time.Time) string {
	l = l.orEnglish()
	at = at.In(now.Location())
	clock := l.clock(at)
	if days := daysTo(at, now); days >= 0 && days < 7 {
		return l.onWeekday(at.Weekday()) + " " + clock
	}
	date := l.dayAndMonth(at)
	if next, ok := nextDay(at.Month(), at.Day(), now); !ok || next.Year() != at.Year() {
		if l == Spanish || l == Portuguese {
			date += " de"
		}
		date += fmt.Sprintf(" %d", at.Year())
	}
	return l.on() + " " + date + " " + clock
}

// daysTo returns how many days after now's day the one of at is.
func daysTo(at, now time.Time) int {
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	return int(day.Sub(today).Hours() / 24)
}

func (l Language) clock(at time.Time) string {
	h, m := at.Hour(), at.Minute()
	switch l {
	case Spanish:
		if h == 1 {
			return fmt.Sprintf("a la %d:%02d", h, m)
		}
		return fmt.Sprintf("a las %d:%02d", h, m)
	case Portuguese:
		if h < 2 {
			return fmt.Sprintf("à %d:%02d", h, m)
		}
		return fmt.Sprintf("às %d:%02d", h, m)
	case French:
		return fmt.Sprintf("à %dh%02d", h, m)
	case German:
		return fmt.Sprintf("um %d:%02d Uhr", h, m)
	default:
		return fmt.Sprintf("at %d:%02d", h, m)
	}
}

func (l Language) today() string {
	switch l {
	case Spanish:
		return "hoy"
	case Portuguese:
		return "hoje"
	case French:
		return "aujourd’hui"
	case German:
		return "heute"
	default:
		return "today"
	}
}

func (l Language) tomorrow() string {
	switch l {
	case Spanish:
		return "mañana"
	case Portuguese:
		return "amanhã"
	case French:
		return "demain"
	case German:
		return "morgen"
	default:
		return "tomorrow"
	}
}

func (l Language) on() string {
	switch l {
	case Spanish:
		return "el"
	case Portuguese:
		return "a"
	case French:
		return "le"
	case German:
		return "am"
	default:
		return "on"
	}
}

func (l Language) onWeekday(day time.Weekday) string {
	name := l.names().weekdays[day]
	switch l {
	case Spanish:
		return "el " + name
	case Portuguese:
		if day == time.Saturday || day == time.Sunday {
			return "no " + name
		}
		return "na " + name
	case French:
		return name
	case German:
		return "am " + name
	default:
		return "on " + name
	}
}
