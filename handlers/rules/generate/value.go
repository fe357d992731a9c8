package main

import (
	"reflect"

	"github.com/invopop/jsonschema"
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// valueSchema returns the schema of a value of the package text, nil for every other type.
func valueSchema(t reflect.Type) *jsonschema.Schema {
	const (
		length  = `(?:\d+[wdhms])+`
		number  = `-?\d+(?:\.\d+)?`
		weekday = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)`
		clock   = `\d?\d:\d\d`
		ofYear  = `(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
		day     = `\d{4}-` + ofYear
	)
	switch t {
	case reflect.TypeFor[text.Clock]():
		return writtenSchema(`^(?:[01]?\d|2[0-3]):[0-5]\d$|^24:00$`, "09:30", "18:00")
	case reflect.TypeFor[text.Day]():
		return writtenSchema(`^`+day+`$`, "2026-12-25")
	case reflect.TypeFor[text.Dates]():
		return writtenSchema(`^(?:`+day+`(?: ?\.\. ?`+day+`)?|`+ofYear+`(?: ?\.\. ?`+ofYear+`)?)$`, "2026-12-25", "2027-08-01..2027-08-31", "12-24..01-06")
	case reflect.TypeFor[grammar.Weekdays]():
		return writtenSchema(`^(?:every day|`+weekday+`(?:-`+weekday+`)?(?:, ?`+weekday+`(?:-`+weekday+`)?)*)$`, "Mon", "Mon-Fri")
	case reflect.TypeFor[text.Duration]():
		return writtenSchema(`^`+length+`$`, "6s", "30m", "12h", "14d", "1h30m")
	case reflect.TypeFor[text.Limit]():
		return writtenSchema(`^[1-9]\d* (?:ever|per `+length+`)$`, "1 per 12h", "3 per 1d", "1 ever")
	case reflect.TypeFor[text.Opening]():
		return writtenSchema(`^(?:every day|`+weekday+`(?:-`+weekday+`)?(?:, ?`+weekday+`(?:-`+weekday+`)?)*) `+clock+` ?- ?`+clock+`$`,
			"Mon-Fri 09:00-18:30", "Sat 10:00-14:00", "Mon, Wed 09:00-12:00", "every day 10:00-17:00")
	case reflect.TypeFor[text.Quiet]():
		return writtenSchema(`^`+clock+` ?- ?`+clock+`$`, "22:00-08:00")
	case reflect.TypeFor[bounds.Range]():
		return writtenSchema(`^(?:(?:over |under )?`+number+`|`+number+`\.\.(?:`+number+`)?|\.\.`+number+`)$`, "10..400", "10..", "over 150", "under 3")
	case reflect.TypeFor[text.Rate]():
		return writtenSchema(`^\d+ in `+length+`$`, "50 in 10m", "3 in 1h")
	case reflect.TypeFor[bounds.Span]():
		return writtenSchema(`^`+length+`(?:\.\.`+length+`)?$`, "10s", "4s..15s", "5m..40m")
	case reflect.TypeFor[text.WhenTime]():
		return writtenSchema(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|\d{4}-\d\d-\d\d) `+clock+`$`, "Sat 23:00", "2026-12-25 10:00")
	case reflect.TypeFor[text.WhenTimes]():
		const days = `every day|daily|` + weekday + `(?:-` + weekday + `)?(?:, ?` + weekday + `(?:-` + weekday + `)?)*`
		return writtenSchema(`^(?:`+days+`|`+day+`) `+clock+`(?:, ?`+clock+`)*$`, "Tue 09:30", "Mon-Fri 09:30", "daily 09:30", "Tue 09:30, 17:30", "2026-12-25 10:00")
	case reflect.TypeFor[text.Zone]():
		return writtenSchema(`^(?:UTC|[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)$`, "Europe/Lisbon", "America/New_York", "UTC")
	default:
		return nil
	}
}
