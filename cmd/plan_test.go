package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

const springFiles = "testdata/plan/spring"

// beforeSpring is a day before the reference campaign begins.
var beforeSpring = time.Date(2027, time.March, 7, 12, 0, 0, 0, time.UTC)

// planned runs the command at a time, without a database.
func planned(t *testing.T, now time.Time, args ...string) (got result) {
	t.Helper()
	environ := []string{"NECTAR_STORE=sqlite:" + filepath.Join(t.TempDir(), "none.db"), "NECTAR_RULES=" + t.TempDir() + "/none"}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		var out, err bytes.Buffer
		sh := cli.Shell{Args: args, Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}
		got = result{execute(context.Background(), sh), out.String(), err.String()}
	})
	return got
}

// asGolden compares with a golden file.
func asGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "plan", name)
	if ext := filepath.Ext(name); ext == ".ics" || ext == ".csv" { // whose lines end as RFC 5545 and RFC 4180 want it
		if strings.Count(got, "\n") != strings.Count(got, "\r\n") || got == "" {
			t.Errorf("%s: not every line ends with CR LF", name)
		}
		got = strings.ReplaceAll(got, "\r\n", "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +have)\n%s", path, diff)
	}
}

// A marketer with one file, and nothing else, sees the plan of it in every form.
func TestPlanOfAFile(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"spring-80.txt":   {"--month", "2027-03", "--width", "80"},
		"spring-120.txt":  {"--month", "2027-03", "--width", "120"},
		"spring.txt":      nil,
		"spring-days.txt": {"--from", "2027-03-14", "--to", "2027-03-20", "--campaign", "spring-menu"},
		"spring.csv":      {"--csv", "-"},
		"spring.json":     {"--json"},
		"spring.ics":      {"--ics", "-"},
	} {
		got := planned(t, beforeSpring, append([]string{"plan", springFiles + "/40-spring-reposts.yaml"}, args...)...)
		if got.status != 0 || got.stderr != "" {
			t.Errorf("%v: status %d, %s", args, got.status, got.stderr)
		}
		asGolden(t, name, got.stdout)
		if strings.HasPrefix(name, "spring-80") {
			for line := range strings.Lines(got.stdout) {
				if strings.HasPrefix(line, "SLOT") {
					break // the calendar ends here
				}
				if n := print.TextWidth(strings.TrimRight(line, "\n")); n > 80 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
		}
	}
}

// What cannot be planned is said in one line, with what to write instead.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	const file = springFiles + "/40-spring-reposts.yaml"
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "--month 3: write it like 2027-03", []string{file, "--month", "3"}},
		{2, "--from 8 March: write it like 2026-12-25", []string{file, "--from", "8 March"}},
		{2, "the last day, 2027-03-01, comes before the first one, 2027-03-08", []string{file, "--from", "2027-03-08", "--to", "2027-03-01"}},
		{2, "2937-04-30 is more than 10 years ahead: name a day until 2037-03-07", []string{file, "--month", "2937-04"}},
		{2, "there is no campaign spring-men: did you mean spring-menu?", []string{file, "--campaign", "spring-men"}},
		{2, `there is no account "mian"; did you mean "main"?`, []string{file, "--account", "mian"}},
		{1, "there is no file or folder testdata/none", []string{"testdata/none"}},
		{1, "no bot has run here: name a file, as in nectar plan spring.yaml", nil},
		{2, "--json, --ics and --csv are three forms of the same: write one", []string{file, "--json", "--csv", "-"}},
	} {
		got := planned(t, beforeSpring, append([]string{"plan"}, c.args...)...)
		if got.status != c.status || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("%v: %+v", c.args, got)
		}
	}
}

