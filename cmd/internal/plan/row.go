package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// slotState is where a slot stands in a plan.
type slotState string

// The states, as machines read them, too.
const (
	SlotPlanned slotState = "planned" // it will be published
	SlotGoing   slotState = "going"   // it is decided, and what became of it is not known
	SlotDone    slotState = "done"
	SlotFailed  slotState = "failed"  // it left, or should have, and did not come about
	SlotWatched slotState = "watched" // it would be published, but for the status watch
	slotEmpty   slotState = "empty"
)

// SlotRow is a slot in a plan: one to come, or one of the book.
type SlotRow struct {
	Account event.Account
	ID      campaigns.SlotID
	Zone    *time.Location
	State   slotState
	close   bool      // it is empty since something else comes too near
	Minute  time.Time // when the slot comes
	At      time.Time // when it leaves, or left
	until   time.Time // when it is too late; zero: it does not leave any more

	Do    campaigns.Doing // "" when that is not known
	renew bool
	found string // the search whose post is still to be found
	post  platform.PostID
	Text  string // of an own post
	nth   int    // the how manieth time it comes; 0: not known
	of    int    // 0: as often as there are slots
	Approve,
	Approved bool
	Ask, Deadline time.Time // of approve

	Why    string   // it stays empty, or did not come about
	Others []string // what else might have come, with why not
	Void   string   // why it is asked for again
	Turn   string   // the turn that decided it

	Moved campaigns.Reschedule // a person has given it another time; To is zero where nobody has

	Left       time.Time // when it was published, as the book has it; zero: not known
	Address    string    // where people open it; "" where that is not known
	made       platform.PostID
	lost       bool // it is a text that is in no file any more, and that the book does not have
	approvedAt time.Time
	approvedBy string
}

// Day is the day on which the slot comes: that of its name, unless a person has given it another one.
func (r *SlotRow) Day() text.Day {
	if r.Moved.To.IsZero() {
		return r.ID.Day
	}
	return text.DayOf(r.Moved.To.In(r.Zone))
}

// Days are the days that a plan shows, both included.
type Days struct{ From, To text.Day }

// has reports whether a day is one of them.
func (s Days) has(d text.Day) bool { return DayBefore(d, s.From) <= 0 && DayBefore(s.To, d) <= 0 }

// DayBefore is above 0 when a comes before b, below 0 when it comes behind.
func DayBefore(a, b text.Day) int {
	return (b.Year-a.Year)*10000 + int(b.Month-a.Month)*100 + b.Day - a.Day
}

// PlannedSlots are the slots of an account: those of the days, and what the plan comes to in all.
type PlannedSlots struct {
	Rows  []SlotRow
	total planTotal
}

// PlanSlots plans an account. The plan goes on behind the days until the last campaign that ends is over, or for two years: the totals are
// about all of it.
func (p *Planner) PlanSlots(ctx context.Context, a *Account, show Days, only string) (PlannedSlots, error) {
	var s PlannedSlots
	decided := map[campaigns.SlotID]bool{}
	if p.View != nil {
		for _, id := range a.Known {
			rows, err := p.bookRows(ctx, a, id, show)
			if err != nil {
				return s, err
			}
			for i := range rows {
				decided[rows[i].ID] = true
			}
			s.Rows = append(s.Rows, rows...)
		}
	}
	to := show.To.At(0, time.UTC).AddDate(0, 0, 3)
	// To the end of the last campaign, also when fewer days are shown: whether a limit is ever reached is known there.
	end := to
	for _, c := range a.Campaigns {
		if c.Ends != (text.Day{}) {
			end = campaigns.LaterTime(end, c.Ends.At(0, time.UTC).AddDate(0, 0, 3))
		}
	}
	if most := p.Now.AddDate(2, 0, 0); end.After(most) {
		end = campaigns.LaterTime(to, most)
	}
	s.total = newPlanTotal(&a.Account, only)
	for v := range campaigns.Plan(&a.Account, p.Now, time.Time{}, end) {
		// In the book already. It would stand in the plan twice, and count twice.
		if decided[v.Slot.ID] { //mutate:plan-booked
			continue
		}
		s.total.add(&v)
		if show.has(v.Slot.ID.Day) || show.has(v.Slot.Day()) {
			s.Rows = append(s.Rows, a.rowOf(&v))
		}
	}
	s.Rows = slices.DeleteFunc(s.Rows, func(r SlotRow) bool { return only != "" && r.ID.Campaign != only })
	slices.SortStableFunc(s.Rows, func(x, y SlotRow) int { return x.Minute.Compare(y.Minute) })
	return s, nil
}

