package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// textsOf is a campaign of texts in a file, on which a person approves each slot.
func textsOf(texts string) string {
	return `version: 1
name: Spring texts
status: ask

campaigns:
  - id: spring-texts
    do: publish
    timezone: America/New_York
    starts: 2027-03-13
    ends: 2027-03-13
    texts: [` + texts + `]
    slots: [Sat 09:30, "Sat 12:45"]
    approve: { who: marketing, at_least: 30m before }
`
}

// What was published is shown as it left, to people and to other programs, whatever the file says by now; it is kept until the campaign is
// forgotten, and who approved it until that person is.
func TestBookOfTexts(t *testing.T) {
	t.Parallel()
	inMarketing(t, []event.Account{"bot"}, func(m *marketing) {
		m.write("50-texts.yaml", textsOf("Asparagus-is-here, Strawberries-too"))
		m.write("60-hello.yaml", "version: 1\nstatus: watch\nrules:\n  - id: hello\n    when: message\n    if: [text: { any_word: [hello] }]\n    then:\n      - reply: Hi!\n    limits: { per_person: 1 per 12h }\n")
	}, func(m *marketing) {
		m.names("bot")
		m.Advance(2 * time.Minute)
		const slot = "spring-texts@2027-03-13T09:30"
		m.says("outbox edit name:campaigns/"+slot+" --as ines --text Asparagus-at-last --wait 0s", "asked for")
		m.Advance(6 * time.Hour)
		m.write("50-texts.yaml", textsOf("Cherries, Plums"))
		m.Advance(2 * time.Minute)
		m.says("campaigns show spring-texts", "SLOT LEFT POST/WORDS ADDRESS APPROVED BY WHAT BECAME OF IT",
			`Sat 13 Mar 2027 09:30 09:30 ✓ "Asparagus-at-last" http://emulator.localhost/thread/`, "ines, Sat 13 Mar 2027 07:02 done")
		m.says("campaigns show spring-texts --json", `"text":"Asparagus-at-last"`, `"left_at":"2027-03-13T14:30:00`, `"address":"http://emulator.localhost/thread/`, `"approved_by":"ines"`)
		for _, command := range []string{"campaigns show spring-texts --csv -", "plan --month 2027-03 --csv -"} {
			m.says(command, `"Asparagus-at-last"`, `"2027-03-13 14:30","http://emulator.localhost/thread/`, `"ines","2027-03-13 12:02"`)
		}
		m.says("why "+slot, `the words: "Asparagus-at-last"`, "it stands at http://emulator.localhost/thread/", "it was published Sat 13 March 2027 09:30:0", "approved by ines, Sat 13 Mar 2027 07:02")
		if got := m.run("why " + slot); strings.Contains(got, "it never left") {
			m.t.Errorf("what left is said not to have:\n%s", got)
		}
		calendar := m.run("plan --month 2027-03 --ics -")
		if !strings.Contains(calendar, "Asparagus-at-last") || strings.Contains(calendar, "CANCELLED") || strings.Contains(calendar, "12:45") {
			m.t.Errorf("the calendar is\n%s", calendar)
		}
		for _, command := range []string{"campaigns show spring-texts", "plan --month 2027-03", "why " + slot, "campaigns"} {
			if got := strings.ReplaceAll(m.run(command), "name:campaigns", ""); strings.Contains(got, "text:") {
				m.t.Errorf("nectar %s shows a raw key:\n%s", command, got)
			}
		}
		m.booksAsBefore()
		m.says("campaigns show spring-texts", "Fri 12 Mar 2027 09:30 – ✓ a text that is not in the files any more – done")
		if got := m.run("plan --from 2027-03-12 --to 2027-03-12"); strings.Contains(got, "text:") {
			m.t.Errorf("it has a raw key:\n%s", got)
		}
		m.says("export Ines", `"list": "campaigns/spring-texts"`, `"text": "ines"`)
		m.says("forget ines --yes", "ines, who has approved slots of campaigns", "the books of campaigns do not say any more who has approved 1 slot")
		m.says("campaigns show spring-texts", "Asparagus-at-last", "somebody, Sat 13 Mar 2027 07:02")
		m.says("forget ines --yes", `nobody is known as "ines"`, "exit 1")
		m.forgetsTexts()
	})
}

// booksAsBefore writes a slot into the book as an earlier version did.
func (m *marketing) booksAsBefore() {
	m.Inspect(func(d inspect.Inspector) {
		for behind, e := range map[string]event.Entry{
			"": {Text: "go", Data: []byte(`{"minute":"2027-03-12T14:30:00Z","at":"2027-03-12T14:30:00Z","item":"text:0123456789abcdef"}`)}, "#end": {Text: "done"},
		} {
			e.Account, e.List, e.Key = "bot", "campaigns/spring-texts", "spring-texts@2027-03-12T09:30"+behind
			if _, err := d.AddEntry(context.Background(), e); err != nil {
				m.t.Fatal(err)
			}
		}
	})
}

// forgetsTexts forgets the campaign, once it is in no file any more.
func (m *marketing) forgetsTexts() {
	m.t.Helper()
	const forget, file = "campaigns forget spring-texts", "50-texts.yaml"
	m.says(forget+" --yes", "spring-texts is in a file: take it out of there", "exit 2")
	m.Stop()
	m.write(file, "version: [")
	m.says(forget+" --yes", "what is saved cannot be compared", "exit 2")
	if err := os.Remove(filepath.Join(m.dir, file)); err != nil {
		m.t.Fatal(err)
	}
	m.says(forget+" --yes", "spring-texts is in force until the edit is that takes it out: nectar campaigns apply", "exit 2")
	m.says("campaigns apply --yes", "it is done when one starts")
	m.says("campaigns show spring-texts", "gone", "America/New_York", `09:30 ✓ "Asparagus-at-last"`)
	if got := m.result(forget); got.status != cli.ExitFailed || !strings.Contains(got.stdout, "[y/N]") || !strings.Contains(got.stderr, "nothing was changed") {
		m.t.Errorf("%+v", got)
	}
	m.says(forget+" --yes", "slots in the book that were published 2", "it is done when one starts")
	m.says("campaigns show spring-texts", "there is no campaign spring-texts", "exit 1")
	m.says("campaigns", "there are no campaigns")
	m.Start()
	m.Advance(time.Minute)
	m.says("campaigns show spring-texts", "there is no campaign spring-texts", "exit 1")
}
