package plan

import (
	"cmp"
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// noCampaigns is what is said where there are none.
const noCampaigns = "there are no campaigns; nectar init --campaign writes one to begin with"

// campaignRow is a campaign in the list.
type campaignRow struct {
	account event.Account
	id      string
	c       *campaigns.Campaign // nil: it is in no file any more
	status  string
	why     string // it is paused, or has ended
	next    *SlotRow
	booked  campaignCounts
	waits   int
	asked   []foreseenJSON
}

// campaignCounts counts slots.
type campaignCounts struct{ done, failed, watched, skipped, going int }

// add counts a slot of the book.
func (n *campaignCounts) add(b *plugin.Booked) {
	switch {
	case b.Kind == campaigns.Watched:
		n.watched++
	case b.Kind != campaigns.Go:
		n.skipped++
	case b.Open():
		n.going++
	case b.Done:
		n.done++
	default:
		n.failed++
	}
}

// campaignRows returns the campaigns of accounts.
func (p *Planner) campaignRows(ctx context.Context, all []*Account) ([]campaignRow, error) {
	var rows []campaignRow
	for _, a := range all {
		next := map[string]SlotRow{}
		for v := range campaigns.Plan(&a.Account, p.Now, time.Time{}, p.Now.AddDate(2, 0, 0)) {
			if id := v.Slot.ID.Campaign; v.Kind.Publishes() || v.Kind == campaigns.Watched || v.Kind == campaigns.Booked && v.Entry.State == campaigns.Going && v.At.After(p.Now) {
				if _, known := next[id]; !known {
					next[id] = a.rowOf(&v)
				}
			}
			// As soon as each has its next one: the rest of two years is of no interest here.
			if len(next) == len(a.Campaigns) {
				break
			}
		}
		for _, id := range a.IDs() {
			r := campaignRow{account: a.Name, id: id, c: a.CampaignByID(id), asked: a.askedOf(id), waits: len(a.Memories[id].Book.Asked())}
			r.status, r.why = a.campaignStatus(id, p.Now)
			if n, is := next[id]; is {
				r.next = &n
			}
			if err := p.EachBooked(ctx, a.Name, id, r.booked.add); err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// EachBooked goes through the book of a campaign.
func (p *Planner) EachBooked(ctx context.Context, account event.Account, id string, do func(*plugin.Booked)) error {
	for after := ""; ; {
		some, err := plugin.ReadBook(ctx, p.Inspector, account, id, after, 1000)
		if err != nil || len(some) == 0 {
			return err
		}
		for i := range some {
			do(&some[i])
			after = some[i].Slot.String()
		}
	}
}

// campaignStatus is how a campaign stands, and why.
func (a *Account) campaignStatus(id string, now time.Time) (status, why string) {
	c, m := a.CampaignByID(id), a.Memories[id]
	switch {
	case m.Ended != nil:
		return "ended", print.JoinTwo(m.Ended.Why, "since "+print.TimeText(m.Ended.At))
	case c == nil:
		return "gone", "it is in no file any more"
	case m.Paused != nil && !m.Paused.Until.IsZero() && m.Paused.Until.After(now):
		return "paused", print.JoinTwo("by "+cmp.Or(print.PlainText(m.Paused.By, 40), "somebody"), print.JoinTwo("until "+print.TimeText(m.Paused.Until), m.Paused.Why))
	case m.Paused != nil && m.Paused.Until.IsZero():
		return "paused", print.JoinTwo("by "+cmp.Or(print.PlainText(m.Paused.By, 40), "somebody"), print.JoinTwo("since "+print.TimeText(m.Paused.At), m.Paused.Why))
	case a.AccountFacts.Paused != nil:
		return "paused", "the whole account, by " + print.PlainText(a.AccountFacts.Paused.By, 40)
	}
	if w := a.AccountFacts.Clock; w.IsHolding() {
		why = "the clock is " + w.AheadText()
	}
	return string(c.Status), why
}

// campaignJSON is a campaign for machines.
type campaignJSON struct {
	Account  event.Account  `json:"account"`
	Campaign string         `json:"campaign"`
	Name     string         `json:"name,omitempty"`
	Status   string         `json:"status"` // paused, watch, ask, live, ended, gone
	Why      string         `json:"why,omitempty"`
	Next     *SlotJSON      `json:"next,omitempty"`
	Done     int            `json:"done"`
	Failed   int            `json:"failed"`
	Skipped  int            `json:"skipped"`
	Watched  int            `json:"watched"`
	Going    int            `json:"going"`
	Waits    int            `json:"waits"`           // prepared, and not approved
	Asked    []foreseenJSON `json:"asked,omitempty"` // by people, and no bot has done it yet
}

func (r *campaignRow) forMachines() campaignJSON {
	n := r.booked
	x := campaignJSON{Account: r.account, Campaign: r.id, Status: r.status, Why: r.why, Done: n.done, Failed: n.failed, Skipped: n.skipped, Watched: n.watched, Going: n.going, Waits: r.waits, Asked: r.asked}
	if r.c != nil {
		x.Name = r.c.Name
	}
	if r.next != nil {
		s := r.next.ForMachines()
		x.Next = &s
	}
	return x
}

// ListCampaigns lists them.
func (p *Planner) ListCampaigns(ctx context.Context, all []*Account) error {
	rows, err := p.campaignRows(ctx, all)
	if err != nil {
		return err
	}
	t := print.NewTable(p.Out, p.JSON, "CAMPAIGN", "ACCOUNT", "STATUS", "NEXT", "WHAT", "DONE", "ON WATCH", "NOT DONE", "SKIPPED", "WAITS", "WHY")
	for i := range rows {
		r := &rows[i]
		next, what := "–", ""
		if r.next != nil {
			next, what = r.next.At.In(r.next.Zone).Format("Mon 2 Jan 15:04"), string(r.next.slotMark())+" "+r.next.name()
		}
		n := r.booked
		t.AddRow(r.forMachines(), r.id, string(r.account), r.status, next, print.PlainText(what, 40), numberOrNothing(n.done), numberOrNothing(n.watched), numberOrNothing(n.failed), numberOrNothing(n.skipped), numberOrNothing(r.waits), r.why)
	}
	if len(all) < 2 {
		t.DropColumn("ACCOUNT")
	}
	if len(rows) > 0 {
		t.DropEmpty("WHAT", "ON WATCH", "NOT DONE", "WAITS", "WHY")
	}
	if err := t.Print(p.Out, noCampaigns); err != nil || p.JSON {
		return err
	}
	return p.printAsked(all, "")
}