// A calendar that is there is brought up to date: what is as it was stays, what has changed has a higher number, and what is gone
// is cancelled.
func TestPlanBringsACalendarUpToDate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"40-spring-reposts.yaml", "settings.yaml"} {
		content, err := os.ReadFile(filepath.Join(springFiles, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	file, calendar := filepath.Join(dir, "40-spring-reposts.yaml"), filepath.Join(dir, "spring.ics")
	write := func(now time.Time) string {
		t.Helper()
		if got := planned(t, now, "plan", file, "--ics", calendar, "--to", "2027-04-01"); got.status != 0 || got.stdout == "" {
			t.Fatalf("%+v", got)
		}
		content, err := os.ReadFile(calendar)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	first := write(beforeSpring)
	if again := write(beforeSpring.Add(time.Hour)); again != first {
		t.Errorf("nothing has changed:\n%s", cmp.Diff(first, again))
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(strings.Replace(string(content), "Sat 11:00", "Sun 11:00", 1), "jitter: up to 12m", "jitter: up to 5m", 1)
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	asGolden(t, "spring-edited.ics", write(beforeSpring.Add(2*time.Hour)))
	if err := os.WriteFile(calendar, []byte("no calendar"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := planned(t, beforeSpring, "plan", file, "--ics", calendar); got.status != 1 || !strings.Contains(got.stderr, "name another file") {
		t.Errorf("%+v", got)
	}
}

// Two accounts may have a campaign of one id, in one calendar: neither takes the place of the other's slots, nor away.
func TestCalendarOfTwoAccounts(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(springFiles, "40-spring-reposts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	calendar := filepath.Join(dir, "both.ics")
	statuses := map[string]string{}
	for _, account := range []string{"shop", "cafe", "shop"} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(springFiles)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, "40-spring-reposts.yaml")
		of := strings.Replace(string(content), "    do: repost", "    account: "+account+"\n    do: repost", 1)
		if err := os.WriteFile(file, []byte(of), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := planned(t, beforeSpring, "plan", file, "--ics", calendar, "--account", account); got.status != 0 {
			t.Fatalf("%+v", got)
		}
	}
	got, err := os.ReadFile(calendar)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ics.ParseCalendar(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Events() {
		statuses[e.Id()] = plan.ICSValue(e, ics.ComponentPropertyStatus)
	}
	for _, name := range []string{"shop/spring-menu@2027-03-09T09:30", "cafe/spring-menu@2027-03-09T09:30"} {
		if statuses[name] != "TENTATIVE" {
			t.Errorf("%s is %q, in\n%s", name, statuses[name], got)
		}
	}
}

// Whatever is said of a slot, a calendar that is read back says the same, in lines that are as long as they may be.
func TestCalendarsCanBeReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows := []plan.SlotRow{{
			ID: slotNamed(rt, "spring-menu@2027-03-16T09:30"), Account: "main", Zone: time.UTC, State: plan.SlotPlanned, Minute: beforeSpring, At: beforeSpring,
			Do: "publish", Text: rapid.String().Draw(rt, "text"), Why: rapid.String().Draw(rt, "why"), Void: rapid.String().Draw(rt, "void"),
			Others: rapid.SliceOfN(rapid.String(), 0, 3).Draw(rt, "others"),
		}}
		content, err := plan.WriteICS(rows, nil, nil, beforeSpring)
		if err != nil {
			rt.Fatal(err)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(content), "\r\n"), "\r\n") {
			if len(line) > 75 || strings.ContainsAny(line, "\r\n\x00\x07") {
				rt.Errorf("a line of %d bytes: %q", len(line), line)
			}
		}
		c, err := ics.ParseCalendar(bytes.NewReader(content))
		if err != nil || len(c.Events()) != 1 {
			rt.Fatalf("%v\n%s", err, content)
		}
		want := rows[0].ICSEvent()
		for _, p := range []ics.ComponentProperty{ics.ComponentPropertySummary, ics.ComponentPropertyDescription, ics.ComponentPropertyUniqueId} {
			if got := plan.ICSValue(c.Events()[0], p); got != plan.ICSValue(want, p) {
				rt.Errorf("%s is %q, want %q", p, got, plan.ICSValue(want, p))
			}
		}
	})
}

// JSON says what the list says.
func TestPlanForMachines(t *testing.T) {
	t.Parallel()
	got := planned(t, beforeSpring, "plan", springFiles, "--json")
	n := 0
	for line := range strings.Lines(got.stdout) {
		var s plan.SlotJSON
		if err := json.Unmarshal([]byte(line), &s); err != nil || s.Minute.IsZero() || s.Campaign != "spring-menu" {
			t.Errorf("%v %s", err, line)
		}
		n++
	}
	if n != 8 {
		t.Errorf("%d slots", n)
	}
}

func slotNamed(tb interface{ Fatal(args ...any) }, name string) campaigns.SlotID {
	id, err := campaigns.ParseSlotID(name)
	if err != nil {
		tb.Fatal(err)
	}
	return id
}
