package language_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/internal/language"
)

func TestTime(t *testing.T) {
	for _, row := range languageTable(t, "times") {
		got := "-"
		if hour, minute, ok := row.l.Time(row.phrase); ok {
			got = fmt.Sprintf("%d:%02d", hour, minute)
		}
		if got != row.want {
			t.Errorf("%s: %q is %s, want %s", row.l, row.phrase, got, row.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, row := range languageTable(t, "numbers") {
		got := "-"
		if n, ok := row.l.ReadNumber(row.phrase); ok {
			got = strconv.FormatFloat(n, 'f', -1, 64)
		}
		if got != row.want {
			t.Errorf("%s: %q is %s, want %s", row.l, row.phrase, got, row.want)
		}
	}
}

func TestYesNo(t *testing.T) {
	for _, row := range languageTable(t, "yesno") {
		got := "-"
		if yes, ok := row.l.YesNo(row.phrase); ok {
			got = map[bool]string{true: "yes", false: "no"}[yes]
		}
		if got != row.want {
			t.Errorf("%s: %q is %s, want %s", row.l, row.phrase, got, row.want)
		}
	}
}

type answer struct {
	l            language.Language
	phrase, want string
}

// languageTable reads "language | phrase | result" lines.
func languageTable(t *testing.T, name string) []answer {
	t.Helper()
	var rows []answer
	for _, row := range table(t, name) {
		phrase, want, ok := strings.Cut(row[1], "|")
		if !ok {
			t.Fatalf("%s: %q is no row", name, row)
		}
		rows = append(rows, answer{language.Language(row[0]), strings.TrimSpace(phrase), strings.TrimSpace(want)})
	}
	return rows
}

func TestEmail(t *testing.T) {
	for text, want := range map[string]string{
		"ana@example.org":                    "ana@example.org",
		"Write to Ana.Lima+box@Example.ORG.": "Ana.Lima+box@example.org",
		"<mailto:ana@example.org>":           "ana@example.org",
		"(ana_b@mail.example.co.uk), thanks": "ana_b@mail.example.co.uk",
		"ana&#64;example.org":                "ana@example.org",
		"@ana or ana@example.org":            "ana@example.org",
		"jürgen@müller.example":              "jürgen@müller.example",
		"a@b.co, c@d.co":                     "a@b.co",
		"@ana":                               "",
		"ana@":                               "",
		"ana@localhost":                      "",
		"ana@example.1":                      "",
		"ana..b@example.org":                 "",
		"ana@-example.org":                   "",
		"ana example.org":                    "",
		"":                                   "",
		"@@@@":                               "",
		"price @ 12.50":                      "",
		"o'brien@example.org":                "o'brien@example.org",
		"'ana@example.org'":                  "ana@example.org",
		"ana@example.org?subject=x":          "ana@example.org",
		"no e-mail, sorry":                   "",
	} {
		got, ok := language.FindEmail(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q has the address %q, %t, want %q", text, got, ok, want)
		}
	}
}

func TestPhone(t *testing.T) {
	for _, test := range []struct{ text, region, want string }{
		{"+351 912 345 678", "", "+351912345678"},
		{"call me: +351 912-345-678, thanks", "DE", "+351912345678"},
		{"00351 912 345 678", "", "+351912345678"},
		{"912 345 678", "PT", "+351912345678"},
		{"912345678", "pt", "+351912345678"},
		{"(212) 555-0199", "US", "+12125550199"},
		{"+1 (212) 555-0199", "", "+12125550199"},
		{"+49 (0)30 1234567", "", "+49301234567"},
		{"0151 23456789", "DE", "+4915123456789"},
		{"06.12.34.56.78", "FR", "+33612345678"},
		{"912 345 678", "", "912345678"},
		{"my number is 5550199.", "", "5550199"},
		{"12345", "", ""},
		{"123", "PT", ""},
		{"14.06.2027", "", ""},
		{"2027-06-14", "", ""},
		{"14/06/2027", "PT", ""},
		{"€1200000", "", ""},
		{"1200000 euros", "", ""},
		{"1234567,50", "", ""},
		{"about 80 people", "PT", ""},
		{"order abc1234567", "", ""},
		{"1234567890123456", "", ""},
		{"ana@example.org", "PT", ""},
		{"on 14.06.2027, 912 345 678", "PT", "+351912345678"},
		{"", "PT", ""},
		{"912 345 678", "XX", ""},
	} {
		got, ok := language.FindPhone(test.text, test.region)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%q in %q has the number %q, %t, want %q", test.text, test.region, got, ok, test.want)
		}
	}
}

// A time that is shown is read as the same time.
func TestShownTimesAreRead(t *testing.T) {
	for _, l := range language.AllLanguages() {
		for minutes := 0; minutes < 9*24*60; minutes += 7 {
			want := tuesday().Add(time.Duration(minutes) * time.Minute)
			shown := l.ShowWhen(want, tuesday())
			hour, m, ok := l.Time(shown)
			if !ok || hour != want.Hour() || m != want.Minute() {
				t.Errorf("%s: %q is read as %d:%02d, %t", l, shown, hour, m, ok)
			}
			if d, ok := l.FindDate(shown, tuesday()); !ok || d.YearDay() != want.YearDay() {
				t.Errorf("%s: %q is read as %s, %t", l, shown, d, ok)
			}
		}
	}
}
