package language_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/internal/language"
	"pgregory.net/rapid"
)

// tuesday is when the answers of these tests are given.
func tuesday() time.Time { return time.Date(2026, time.November, 17, 10, 0, 0, 0, time.UTC) }

// table reads "phrase | result" lines.
func table(t *testing.T, name string) [][2]string {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	for line := range strings.Lines(string(src)) {
		phrase, result, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok {
			t.Fatalf("%s: %q has no result", name, line)
		}
		rows = append(rows, [2]string{phrase, result})
	}
	return rows
}

func TestDate(t *testing.T) {
	for _, l := range language.AllLanguages() {
		for _, row := range table(t, "dates-"+string(l)) {
			got := "-"
			if d, ok := l.FindDate(row[0], tuesday()); ok {
				got = d.Format(time.DateOnly)
			}
			if got != row[1] {
				t.Errorf("%s: %q is %s, want %s", l, row[0], got, row[1])
			}
		}
	}
}

func TestOrdinarySentencesHaveNoDate(t *testing.T) {
	for _, row := range table(t, "no-dates") {
		if d, ok := language.Language(row[0]).FindDate(row[1], tuesday()); ok {
			t.Errorf("%s: %q is taken for %s", row[0], row[1], d.Format(time.DateOnly))
		}
	}
}

func TestDateIsTheBeginningOfADayInItsZone(t *testing.T) {
	for _, zone := range []string{"Europe/Lisbon", "America/Santiago", "Asia/Tokyo"} {
		where, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, time.September, 1, 23, 30, 0, 0, where)
		for day := range 365 {
			want := time.Date(2026, time.September, 2+day, 12, 0, 0, 0, where)
			got, ok := language.English.FindDate(want.Format("2 January 2006"), now)
			if !ok || got.Format(time.DateOnly) != want.Format(time.DateOnly) || got.Add(-time.Minute).Day() == want.Day() {
				t.Errorf("%s: %s is read as %s", zone, want.Format(time.DateOnly), got)
			}
		}
	}
}

func TestUnknownLanguageIsEnglish(t *testing.T) {
	for _, l := range append(language.AllLanguages(), "") {
		if !l.IsKnown() {
			t.Errorf("%q is not known", l)
		}
	}
	if language.Language("xx").IsKnown() {
		t.Error("xx is known")
	}
	for _, l := range []language.Language{"", "xx"} {
		if d, ok := l.FindDate("14 June", tuesday()); !ok || d.Month() != time.June {
			t.Errorf("%q reads 14 June as %s", l, d)
		}
	}
}

// A date that is shown is read as the same date, whatever stands around it.
func TestShownDatesAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom(language.AllLanguages()).Draw(t, "language")
		now := tuesday().AddDate(0, 0, rapid.IntRange(0, 2000).Draw(t, "now"))
		want := time.Date(2026, time.January, 1+rapid.IntRange(0, 4000).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		shown := l.ShowDate(want, now)
		for _, text := range []string{shown, strings.ToUpper(shown), "x, " + shown + ". Y", shown + " 19:30"} {
			if got, ok := l.FindDate(text, now); !ok || !got.Equal(want) {
				t.Errorf("%s: %q is read as %s, want %s, now is %s", l, text, got, want, now)
			}
		}
	})
}

func FuzzAnswers(f *testing.F) {
	f.Add("14 June at 7pm for 80 people, a@b.co +351 912 345 678", "en", int64(1_800_000_000))
	f.Add("am 14. um halb acht für zweihundert", "de", int64(0))
	f.Add("31/02/2026 ½ 99999999999999999999,9", "fr", int64(-1_000_000_000))
	f.Fuzz(func(t *testing.T, text, code string, unix int64) {
		l := language.Language(code)
		now := time.Unix(unix%10_000_000_000, 0).UTC()
		if d, ok := l.FindDate(text, now); ok && (d.IsZero() || d.Hour() > 1) {
			t.Errorf("%q is %s", text, d)
		}
		if h, m, ok := l.Time(text); ok && (h < 0 || h > 23 || m < 0 || m > 59) {
			t.Errorf("%q is %d:%d", text, h, m)
		}
		if e, ok := language.FindEmail(text); ok && !strings.Contains(e, "@") {
			t.Errorf("%q has the address %q", text, e)
		}
		if p, ok := language.FindPhone(text, "PT"); ok && len(p) < 8 {
			t.Errorf("%q has the number %q", text, p)
		}
		l.ReadNumber(text)
		l.YesNo(text)
	})
}

func BenchmarkDate(b *testing.B) {
	for _, l := range []struct {
		l    language.Language
		text string
	}{
		{language.English, "It will be on the 14th of June, if that is possible"},
		{language.German, "Es wäre am Samstag, den 12. Dezember, wenn das geht"},
		{language.English, "I have no idea yet, sorry, can I tell you later?"},
	} {
		b.Run(string(l.l), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.l.FindDate(l.text, tuesday())
			}
		})
	}
}
