package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// SlotTurn returns the turn that decided a slot, with what the slot's own actions are; without a turn when none has.
func SlotTurn(ctx context.Context, p *plan.Planner, s *plan.FoundSlot) (*whyTurn, error) {
	t := &whyTurn{Recorded: record.Recorded{Turn: &record.TurnRow{Account: s.Account.Name}}}
	if s.Row.Turn != "" {
		row, ok, err := p.Turn(ctx, s.Account.Name, s.Row.Turn)
		if err != nil {
			return nil, err
		}
		if ok { // turns are not kept for ever, the book is
			t.Turn = &row
			if t.Facts, err = p.Facts(ctx, s.Account.Name, s.Row.Turn); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if t.Actions, err = p.SlotActions(ctx, s.Account.Name, s.Row.ID); err != nil {
		return nil, err
	}
	for i := range t.Actions {
		if t.Actions[i], err = p.AtItsMinute(ctx, &t.Actions[i]); err != nil {
			return nil, err
		}
	}
	return t, approvedOf(ctx, p.View, t)
}

// WithoutReplaced leaves out what was approved, and withdrawn as what leaves in its place was decided: it would be told that it never left. What was void before
// that, and asked for anew, stays.
func (t *whyTurn) WithoutReplaced() *whyTurn {
	shown, last := *t, len(t.Actions)-1
	if last < 1 || t.approvals[t.Actions[last].Key].Group != "" {
		return &shown
	}
	ruling := t.approvals[t.Actions[last-1].Key].Verdict.Ruling
	if t.Actions[last-1].State == event.StateWithdrawn && (ruling == event.Released || ruling == event.Edited) {
		shown.Actions = slices.Delete(slices.Clone(t.Actions), last-1, last)
	}
	return &shown
}

// TellSlot says what became of a slot, or will.
func (t *Told) TellSlot(s *plan.FoundSlot, turn *whyTurn, now time.Time) {
	r := &s.Row
	in := ""
	if t.Many {
		in = ", account " + string(s.Account.Name)
	}
	t.WriteLine("%s%s", r.ID, in)
	t.WriteLine("%s %s in %s (%s%s UTC): %s", r.ID.Day.At(0, time.UTC).Format("Mon 2 January 2006"), r.ID.Clock, r.Zone, realMinute(s), r.Minute.UTC().Format("15:04"), becameInWords(r, turn, now))
	for _, n := range r.NotesText() {
		t.WriteLine("  %s", n)
	}
	if r.State == plan.SlotDone {
		t.tellLeft(r)
	}
	if clock := s.Account.ClockText(); clock != "" && r.Turn == "" {
		t.WriteLine("  %s", clock)
	}
	if !r.Approve || r.State != plan.SlotPlanned {
		return
	}
	switch by := r.Deadline.In(r.Zone).Format("Mon 2 January 15:04"); {
	case r.Approved:
		t.WriteLine("  it is approved")
	case s.Account.Memories[r.ID.Campaign].Book[r.ID].State == campaigns.Prepared:
		t.WriteLine("  it waits for approval, until %s", by)
	case r.Ask.Before(now):
		t.WriteLine("  it is prepared and shown at the bot's next look, and has to be approved until %s", by)
	default:
		t.WriteLine("  it is prepared and shown %s, and has to be approved until %s", r.Ask.In(r.Zone).Format("Mon 2 January 15:04"), by)
	}
}

// tellLeft says what was published, as the book has it.
func (t *Told) tellLeft(r *plan.SlotRow) {
	if r.Text != "" {
		t.WriteLine("  the words: %s", print.QuotePlain(r.Text, 0))
	}
	if r.Address != "" {
		t.WriteLine("  it stands at %s", print.PlainText(r.Address, 0))
	}
	if !r.Left.IsZero() {
		t.WriteLine("  it was published %s", r.Left.In(r.Zone).Format("Mon 2 January 2006 15:04:05"))
	}
	if by := r.ApprovedText(); by != "" {
		t.WriteLine("  approved by %s", by)
	}
}

// realMinute says at which minute a slot comes, where that is not what its name says.
func realMinute(s *plan.FoundSlot) string {
	r, c := &s.Row, s.Account.CampaignByID(s.Row.ID.Campaign)
	shown := r.Minute.In(r.Zone).Format("15:04")
	switch {
	case !r.Moved.To.IsZero():
		by := ""
		if r.Moved.By != "" {
			by = " by " + print.PlainText(r.Moved.By, print.MostName)
		}
		return r.Minute.In(r.Zone).Format("moved to Mon 2 January 15:04") + by + ", "
	case shown != r.ID.Clock.String():
		with := " with its jitter, "
		if c != nil && c.Behind > 0 {
			with = fmt.Sprintf(", as it comes %s behind the first account, ", text.Duration(c.Behind))
		}
		return shown + with
	}
	return ""
}

// becameInWords says in a sentence what became of the slot, or will. The book knows how an action has ended from the next look of its campaigns on.
func becameInWords(r *plan.SlotRow, t *whyTurn, now time.Time) string {
	switch r.State {
	case plan.SlotPlanned:
		said := "will " + r.DoesText()
		if nth := r.NthOf(); nth != "" {
			said += ", " + nth
		}
		if !r.At.Equal(r.Minute) {
			said += ", at " + r.At.In(r.Zone).Format("15:04")
		}
		return said
	case plan.SlotGoing:
		if leaves := r.At.In(r.Zone); leaves.After(now) {
			return "decided to " + r.DoesText() + "; it leaves at " + leaves.Format("15:04")
		}
		if n := len(t.Actions); n > 0 && t.Actions[n-1].State.Final() { //mutate:why-slot-ended
			return "decided to " + r.DoesText() + "; what became of it stands below"
		}
		return "decided to " + r.DoesText() + "; what became of it is not known yet"
	case plan.SlotDone:
		return "done: " + r.DoesText()
	case plan.SlotFailed:
		return "not done: " + r.DoesText()
	case plan.SlotWatched:
		return cmp.Or(map[bool]string{true: "would "}[r.Minute.After(now)], "would have had to ") + r.DoesText() + ", but for the status watch"
	default:
		if r.Minute.After(now) {
			return "will stay empty"
		}
		return "stayed empty"
	}
}

// SlotLimits says what holds for the campaign.
func (t *Told) SlotLimits(s *plan.FoundSlot) {
	c := s.Account.CampaignByID(s.Row.ID.Campaign)
	if c == nil {
		t.WriteLine("\nthe campaign is in no file any more")
		return
	}
	t.WriteSection("limits")
	m := s.Account.Memories[c.ID]
	if c.Total.Max > 0 {
		t.WriteLine("  total: %d per %s; %d in the time before now", c.Total.Max, text.Duration(c.Total.Per), recent(m.Recent, c.Total.Per))
	}
	if c.Whole > 0 {
		t.WriteLine("  whole_campaign: %d of %d", m.Whole, c.Whole)
	}
	if c.Gap > 0 {
		t.WriteLine("  gap: %s between two publications of a post", text.Duration(c.Gap))
	}
	if c.KeepApart > 0 {
		t.WriteLine("  keep_apart: %s from anything else that the account publishes", text.Duration(c.KeepApart))
	}
	b := s.Account.AccountFacts.Budget
	t.WriteLine("  budget of the account: %d per %s, %s apart", b.Most.Max, text.Duration(b.Most.Per), text.Duration(b.Apart))
}

// recent counts what lies within a time before now.
func recent(all []time.Time, per time.Duration) (n int) {
	for _, t := range all {
		if time.Since(t) < per {
			n++
		}
	}
	return n
}

// whySlotJSON is what is known of a slot, for machines.
type whySlotJSON struct {
	plan.SlotJSON
	Told    string            `json:"told"`
	Decided time.Time         `json:"decided_at,omitzero"`
	Read    []factJSON        `json:"read,omitempty"`
	Actions []view.ActionJSON `json:"actions,omitempty"`
}

// factJSON is something that a turn has read.
type factJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SlotForMachines writes why a slot became what it did, as other programs read it.
func SlotForMachines(p *plan.Planner, s *plan.FoundSlot, t *whyTurn) whySlotJSON {
	x := whySlotJSON{SlotJSON: s.Row.ForMachines(), Told: becameInWords(&s.Row, t, p.Now), Decided: t.Turn.HandledAt.UTC()}
	for _, f := range t.Facts {
		x.Read = append(x.Read, factJSON{f.Name, string(f.Value)})
	}
	for i := range t.Actions {
		d := view.Deed{Action: t.Actions[i], Approval: t.approvals[t.Actions[i].Key]}
		x.Actions = append(x.Actions, p.DeedForMachines(&d, view.Waiting{}))
	}
	return x
}
