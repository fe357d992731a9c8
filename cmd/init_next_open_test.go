package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// forms are what {{next_open}} can read like: when somebody writes, and when we are at work.
var forms = []struct{ name, open, closedOn, at, more string }{
	{name: "today", open: "Mon-Fri 09:00-18:00", at: "2027-03-03 07:00"},
	{name: "today, behind a break", open: "Mon-Fri 09:00-13:00, Mon-Fri 14:30-18:00", at: "2027-03-03 10:00"},
	{name: "tomorrow", open: "Mon-Fri 09:00-18:00", at: "2027-03-03 23:00"},
	{name: "tomorrow, at one", open: "Mon-Sun 01:00-05:00", at: "2027-03-03 10:00"},
	{name: "around the clock", open: "Mon-Sun 00:00-24:00", at: "2027-03-03 10:00"},
	{name: "a day of the week", open: "Mon-Fri 09:00-18:00", at: "2027-03-05 23:00"},
	{name: "at the weekend", open: "Sat 10:00-14:00", at: "2027-03-03 10:00"},
	{name: "behind a holiday", open: "Mon-Fri 09:00-18:00", closedOn: "2027-08-01..2027-08-31", at: "2027-08-02 10:00"},
	{name: "in another year", open: "Mon-Fri 09:00-18:00", closedOn: "2027-03-03..2028-03-31", at: "2027-03-03 10:00"},
	{name: "once it is approved", open: "Mon-Fri 09:00-18:00", at: "2027-03-03 23:00", more: "    status: ask\n"},
}

// Every sentence with {{next_open}} that init writes, in every form and language, is in testdata/next_open.txt, for people to read.
func TestNextOpenReadsRight(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	for _, language := range allLanguages() {
		dir := t.TempDir()
		if got := nectar(t, "init", "--dir", dir, "--language", language); got.status != 0 {
			t.Fatal(got)
		}
		src, err := rules.ReadSources(filepath.Join(dir, "rules"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range src.Names() {
			for _, quoted := range quotedIn(string(src[name])) {
				if !strings.Contains(quoted, "{{next_open}}") {
					continue
				}
				fmt.Fprintf(&page, "%s %s\n", language, name)
				for _, f := range forms {
					fmt.Fprintf(&page, "  %-22s %s\n", f.name, saidAt(t, language, quoted, f.open, f.closedOn, f.at, f.more))
				}
			}
		}
	}
	path := filepath.Join("testdata", "next_open.txt")
	if *update {
		if err := os.WriteFile(path, []byte(page.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("-update writes it anew (-want +got):\n%s", diff)
	}
}

// saidAt returns what a rule with that text says to Ana when she writes then.
func saidAt(t *testing.T, language, quoted, open, closedOn, at, more string) string {
	t.Helper()
	v, report := rules.Compile(rules.Sources{
		"settings.yaml": []byte("version: 1\ntimezone: Europe/Madrid\nlanguage: " + language + "\nhours: { open: [" + open + "], closed_on: [" + closedOn + "] }\n"),
		"10-test.yaml": []byte("version: 1\nstatus: live\nrules:\n  - id: test\n    when: message\n    limits: { per_person: 9 per 1h }\n" +
			"    then: [{ reply: " + quoted + " }]\n" + more),
	})
	madrid, err := time.LoadLocation("Europe/Madrid")
	now, wrong := time.ParseInLocation("2006-01-02 15:04", at, madrid)
	if !report.OK() || err != nil || wrong != nil {
		t.Fatal(report, err, wrong)
	}
	r := rehearse.NewRehearsal(v, now)
	scenes, err := r.Says(r.Guest("ana"), event.KindMessage, "hello", 0)
	if err != nil {
		t.Fatal(err)
	}
	return scenes[0].Decision.Actions[0].Text
}
