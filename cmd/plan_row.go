package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// slotState is where a slot stands in a plan.
type slotState string

// The states, as machines read them, too.
const (
	slotPlanned slotState = "planned" // it will be published
	slotGoing   slotState = "going"   // it is decided, and what became of it is not known
	slotDone    slotState = "done"
	slotFailed  slotState = "failed"  // it left, or should have, and did not come about
	slotWatched slotState = "watched" // it would be published, but for the status watch
	slotEmpty   slotState = "empty"
)

// planRow is a slot in a plan: one to come, or one of the book.
type planRow struct {
	account event.Account
	id      campaigns.SlotID
	zone    *time.Location
	state   slotState
	close   bool      // it is empty since something else comes too near
	minute  time.Time // when the slot comes
	at      time.Time // when it leaves, or left
	until   time.Time // when it is too late; zero: it does not leave any more

	do    campaigns.Doing // "" when that is not known
	renew bool
	found string // the search whose post is still to be found
	post  platform.PostID
	text  string // of an own post
	nth   int    // the how manieth time it comes; 0: not known
	of    int    // 0: as often as there are slots
	approve,
	approved bool
	ask, deadline time.Time // of approve

	why    string   // it stays empty, or did not come about
	others []string // what else might have come, with why not
	void   string   // why it is asked for again
	turn   string   // the turn that decided it
}

// span is the days that a plan shows, both included.
type days struct{ from, to text.Day }

// has tells whether a day is one of them.
func (s days) has(d text.Day) bool { return dayBefore(d, s.from) <= 0 && dayBefore(s.to, d) <= 0 }

// dayBefore is above 0 when a comes before b, below 0 when it comes behind.
func dayBefore(a, b text.Day) int {
	return (b.Year-a.Year)*10000 + int(b.Month-a.Month)*100 + b.Day - a.Day
}

// plannedSlots are the slots of an account: those of the days, and what the plan comes to in all.
type plannedSlots struct {
	rows  []planRow
	total planTotal
}

