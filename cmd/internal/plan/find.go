package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// errSlot says how a slot is written.
var errSlot = errors.New("write a slot like spring-menu@2027-03-16T09:30; nectar plan shows them")

// IsSlot reports whether somebody names a slot.
func IsSlot(written string) bool {
	id, when, at := cutSlot(written)
	return at && id != "" && !strings.ContainsAny(id, ":/ ") && when != "" && when[0] >= '0' && when[0] <= '9'
}

// FoundSlot is a slot that somebody named.
type FoundSlot struct {
	Account *Account
	Row     SlotRow
}

// FindSlot returns the slot that somebody names: by its name, with the minute that is shown, or by its day when that has one only.
func (p *Planner) FindSlot(ctx context.Context, accounts []*Account, written string) (FoundSlot, error) {
	id, when, at := cutSlot(written)
	from, to, ok := daysOf(when)
	if !at || id == "" || !ok {
		return FoundSlot{}, errSlot
	}
	account, err := CampaignIn(accounts, id)
	if err != nil {
		return FoundSlot{}, err
	}
	plan, err := p.PlanSlots(ctx, account, Days{from, to}, id)
	if err != nil {
		return FoundSlot{}, err
	}
	when = strings.Replace(when, " ", "T", 1)
	var near []SlotRow
	for i := range plan.Rows {
		r := &plan.Rows[i]
		if r.ID.String() == id+"@"+when {
			return FoundSlot{account, *r}, nil
		}
		// By what the plan shows, too: the name has the minute of the wall, and a slot with jitter leaves at another one.
		shown := func(t time.Time) bool { return strings.HasPrefix(t.In(r.Zone).Format("2006-01-02T15:04"), when) }
		if strings.HasPrefix(r.ID.Day.String()+"T"+r.ID.Clock.String(), when) || shown(r.At) || shown(r.Minute) {
			near = append(near, *r)
		}
	}
	if len(near) == 1 {
		return FoundSlot{account, near[0]}, nil
	}
	return FoundSlot{}, p.noSlot(account, id, when, near, plan.Rows)
}

// cutSlot parts the name of a slot: a campaign that several accounts have is called spring@shop, so that its slots have two @.
func cutSlot(written string) (id, when string, is bool) {
	at := strings.LastIndexByte(written, '@')
	if at < 0 {
		return written, "", false
	}
	return written[:at], written[at+1:], true
}

// daysOf returns the days that a slot's name, or the beginning of one, stands for: a day and the one before it, since jitter may
// pass midnight; or all of a month.
func daysOf(when string) (from, to text.Day, ok bool) {
	if month, err := time.Parse("2006-01", when); err == nil {
		return text.DayOf(month), text.DayOf(month.AddDate(0, 1, -1)), true
	}
	day, clock := when[:min(len(when), 10)], when[min(len(when), 10):]
	to, err := text.ParseDay(day)
	if err != nil || clock != "" && clock[0] != 'T' && clock[0] != ' ' {
		return from, to, false
	}
	from = to
	if clock != "" {
		from = text.DayOf(to.At(0, time.UTC).AddDate(0, 0, -1))
	}
	return from, to, true
}

// CampaignIn returns the account that has a campaign.
func CampaignIn(accounts []*Account, id string) (*Account, error) {
	var have []*Account
	for _, a := range accounts {
		if slices.Contains(a.IDs(), id) {
			have = append(have, a)
		}
	}
	switch len(have) {
	case 0:
		return nil, NoCampaign(id, accounts)
	case 1:
		return have[0], nil
	}
	return nil, fmt.Errorf("several accounts have a campaign %s: say which one, with --account %s", id, have[0].Name)
}

// mostNamed is how many slots are named to choose from.
const mostNamed = 8

// noSlot says that a name stands for no slot, or for several.
func (p *Planner) noSlot(a *Account, id, when string, near, around []SlotRow) error {
	if len(near) == 0 {
		near = slices.DeleteFunc(slices.Clone(around), func(r SlotRow) bool { return !strings.HasPrefix(r.ID.Day.String(), when[:min(len(when), 10)]) })
	}
	var names []string
	for i := range near {
		names = append(names, near[i].ID.String())
	}
	switch n := len(names); {
	case n > mostNamed:
		return fmt.Errorf("%s@%s stands for %d slots: write the day, too, like %s", id, print.PlainText(when, 20), n, names[0])
	case n > 1:
		return fmt.Errorf("there is no slot %s@%s; there are %s", id, print.PlainText(when, 20), print.JoinNames(names))
	case n == 1:
		return fmt.Errorf("there is no slot %s@%s: did you mean %s?", id, print.PlainText(when, 20), names[0])
	}
	problem := fmt.Sprintf("%s has no slot on %s", id, print.PlainText(when[:min(len(when), 10)], 20))
	if next, ok := p.nextSlot(a, id); ok {
		problem += "; the next one is " + next.ID.String()
	}
	return errors.New(problem)
}

// nextSlot returns the next slot of a campaign.
func (p *Planner) nextSlot(a *Account, id string) (SlotRow, bool) {
	for v := range campaigns.Plan(&a.Account, p.Now, time.Time{}, p.Now.AddDate(2, 0, 0)) {
		if v.Slot.ID.Campaign == id && v.Kind != campaigns.Booked {
			return a.rowOf(&v), true
		}
	}
	return SlotRow{}, false
}
