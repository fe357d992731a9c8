package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// A draft is shown, and does not come before it has a date; its text keeps the id.
func TestDrafts(t *testing.T) {
	t.Parallel()
	const drafts = `    drafts:
      - { id: mothers-day, text: A-table-for-two }
      - The-terrace-is-open
`
	inMarketing(t, []event.Account{"bot"}, func(m *marketing) {
		m.write("50-texts.yaml", strings.Replace(textsOf("Asparagus-is-here, Strawberries-too"), "    slots:", drafts+"    slots:", 1))
	}, func(m *marketing) {
		m.names("bot")
		m.Advance(2 * time.Minute)
		m.says("check", "no problems")
		m.says("plan --month 2027-03", "spring-texts: 2 drafts without a date, see nectar campaigns show spring-texts")
		m.says("campaigns show spring-texts", `"A-table-for-two" a draft, without a date`, `"The-terrace-is-open" a draft, without a date`)
		m.says("campaigns show spring-texts --json", `"draft":true`)
		if got := m.run("plan --month 2027-03"); strings.Contains(got, "A-table") {
			m.t.Errorf("a draft has a slot:\n%s", got)
		}
		dated := strings.Replace(textsOf("Asparagus-is-here, Strawberries-too"), `"Sat 12:45"]`, `"Sat 12:45", { at: 2027-03-13 18:00, id: mothers-day, text: A-table-for-two }]`, 1)
		m.write("50-texts.yaml", dated)
		m.Advance(2 * time.Minute)
		m.says("plan --month 2027-03", `18:00`, `"A-table-for-two"`)
		if got := m.run("plan --month 2027-03"); strings.Contains(got, "draft") {
			m.t.Errorf("a draft that has a date is one:\n%s", got)
		}
	})
}

// A campaign that an edit brings, which waits, is no campaign that nobody knows.
func TestCampaignOfAnEditThatWaits(t *testing.T) {
	t.Parallel()
	before := textsOf("Asparagus-is-here, Strawberries-too")
	inMarketing(t, []event.Account{"bot"}, func(m *marketing) { m.write("50-texts.yaml", before) }, func(m *marketing) {
		m.names("bot")
		m.Advance(2 * time.Minute)
		_, campaign, _ := strings.Cut(before, "campaigns:\n")
		m.write("50-texts.yaml", strings.Replace(before, `, "Sat 12:45"`, "", 1)+strings.NewReplacer("spring-texts", "summer-texts", `[Sat 09:30, "Sat 12:45"]`, "[Sat 16:00]", "Asparagus-is-here, Strawberries-too", "Cherries").Replace(campaign))
		m.Advance(2 * time.Minute)
		m.says("plan --campaign summer-texts", "there is no campaign summer-texts yet: an edit that has it waits. nectar plan --diff shows it", "exit 2")
		m.says("campaigns show summer-texts", "there is no campaign summer-texts yet: an edit that has it waits", "exit 1")
	})
}
