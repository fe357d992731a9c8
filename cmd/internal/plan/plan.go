// Package plan says what campaigns will publish, and when, what an edit of them would change, and what became of their
// slots: by the function by which the bot decides.
//
// It plans nothing itself. It gathers what that function has to know (a [Planner] makes an [Account]) and shows what comes of it:
//
//	what a bot has stored ──┐                    ┌─► calendar, list, total      nectar plan
//	rule files ─────────────┼─► Account ─► Plan ─┼─► ICS, CSV, JSON             for machines
//	what people asked for ──┘        └► Difference ─► Diff                      nectar plan --diff, apply
//
// Read source.go (what an account acts by, and what is remembered) and stored.go (many accounts, with few questions), then row.go for a slot as
// it is shown, calendar.go and list.go for people, machine.go, ics.go for others. compare.go and diff.go are edits, asked.go what no bot has done
// yet, and campaigns*.go the command nectar campaigns.
//
// What holds:
//
//   - The plan is what happens: whatever decides stands in handlers/campaigns, and is called here with the same input. A second opinion here
//     would be right until it is not.
//   - What is in force is what the bot has stored, not what the files say: an edit that takes something away waits for a person. Only where no bot
//     has run do files count.
//   - What people have asked for, and no bot has done yet, is counted as done: it will be before the next slot, or the plan would show what
//     nobody expects any more.
//   - Without the key for what is sealed nothing is planned. What is remembered of posts would be missing, and the plan would be another one.
//
// nectar plan and nectar campaigns call it; nectar why asks it for a slot, and nectar replay for what files change.
package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Flags say what to plan.
type Flags struct {
	view.Flags
	Month, From, To string
	Campaign        string
	Width           int
	ICS, CSV        string
	NoBOM           bool // of CSV
	Diff, Strict    bool
}

// ForMachines reports whether the plan is for other programs.
func (f *Flags) ForMachines() bool { return f.JSON || f.ICS != "" || f.CSV != "" }

// IDs names the campaigns of an account, also those that are in no file any more.
func (a *Account) IDs() []string {
	all := slices.Clone(a.Known)
	for _, c := range a.Campaigns {
		all = append(all, c.ID)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// NoCampaign says that there is no such campaign, and which one may be meant.
func NoCampaign(id string, accounts []*Account) error {
	problem := fmt.Sprintf("there is no campaign %s", print.PlainText(id, 60))
	var ids, several []string // several are those of a campaign for several accounts
	waits := false
	for _, a := range accounts {
		ids = append(ids, a.IDs()...)
		waits = waits || a.Waiting != nil && a.Waiting.Files[id] != ""
	}
	for _, known := range ids {
		if strings.HasPrefix(known, id+"@") {
			several = append(several, known)
		}
	}
	switch near := textfile.NearestWord(id, ids); {
	case waits:
		problem += " yet: an edit that has it waits. nectar plan --diff shows it, and nectar campaigns apply puts it in force"
	case len(several) > 0:
		problem += ": each of its accounts has one, " + print.JoinNames(several)
	case near != "":
		problem += ": did you mean " + near + "?"
	case len(ids) == 0:
		problem += ", and none at all"
	default:
		problem += "; nectar campaigns lists them"
	}
	return errors.New(problem)
}

// Furthest is how far ahead a plan looks.
const Furthest = 10 // years

// ZoneOf is a zone in which it is today.
func ZoneOf(accounts []*Account) *time.Location {
	for _, a := range accounts {
		for _, z := range zonesOf(a) {
			return z
		}
	}
	return time.UTC
}

// FirstDay is the Monday of the week in which the next slot comes, or of this week when none does.
func (f *Flags) FirstDay(now time.Time, accounts []*Account) text.Day {
	first := text.DayOf(now.In(ZoneOf(accounts)))
	var next time.Time
	for _, a := range accounts {
		for v := range campaigns.Plan(&a.Account, now, time.Time{}, now.AddDate(2, 0, 0)) {
			if f.Campaign != "" && v.Slot.ID.Campaign != f.Campaign || v.Kind == campaigns.Booked {
				continue
			}
			if next.IsZero() || v.Slot.Minute.Before(next) {
				next, first = v.Slot.Minute, v.Slot.Day()
			}
			break
		}
	}
	day := first.At(0, time.UTC)
	return text.DayOf(day.AddDate(0, 0, -(int(day.Weekday())+6)%7))
}

// ShowToPeople shows the plans of accounts to people.
func (f *Flags) ShowToPeople(_ context.Context, w io.Writer, p *Planner, accounts []*Account, plans []PlannedSlots, show Days) error {
	if len(accounts) == 0 {
		return print.SayLine(w, "there are no campaigns; nectar init --campaign writes one to begin with")
	}
	width := f.Width
	if width == 0 {
		width = print.WidthOf(w)
	}
	var b strings.Builder
	for i, a := range accounts {
		if i > 0 {
			b.WriteByte('\n')
		}
		shown := *a
		if f.Campaign != "" {
			shown.Campaigns = slices.DeleteFunc(slices.Clone(a.Campaigns), func(c *campaigns.Campaign) bool { return c.ID != f.Campaign })
		}
		showPlan(&b, &shown, plans[i], show, width)
	}
	p.tellAsked(&b, accounts, f.Campaign, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// showPlan shows the plan of an account.
func showPlan(b *strings.Builder, a *Account, s PlannedSlots, show Days, width int) {
	c := planCalendar{account: a, rows: s.Rows, show: show, width: width, letters: a.campaignLetters()}
	b.WriteString(linesOf(c.titleText(), width, ""))
	c.write(b)
	b.WriteByte('\n')
	l := planList{rows: s.Rows, show: show, width: width, many: len(a.IDs()) > 1 && len(a.Campaigns) != 1}
	l.write(b)
	b.WriteByte('\n')
	for _, l := range s.total.lines() {
		b.WriteString(linesOf(l, width, ""))
	}
	for _, c := range a.Campaigns {
		if n := len(c.Drafts); n > 0 {
			b.WriteString(linesOf(fmt.Sprintf("%s: %s without a date, see nectar campaigns show %[1]s", c.ID, print.CountText(n, "draft", "drafts")), width, ""))
		}
	}
}

// campaignLetters stand for campaigns in the calendar, where there are several, and not too many.
func (a *Account) campaignLetters() map[string]string {
	all := map[string]string{}
	if len(a.Campaigns) < 2 || len(a.Campaigns) > 26 {
		return all
	}
	for i, c := range a.Campaigns {
		all[c.ID] = string(rune('a' + i))
	}
	return all
}