// slots plans an account. The plan goes on behind the days until the last campaign that ends is over, or for two years: the totals are
// about all of it.
func (p *planner) slots(ctx context.Context, a *planAccount, show days, only string) (plannedSlots, error) {
	var s plannedSlots
	decided := map[campaigns.SlotID]bool{}
	if p.desk != nil {
		for _, id := range a.known {
			rows, err := p.bookRows(ctx, a, id, show)
			if err != nil {
				return s, err
			}
			for i := range rows {
				decided[rows[i].id] = true
			}
			s.rows = append(s.rows, rows...)
		}
	}
	to := show.to.At(0, time.UTC).AddDate(0, 0, 3)
	end := to
	for _, c := range a.Campaigns {
		if c.Ends != (text.Day{}) {
			end = laterOf(end, c.Ends.At(0, time.UTC).AddDate(0, 0, 3))
		}
	}
	if most := p.now.AddDate(2, 0, 0); end.After(most) {
		end = laterOf(to, most)
	}
	s.total = newPlanTotal(&a.Account, only)
	for v := range campaigns.Plan(&a.Account, p.now, time.Time{}, end) {
		if decided[v.Slot.ID] { //mutate:plan-booked
			continue
		}
		s.total.add(&v)
		if show.has(v.Slot.ID.Day) {
			s.rows = append(s.rows, a.row(&v))
		}
	}
	s.rows = slices.DeleteFunc(s.rows, func(r planRow) bool { return only != "" && r.id.Campaign != only })
	slices.SortStableFunc(s.rows, func(x, y planRow) int { return x.minute.Compare(y.minute) })
	return s, nil
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// campaign returns a campaign of the account that is in its files; nil for none.
func (a *planAccount) campaign(id string) *campaigns.Campaign {
	for _, c := range a.Campaigns {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// row is a slot to come, or one that was just decided.
func (a *planAccount) row(v *campaigns.Verdict) planRow {
	c := a.campaign(v.Slot.ID.Campaign)
	r := planRow{
		account: a.name, id: v.Slot.ID, zone: c.Zone, minute: v.Slot.Minute, at: v.At, until: v.Until, do: c.Do, renew: v.Renew, post: v.Post, nth: v.Nth,
		approve: v.Approve, approved: v.Approved, ask: v.Ask, deadline: v.Deadline, why: v.Why.String(), void: v.Void.String(),
	}
	switch v.Kind {
	case campaigns.Go, campaigns.Asks:
		r.state = slotPlanned
	case campaigns.Watched:
		r.state = slotWatched
	case campaigns.Booked:
		r.state = stateOf(v.Entry.State)
		r.why = v.Entry.Why
	default:
		r.state, r.at, r.until = slotEmpty, v.Slot.Minute, time.Time{}
		r.close = v.Why.Code == campaigns.TooClose
	}
	r.item(v.Item)
	if r.nth > 0 {
		r.of = c.Each
	}
	for _, o := range v.Others {
		r.others = append(r.others, o.Item.Name()+" not: "+o.Why.String())
	}
	return r
}

func stateOf(s campaigns.State) slotState {
	switch s {
	case campaigns.Done:
		return slotDone
	case campaigns.Would:
		return slotWatched
	case campaigns.Empty:
		return slotEmpty
	default:
		return slotGoing
	}
}

// item says what is published.
func (r *planRow) item(item *campaigns.Item) {
	if item == nil {
		return
	}
	r.text = item.Text
	if item.Found() && r.post == 0 {
		r.found = strings.TrimSpace(item.From + " " + item.Tag)
	}
	if item.Only || item.Found() {
		r.nth = 0 // what is found is another one each time, and what belongs to a slot comes there
	}
}

// bookRows are the slots of a campaign's book on some days.
func (p *planner) bookRows(ctx context.Context, a *planAccount, id string, show days) ([]planRow, error) {
	var rows []planRow
	zone := time.UTC
	c := a.campaign(id)
	if c != nil {
		zone = c.Zone
	}
	for after := id + "@" + show.from.String(); ; {
		some, err := plugin.ReadBook(ctx, p.Reader, a.name, id, after, 500)
		if err != nil {
			return nil, err
		}
		for i := range some {
			b := &some[i]
			if !show.has(b.Slot.Day) {
				return rows, nil
			}
			rows = append(rows, bookRow(a, c, zone, b))
			after = b.Slot.String()
		}
		if len(some) == 0 {
			return rows, nil
		}
	}
}

// bookRow is a slot of a book.
func bookRow(a *planAccount, c *campaigns.Campaign, zone *time.Location, b *plugin.Booked) planRow {
	r := planRow{account: a.name, id: b.Slot, zone: zone, minute: b.Minute, at: b.At, renew: b.Renew, post: b.Post, turn: b.Trigger}
	if r.minute.IsZero() {
		r.minute = b.Decided
	}
	if r.at.IsZero() {
		r.at = r.minute
	}
	switch {
	case b.Kind == campaigns.Go && b.Settled.IsZero():
		r.state = slotGoing
	case b.Kind == campaigns.Go && b.Done:
		r.state = slotDone
	case b.Kind == campaigns.Go:
		r.state, r.why = slotFailed, b.Failed
	case b.Kind == campaigns.Watched:
		r.state = slotWatched
	default:
		r.state, r.why = slotEmpty, b.Said
		r.why, r.others = splitSaid(b.Said)
	}
	if b.Kind == campaigns.Go || b.Kind == campaigns.Watched {
		_, r.others = splitSaid("; " + b.Said)
	}
	if strings.HasPrefix(b.Item, "text:") {
		r.do, r.text = campaigns.Publish, "a text that is not in the files any more"
	} else if b.Item != "" {
		r.do = campaigns.Repost
	}
	if c != nil {
		for i := range c.Items {
			if c.Items[i].Key == b.Item {
				r.do = c.Do
				r.item(&c.Items[i])
			}
		}
	}
	return r
}

// splitSaid parts what a book says of a slot: why it is empty, and what else might have come.
func splitSaid(said string) (why string, others []string) {
	parts := strings.Split(said, "; ")
	for _, o := range parts[1:] {
		if o = strings.TrimSpace(o); o != "" {
			others = append(others, o)
		}
	}
	return strings.TrimSpace(parts[0]), others
}

// name is what is published, as people call it.
func (r *planRow) name() string {
	switch {
	case r.found != "":
		return "a post of " + r.found
	case r.post != 0:
		return fmt.Sprint(int64(r.post))
	case r.text != "":
		return quoted(r.text, 30)
	}
	return ""
}

// does says what becomes of the slot.
func (r *planRow) does() string {
	switch {
	case r.name() == "":
		return ""
	case r.do == campaigns.Publish:
		return "publish " + r.name()
	case r.renew:
		return "take back and repost " + r.name()
	}
	return "repost " + r.name()
}

// turnOf says the how manieth time it is: "2 of 3".
func (r *planRow) nthOf() string {
	switch {
	case r.nth == 0 || r.state == slotEmpty:
		return ""
	case r.of > 0:
		return fmt.Sprintf("%d of %d", r.nth, r.of)
	}
	return fmt.Sprintf("time %d", r.nth)
}
