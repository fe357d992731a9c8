package cmd

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// begun returns the files that init writes for hours of work, with days on which nobody works.
func begun(t *testing.T, language, closedOn string, hours ...string) rules.Sources {
	t.Helper()
	dir := t.TempDir()
	args := []string{"init", "--dir", dir, "--language", language, "--timezone", "Europe/Madrid"}
	for _, h := range hours {
		args = append(args, "--hours", h)
	}
	if got := nectar(t, args...); got.status != 0 {
		t.Fatal(got)
	}
	src, err := rules.ReadSources(filepath.Join(dir, "rules"))
	if err != nil {
		t.Fatal(err)
	}
	if closedOn != "" {
		src["settings.yaml"] = bytes.Replace(src["settings.yaml"], []byte("# closed_on: [2027-01-01]"), []byte("closed_on: ["+closedOn+"]"), 1)
	}
	return src
}

// Whenever people are at work, and whichever days are holidays, the files that init writes pass their own tests.
func TestStartersPassAtEachHour(t *testing.T) {
	t.Parallel()
	n := 0
	for _, days := range []string{"Mon-Fri", "Mon-Sun", "Sat", "Sun", "Tue", "Wed"} {
		for from := range 24 {
			for _, closed := range []string{"", "12-24..01-06, 2027-03-02", "2026-05-01..2027-05-01"} {
				n++
				language := allLanguages()[n/5%5]
				if !effort.Sampled(n) {
					continue
				}
				hours := fmt.Sprintf("%s %02d:00-%02d:30", days, from, (from+n%13)%24)
				if _, report := rulecheck.Check(begun(t, language, closed, hours)); len(report.Problems) > 0 {
					t.Errorf("%s, %s, closed on %s: %v", language, hours, closed, report.Problems)
				}
			}
		}
	}
}

// asked is what people write to the files of each language: something nobody has thought of, for a person, for a quote, twice wrongly, and
// with all answers.
var asked = map[string][][]string{
	"en": {{"do you know a dentist"}, {"PERSON"}, {"catering", "x", "y", "z"}, {"catering", "14/06", "80", "ana@example.org"}, {"how much", "opening hours"}},
	"es": {{"un dentista"}, {"PERSONA"}, {"catering", "x", "y", "z"}, {"catering", "14/06", "80", "ana@example.org"}, {"precio", "horario"}},
	"pt": {{"um dentista"}, {"PESSOA"}, {"catering", "x", "y", "z"}, {"catering", "14/06", "80", "ana@example.org"}, {"preço", "horário"}},
	"fr": {{"un dentiste"}, {"HUMAIN"}, {"traiteur", "x", "y", "z"}, {"traiteur", "14/06", "80", "ana@example.org"}, {"prix", "horaires"}},
	"de": {{"ein Zahnarzt"}, {"MENSCH"}, {"Catering", "x", "y", "z"}, {"Catering", "14.06.", "80", "ana@example.org"}, {"Preis", "Öffnungszeiten"}},
}

// malformed is what no text of any language has: what was not filled in, and what stays where nothing was.
var malformed = regexp.MustCompile(`\{\{|\}\}|%[A-Z]|  | [.,]|[.,;:]\.|^\W*[,.]| $|[:;]$|![!?]`)

