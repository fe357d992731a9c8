package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// errSlot says how a slot is written.
var errSlot = errors.New("write a slot like spring-menu@2027-03-16T09:30; nectar plan shows them")

// isSlot tells whether somebody names a slot.
func isSlot(written string) bool {
	id, when, at := strings.Cut(written, "@")
	return at && id != "" && !strings.ContainsAny(id, ":/ ") && when != "" && when[0] >= '0' && when[0] <= '9'
}

// foundSlot is a slot that somebody named.
type foundSlot struct {
	account *planAccount
	row     planRow
}

// findSlot returns the slot that somebody names: by its name, with the minute that is shown, or by its day when that has one only.
func (p *planner) findSlot(ctx context.Context, accounts []*planAccount, written string) (foundSlot, error) {
	id, when, at := strings.Cut(written, "@")
	from, to, ok := daysOf(when)
	if !at || id == "" || !ok {
		return foundSlot{}, errSlot
	}
	account, err := campaignIn(accounts, id)
	if err != nil {
		return foundSlot{}, err
	}
	plan, err := p.slots(ctx, account, days{from, to}, id)
	if err != nil {
		return foundSlot{}, err
	}
	when = strings.Replace(when, " ", "T", 1)
	var near []planRow
	for i := range plan.rows {
		r := &plan.rows[i]
		if r.id.String() == id+"@"+when {
			return foundSlot{account, *r}, nil
		}
		shown := func(t time.Time) bool { return strings.HasPrefix(t.In(r.zone).Format("2006-01-02T15:04"), when) }
		if strings.HasPrefix(r.id.Day.String()+"T"+r.id.Clock.String(), when) || shown(r.at) || shown(r.minute) {
			near = append(near, *r)
		}
	}
	if len(near) == 1 {
		return foundSlot{account, near[0]}, nil
	}
	return foundSlot{}, p.noSlot(account, id, when, near, plan.rows)
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

// campaignIn returns the account that has a campaign.
func campaignIn(accounts []*planAccount, id string) (*planAccount, error) {
	var have []*planAccount
	var ids []string
	for _, a := range accounts {
		of := a.ids()
		ids = append(ids, of...)
		if slices.Contains(of, id) {
			have = append(have, a)
		}
	}
	switch len(have) {
	case 0:
		return nil, noCampaign(id, ids)
	case 1:
		return have[0], nil
	}
	return nil, fmt.Errorf("several accounts have a campaign %s: say which one, with --account %s", id, have[0].name)
}

// mostNamed is how many slots are named to choose from.
const mostNamed = 8

// noSlot says that a name stands for no slot, or for several.
func (p *planner) noSlot(a *planAccount, id, when string, near, around []planRow) error {
	if len(near) == 0 {
		near = slices.DeleteFunc(slices.Clone(around), func(r planRow) bool { return !strings.HasPrefix(r.id.Day.String(), when[:min(len(when), 10)]) })
	}
	var names []string
	for i := range near {
		names = append(names, near[i].id.String())
	}
	switch n := len(names); {
	case n > mostNamed:
		return fmt.Errorf("%s@%s stands for %d slots: write the day, too, like %s", id, plain(when, 20), n, names[0])
	case n > 1:
		return fmt.Errorf("there is no slot %s@%s; there are %s", id, plain(when, 20), listed(names))
	case n == 1:
		return fmt.Errorf("there is no slot %s@%s: did you mean %s?", id, plain(when, 20), names[0])
	}
	problem := fmt.Sprintf("%s has no slot on %s", id, plain(when[:min(len(when), 10)], 20))
	if next, ok := p.nextSlot(a, id); ok {
		problem += "; the next one is " + next.id.String()
	}
	return errors.New(problem)
}

// nextSlot returns the next slot of a campaign.
func (p *planner) nextSlot(a *planAccount, id string) (planRow, bool) {
	for v := range campaigns.Plan(&a.Account, p.now, time.Time{}, p.now.AddDate(2, 0, 0)) {
		if v.Slot.ID.Campaign == id && v.Kind != campaigns.Booked {
			return a.row(&v), true
		}
	}
	return planRow{}, false
}