// CampaignByID returns a campaign of the account that is in its files; nil for none.
func (a *Account) CampaignByID(id string) *campaigns.Campaign { return campaigns.ByID(a.Campaigns, id) }

// rowOf is a slot to come, or one that was just decided.
func (a *Account) rowOf(v *campaigns.Verdict) SlotRow {
	c := a.CampaignByID(v.Slot.ID.Campaign)
	r := SlotRow{
		Account: a.Name, ID: v.Slot.ID, Zone: c.Zone, Minute: v.Slot.Minute, At: v.At, until: v.Until, Do: c.Do, renew: v.Renew, post: v.Post, nth: v.Nth,
		Approve: v.Approve, Approved: v.Approved, Ask: v.Ask, Deadline: v.Deadline, Why: v.Why.String(), Void: v.Void.String(),
	}
	if v.Slot.Moved {
		r.Moved = a.Memories[v.Slot.ID.Campaign].Rescheduled[v.Slot.ID]
		r.Moved.To = v.Slot.At
	}
	switch v.Kind {
	case campaigns.Go, campaigns.Asks:
		r.State = SlotPlanned
		r.Why = a.ClockText() // for machines: to people it is said once
	case campaigns.Watched:
		r.State = SlotWatched
	case campaigns.Booked:
		r.State = stateOf(v.Entry.State)
		r.Why = v.Entry.Why
	default:
		r.State, r.At, r.until = slotEmpty, v.Slot.Minute, time.Time{}
		r.close = v.Why.Code == campaigns.TooClose
	}
	r.item(v.Item)
	if r.nth > 0 {
		r.of = c.Each
	}
	for _, o := range v.Others {
		r.Others = append(r.Others, o.Item.Name()+" not: "+o.Why.String())
	}
	return r
}

func stateOf(s campaigns.State) slotState {
	switch s {
	case campaigns.Done:
		return SlotDone
	case campaigns.Would:
		return SlotWatched
	case campaigns.Empty:
		return slotEmpty
	default:
		return SlotGoing
	}
}

// item says what is published.
func (r *SlotRow) item(item *campaigns.Item) {
	if item == nil {
		return
	}
	r.Text = item.Text
	if item.Found() && r.post == 0 {
		r.found = strings.TrimSpace(item.From + " " + item.Tag)
	}
	if item.Only || item.Found() {
		r.nth = 0 // what is found is another one each time, and what belongs to a slot comes there
	}
}

// bookRows are the slots of a campaign's book on some days.
func (p *Planner) bookRows(ctx context.Context, a *Account, id string, show Days) ([]SlotRow, error) {
	var rows []SlotRow
	c := a.CampaignByID(id)
	for after := id + "@" + show.From.String(); ; {
		some, err := plugin.ReadBook(ctx, p.Inspector, a.Name, id, after, 500)
		if err != nil {
			return nil, err
		}
		for i := range some {
			b := &some[i]
			if !show.has(b.Slot.Day) {
				return rows, nil
			}
			rows = append(rows, bookRow(a, c, b))
			after = b.Slot.String()
		}
		if len(some) == 0 {
			return rows, nil
		}
	}
}

