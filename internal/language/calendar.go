package language

import "time"

// monthNamed returns the month that a folded word names.
func (l Language) monthNamed(w string) (time.Month, bool) {
	var list string
	switch l {
	case Spanish:
		list = `enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago
			septiembre|setiembre|sept|sep|set octubre|oct noviembre|nov diciembre|dic`
	case Portuguese:
		list = `janeiro|jan fevereiro|fev marco|mar abril|abr maio|mai junho|jun julho|jul agosto|ago
			setembro|set outubro|out novembro|nov dezembro|dez`
	case French:
		list = `janvier|janv|jan fevrier|fevr|fev mars avril|avr mai juin juillet|juil aout
			septembre|sept|sep octobre|oct novembre|nov decembre|dec` //nolint:misspell // French
	case German:
		list = `januar|janner|jaenner|jan februar|feber|feb marz|maerz|mrz april|apr mai juni|jun|juno juli|jul
			august|aug september|sept|sep oktober|okt november|nov dezember|dez`
	default:
		list = `january|jan february|feb march|mar april|apr may june|jun july|jul august|aug
			september|sept|sep october|oct november|nov december|dec`
	}
	n, ok := numberAt(list, w, 1, 1)
	return time.Month(n), ok
}

// weekdayNamed returns the day of the week that a folded word names; short tells that it is abbreviated.
func (l Language) weekdayNamed(w string) (day time.Weekday, short, ok bool) {
	var list string
	switch l {
	case Spanish:
		list = "domingo lunes martes miercoles jueves viernes sabado"
	case Portuguese:
		list = "domingo segunda terca quarta quinta sexta sabado"
	case French:
		list = "dimanche lundi mardi mercredi jeudi vendredi samedi"
	case German:
		list = "sonntag montag dienstag mittwoch donnerstag freitag samstag|sonnabend"
	default:
		list = "sunday monday tuesday wednesday thursday friday saturday"
		if n, ok := numberAt("sun mon tue|tues wed thu|thur|thurs fri sat", w, 0, 1); ok {
			return time.Weekday(n), true, true
		}
	}
	n, ok := numberAt(list, w, 0, 1)
	return time.Weekday(n), false, ok
}

// unit is how long a word such as "weeks" says, in days or months.
type unit struct{ days, months int }

func (l Language) unitNamed(w string) (unit, bool) {
	var list string
	switch l {
	case Spanish:
		list = "dia|dias semana|semanas mes|meses ano|anos"
	case Portuguese:
		list = "dia|dias semana|semanas mes|meses ano|anos"
	case French:
		list = "jour|jours semaine|semaines mois an|ans|annee|annees"
	case German:
		list = "tag|tage|tagen woche|wochen monat|monate|monaten jahr|jahre|jahren"
	default:
		list = "day|days week|weeks month|months year|years"
	}
	n, ok := numberAt(list, w, 0, 1)
	return []unit{{days: 1}, {days: 7}, {months: 1}, {months: 12}}[n], ok
}

// dateOf returns the beginning of a day, false when there is no such day.
func dateOf(year int, month time.Month, day int, where *time.Location) (time.Time, bool) {
	if month < time.January || month > time.December || day < 1 || day > daysIn(year, month) {
		return time.Time{}, false
	}
	t := time.Date(year, month, day, 0, 0, 0, 0, where)
	if t.Day() != day {
		t = time.Date(year, month, day, 1, 0, 0, 0, where) // the clocks leave midnight out
	}
	return t, true
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// addDays returns the beginning of the day that is so many days after another one.
func addDays(t time.Time, days int) time.Time {
	u := time.Date(t.Year(), t.Month(), t.Day()+days, 0, 0, 0, 0, time.UTC)
	d, _ := dateOf(u.Year(), u.Month(), u.Day(), t.Location())
	return d
}

// addMonths returns the same day so many months later, or the last day of that month.
func addMonths(t time.Time, months int) time.Time {
	u := time.Date(t.Year(), t.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	d, _ := dateOf(u.Year(), u.Month(), min(t.Day(), daysIn(u.Year(), u.Month())), t.Location())
	return d
}

// nextDay returns the first day of this month and day that is not before today.
func nextDay(month time.Month, day int, now time.Time) (time.Time, bool) {
	for year := now.Year(); year <= now.Year()+8; year++ {
		if d, ok := dateOf(year, month, day, now.Location()); ok && !isBefore(d, now) {
			return d, true
		}
	}
	return time.Time{}, false
}

// isBefore reports whether a day is before the day of now.
func isBefore(d, now time.Time) bool {
	return d.Year() < now.Year() || d.Year() == now.Year() && d.YearDay() < now.YearDay()
}