// At each hour of a week with holidays, and moments before it, nothing that the files of init say is false, or lacks something.
func TestStartersSayWhatIsTrue(t *testing.T) {
	t.Parallel()
	holidays := text.Dates{From: text.Day{Year: 2027, Month: 3, Day: 9}, To: text.Day{Year: 2027, Month: 3, Day: 10}}
	for _, language := range allLanguages() {
		for _, open := range [][]string{
			{"Mon-Fri 09:00-18:00"},
			{"Mon-Fri 09:00-13:00", "Mon-Fri 14:00-18:30", "Sat 10:00-14:00"},
			{"Mon-Sun 22:00-06:00"},
			{"Mon-Sun 00:00-24:00"},
			{"Thu 01:00-02:00"},
		} {
			t.Run(language+" "+open[0], func(t *testing.T) {
				effort.Case(t)
				v, report := rulecheck.Check(begun(t, language, "2027-03-09..2027-03-10", open...))
				if v == nil {
					t.Fatal(report)
				}
				hours := text.Hours{ClosedOn: textfile.List[text.Dates]{holidays}}
				for _, o := range open {
					opening, err := text.ParseOpening(o)
					if err != nil {
						t.Fatal(err)
					}
					hours.Open = append(hours.Open, opening)
				}
				for hour := range 7 * 24 {
					for i, before := range []time.Duration{0, 10 * time.Second, 40 * time.Second} {
						at := time.Date(2027, 3, 4, hour, 0, 0, 0, v.Zone()).Add(-before)
						for j, chat := range asked[language] {
							if effort.Sampled(hour + 2*i + j) {
								listen(t, v, &hours, language, at, chat)
							}
						}
					}
				}
			})
		}
	}
}

// listen lets somebody write, and looks at what is said.
func listen(t *testing.T, v *rules.Version, hours *text.Hours, language string, at time.Time, chat []string) {
	t.Helper()
	r := rehearse.NewRehearsal(v, at)
	r.Status = decision.Live
	g := r.Guest("ana")
	if at.Day()%2 == 0 {
		g.State.Name = "" // nobody knows how she is called
	}
	for _, line := range chat {
		scenes, err := r.Writes(g, line)
		if err != nil {
			t.Fatal(err)
		}
		for i := range scenes {
			for _, a := range scenes[i].Decision.Actions {
				if wrong := malformed.FindString(a.Text); a.Verb.Makes() && (wrong != "" || a.Text == "") {
					t.Errorf("%s: to %q people read %q: %q", scenes[i].At.Format("Mon 15:04:05"), line, a.Text, wrong)
				}
				if language == "en" {
					if wrong := untrue(hours, scenes[i].At, a.Due.In(v.Zone()), a.Text); wrong != "" {
						t.Errorf("%s: at %s people read %q: %s", scenes[i].At.Format("Mon 15:04:05"), a.Due.In(v.Zone()).Format("Mon 15:04:05"), a.Text, wrong)
					}
				}
			}
		}
	}
}

var opensAt = regexp.MustCompile(`(today|tomorrow|on (?:[A-Z]\w+|\d+ [A-Z]\w+)) at (\d+:\d\d)(?: at the latest)?\.$`)

// untrue says what is not so, of what is decided at one time and read at another; "" when all is.
func untrue(hours *text.Hours, decided, due time.Time, said string) string {
	if strings.Contains(said, "We are closed") && hours.OpenAt(decided) {
		return "we are not"
	}
	m := opensAt.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	// The first minute behind a closed one that follows on the decision, found minute by minute; midnight for who never closes.
	next := decided.Truncate(time.Minute)
	for n := 0; ; n++ {
		if n == 15*24*60 {
			next = time.Date(due.Year(), due.Month(), due.Day()+1, 0, 0, 0, 0, due.Location())
			break
		}
		was := next
		next = next.Add(time.Minute)
		if hours.OpenAt(next) && !hours.OpenAt(was) {
			break
		}
	}
	for _, day := range []string{"today", "tomorrow"} {
		if m[1] == day && next.Format(time.DateOnly) != due.AddDate(0, 0, strings.Index("today tomorrow", day)/6).Format(time.DateOnly) {
			return "it is " + next.Format("Monday 2 January 15:04")
		}
	}
	if m[2] != next.Format("15:04") && "0"+m[2] != next.Format("15:04") ||
		strings.HasPrefix(m[1], "on ") && m[1] != next.Format("on Monday") && m[1] != next.Format("on 2 January") {
		return "it is " + next.Format("Monday 2 January 15:04")
	}
	return ""
}
