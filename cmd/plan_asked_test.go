package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// What people ask for while no bot runs is in the plan at once: skips, approvals, a pause of the account, an edit.
func TestPlanOfWishesWhileDown(t *testing.T) {
	t.Parallel()
	for name, seen := range map[string]bool{"the edit was looked at": true, "the edit is new": false} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			planOfWishes(t, seen)
		})
	}
}

// What was approved while no bot ran is told as approved, with who did it.
func TestWhyOfAnApprovalWhileDown(t *testing.T) {
	t.Parallel()
	atMarketing(t, "ask", func(m *marketing) {
		m.names("bot")
		m.Advance(2 * time.Minute)
		m.says("why spring-menu@2027-03-13T09:30", "it waits for approval, until Sat 13 March 09:00")
		m.Stop()
		m.says("outbox approve --all --campaign spring-menu", "it is done when one starts")
		m.says("why spring-menu@2027-03-13T09:30", "it is approved", "release by ", "waits for the bot")
	})
}

func planOfWishes(t *testing.T, seen bool) {
	t.Helper()
	atMarketing(t, "ask", func(m *marketing) {
		m.names("bot")
		m.Advance(2 * time.Minute)
		slot, waits := "spring-menu@2027-03-13T12:45", "and not looked at by a bot"
		edit := func() { m.write("50-menu.yaml", strings.Replace(m.menuOf("ask"), "      - Sat 16:00\n", "", 1)) }
		if seen {
			waits = "an edit waits since"
			edit()
			m.Advance(2 * time.Minute)
		}
		m.Stop()
		edit()
		m.says("campaigns skip "+slot, "it is done when one starts")
		m.says("plan --from 2027-03-13 --to 2027-03-15", slot+" stays empty", "already)")
		m.says("why "+slot, "will stay empty")
		m.says("campaigns skip spring-menu@2027-03-13T09:30", "it is done when one starts")
		m.says("campaigns show spring-menu", "the next slot is spring-menu@2027-03-13T09:30: it stays empty: ", " has taken this slot out")
		m.says("campaigns unskip spring-menu@2027-03-13T09:30", "it is done when one starts")
		m.says("campaigns skip "+slot, slot+" is taken out already")
		m.says("campaigns unskip "+slot, "it is done when one starts")
		m.says("plan --from 2027-03-13 --to 2027-03-15", slot+" is back")
		m.says("pause --account bot", "it is done when one starts")
		m.says("campaigns", "paused", "the whole account")
		m.says("resume --account bot", "it is done when one starts")
		m.says("plan --diff", waits)
		m.says("campaigns apply --yes", "it is done when one starts")
		m.says("plan --diff", "in force now: the edit removes 1", "Nothing was changed.")
		m.says("campaigns apply --yes", "nothing waits")
		before := m.run("plan --month 2027-03 --csv -")
		if strings.Contains(before, "13T16:00") {
			t.Errorf("the edit is not in it:\n%s", before)
		}
		m.says("outbox approve --all --campaign spring-menu", "it is done when one starts")
		m.says("plan --month 2027-03", "once it is approved")
		before = m.run("plan --month 2027-03 --csv -")
		m.Start()
		m.Advance(time.Minute)
		if after := m.run("plan --month 2027-03 --csv -"); after != before {
			t.Errorf("(-before +after)\n%s", cmp.Diff(before, after))
		}
		if got := m.run("campaigns"); strings.Contains(got, "asked for by") {
			t.Errorf("all was done:\n%s", got)
		}
	})
}