// bookRow is a slot of a book.
func bookRow(a *Account, c *campaigns.Campaign, b *plugin.Booked) SlotRow {
	r := SlotRow{Account: a.Name, ID: b.Slot, Zone: zoneOf(c, b), Minute: b.Minute, At: b.At, renew: b.Renew, post: b.Post, Turn: b.Trigger}
	r.Moved = a.Memories[b.Slot.Campaign].Rescheduled[b.Slot]
	if r.Minute.IsZero() {
		r.Minute = b.Decided
	}
	if r.At.IsZero() {
		r.At = r.Minute
	}
	switch {
	case b.Kind == campaigns.Go && b.Concluded.IsZero():
		r.State = SlotGoing
	case b.Kind == campaigns.Go && b.Done:
		r.State = SlotDone
	case b.Kind == campaigns.Go:
		r.State, r.Why = SlotFailed, b.Failed
	case b.Kind == campaigns.Watched:
		r.State = SlotWatched
	default:
		r.State, r.Why = slotEmpty, b.Said
		r.Why, r.Others = splitSaid(b.Said)
	}
	if b.Kind == campaigns.Go || b.Kind == campaigns.Watched {
		_, r.Others = splitSaid("; " + b.Said)
	}
	if strings.HasPrefix(b.Item, "text:") {
		r.Do, r.lost = campaigns.Publish, true
	} else if b.Item != "" {
		r.Do = campaigns.Repost
	}
	if c != nil {
		for i := range c.Items {
			if c.Items[i].Key == b.Item {
				r.Do, r.lost = c.Do, false
				r.item(&c.Items[i])
			}
		}
	}
	r.takeLeft(b)
	return r
}

// takeLeft takes over what the book says of what was published: it goes before what the files say by now.
func (r *SlotRow) takeLeft(b *plugin.Booked) {
	r.approvedAt, r.approvedBy = b.Approved, b.By.Text
	if !b.Done {
		return
	}
	r.Address, r.made, r.Left = b.Address, b.Made, b.Left
	if !b.Left.IsZero() {
		r.At = b.Left.Truncate(time.Minute)
	}
	if b.Words != "" { //mutate:book-shown
		r.Text, r.lost = b.Words, false
	}
}

// ApprovedText says who has approved the slot, and when; "" where nobody had to, or that is not known.
func (r *SlotRow) ApprovedText() string {
	if r.approvedAt.IsZero() {
		return ""
	}
	return cmp.Or(print.PlainText(r.approvedBy, print.MostName), "somebody") + r.approvedAt.In(r.Zone).Format(", Mon 2 Jan 2006 15:04")
}

// zoneOf is the time zone of a slot of a book: also of one whose campaign is in no file any more, or has another one now.
func zoneOf(c *campaigns.Campaign, b *plugin.Booked) *time.Location {
	if zone, err := time.LoadLocation(b.Zone); err == nil && b.Zone != "" {
		return zone
	}
	if c != nil {
		return c.Zone
	}
	return time.UTC
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

// lostText is a text of which only the key is known.
const lostText = "a text that is not in the files any more"

// name is what is published, as people call it.
func (r *SlotRow) name() string {
	switch {
	case r.found != "":
		return "a post of " + r.found
	case r.post != 0:
		return fmt.Sprint(int64(r.post))
	case r.Text != "":
		return print.QuotePlain(r.Text, 30)
	case r.lost && r.State != slotEmpty:
		return lostText
	}
	return ""
}

// DoesText says what becomes of the slot.
func (r *SlotRow) DoesText() string {
	switch {
	case r.name() == "":
		return ""
	case r.Do == campaigns.Publish:
		return "publish " + r.name()
	case r.renew:
		return "take back and repost " + r.name()
	}
	return "repost " + r.name()
}

// NthOf says the how manieth time it is: "2 of 3".
func (r *SlotRow) NthOf() string {
	switch {
	case r.nth == 0 || r.State == slotEmpty:
		return ""
	case r.of > 0:
		return fmt.Sprintf("%d of %d", r.nth, r.of)
	}
	return fmt.Sprintf("time %d", r.nth)
}
