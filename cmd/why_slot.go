package cmd

import (
	"cmp"
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

// whySlot tells about a slot: what became of it, or what the plan says.
func (sh shell) whySlot(cmd *cobra.Command, f *deskFlags, written string) error {
	return sh.withCampaigns(f, func(ctx context.Context, p *planner, all []*planAccount, args []string) error {
		s, err := p.findSlot(ctx, all, args[0])
		if err != nil {
			return err
		}
		t, err := p.slotTurn(ctx, &s)
		if err != nil {
			return err
		}
		if p.json {
			return printLine(p.out, p.whySlotForMachines(&s, t))
		}
		w := &whyTold{out: p.out, many: len(p.accounts) > 1}
		w.slot(&s, p.now)
		w.actions(t)
		if t.Turn.ID != "" {
			w.read(t)
			w.section("decided")
			w.line("  %s, in the turn %s", when(t.Turn.HandledAt), t.Turn.ID)
		}
		w.slotLimits(&s)
		return w.err
	})(cmd, []string{written})
}

// slotTurn returns the turn that decided a slot, with what the slot's own actions are; without a turn when none has.
func (p *planner) slotTurn(ctx context.Context, s *foundSlot) (*whyTurn, error) {
	t := &whyTurn{Recorded: record.Recorded{Turn: &record.TurnRow{Account: s.account.name}}}
	if s.row.turn != "" {
		row, ok, err := p.Turn(ctx, s.account.name, s.row.turn)
		if err != nil {
			return nil, err
		}
		if ok { // turns are not kept for ever, the book is
			t.Turn = &row
			if t.Facts, err = p.Facts(ctx, s.account.name, s.row.turn); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if t.Actions, err = p.slotActions(ctx, s.account.name, s.row.id); err != nil {
		return nil, err
	}
	for i := range t.Actions {
		if t.Actions[i], err = p.atItsMinute(ctx, &t.Actions[i]); err != nil {
			return nil, err
		}
	}
	return t, p.approved(ctx, t)
}

// slot says what became of a slot, or will.
func (w *whyTold) slot(s *foundSlot, now time.Time) {
	r := &s.row
	in := ""
	if w.many {
		in = ", account " + string(s.account.name)
	}
	w.line("%s%s", r.id, in)
	w.line("%s %s in %s (%s%s UTC): %s", r.id.Day.At(0, time.UTC).Format("Mon 2 January 2006"), r.id.Clock, r.zone, r.jittered(), r.minute.UTC().Format("15:04"), r.became(now))
	for _, n := range r.notes() {
		w.line("  %s", n)
	}
	if !r.approve || r.state != slotPlanned {
		return
	}
	switch by := r.deadline.In(r.zone).Format("Mon 2 January 15:04"); {
	case r.approved:
		w.line("  it is approved")
	case s.account.Memories[r.id.Campaign].Book[r.id].State == campaigns.Prepared:
		w.line("  it waits for approval, until %s", by)
	case r.ask.Before(now):
		w.line("  it is prepared and shown at the bot's next look, and has to be approved until %s", by)
	default:
		w.line("  it is prepared and shown %s, and has to be approved until %s", r.ask.In(r.zone).Format("Mon 2 January 15:04"), by)
	}
}

// jittered says at which minute a slot comes, where that is not what its name says.
func (r *planRow) jittered() string {
	if shown := r.minute.In(r.zone).Format("15:04"); shown != r.id.Clock.String() {
		return shown + " with its jitter, "
	}
	return ""
}

// became says in a sentence what became of the slot, or will.
func (r *planRow) became(now time.Time) string {
	switch r.state {
	case slotPlanned:
		said := "will " + r.does()
		if nth := r.nthOf(); nth != "" {
			said += ", " + nth
		}
		if !r.at.Equal(r.minute) {
			said += ", at " + r.at.In(r.zone).Format("15:04")
		}
		return said
	case slotGoing:
		if leaves := r.at.In(r.zone); leaves.After(now) {
			return "decided to " + r.does() + "; it leaves at " + leaves.Format("15:04")
		}
		return "decided to " + r.does() + "; what became of it is not known yet"
	case slotDone:
		return "done: " + r.does()
	case slotFailed:
		return "not done: " + r.does()
	case slotWatched:
		return cmp.Or(map[bool]string{true: "would "}[r.minute.After(now)], "would have had to ") + r.does() + ", but for the status watch"
	default:
		if r.minute.After(now) {
			return "will stay empty"
		}
		return "stayed empty"
	}
}

// slotLimits says what holds for the campaign.
func (w *whyTold) slotLimits(s *foundSlot) {
	c := s.account.campaign(s.row.id.Campaign)
	if c == nil {
		w.line("\nthe campaign is in no file any more")
		return
	}
	w.section("limits")
	m := s.account.Memories[c.ID]
	if c.Total.Max > 0 {
		w.line("  total: %d per %s; %d in the time before now", c.Total.Max, text.Duration(c.Total.Per), recent(m.Recent, c.Total.Per))
	}
	if c.Whole > 0 {
		w.line("  whole_campaign: %d of %d", m.Whole, c.Whole)
	}
	if c.Gap > 0 {
		w.line("  gap: %s between two publications of a post", text.Duration(c.Gap))
	}
	if c.KeepApart > 0 {
		w.line("  keep_apart: %s from anything else that the account publishes", text.Duration(c.KeepApart))
	}
	b := s.account.World.Budget
	w.line("  budget of the account: %d per %s, %s apart", b.Most.Max, text.Duration(b.Most.Per), text.Duration(b.Apart))
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
	slotJSON
	Told    string       `json:"told"`
	Decided time.Time    `json:"decided_at,omitzero"`
	Read    []factJSON   `json:"read,omitempty"`
	Actions []actionJSON `json:"actions,omitempty"`
}

// factJSON is something that a turn has read.
type factJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (p *planner) whySlotForMachines(s *foundSlot, t *whyTurn) whySlotJSON {
	x := whySlotJSON{slotJSON: s.row.forMachines(), Told: s.row.became(p.now), Decided: t.Turn.HandledAt.UTC()}
	for _, f := range t.Facts {
		x.Read = append(x.Read, factJSON{f.Name, string(f.Value)})
	}
	for i := range t.Actions {
		d := deed{Action: t.Actions[i], Approval: t.approvals[t.Actions[i].Key]}
		x.Actions = append(x.Actions, p.deedForMachines(&d, waiting{}))
	}
	return x
}
