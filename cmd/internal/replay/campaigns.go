package replay

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// What is remembered of a campaign is folded from slot to slot, and nobody can unfold it: slots that are over cannot be decided
// again. What can be told is which of them stand in the files, and what these change from now on.

// slotsSince is how far back slots are compared.
const slotsSince = 90 * 24 * time.Hour

// campaignReplay is what came of it for an account.
type campaignReplay struct {
	account event.Account
	since   time.Time
	same    int      // slots of the book that stand in the files
	gone    []string // that do not
	more    []string // slots of the files that the book does not have
	diff    plan.Diff
	head    string
}

// replayCampaigns compares the campaigns of files with those of an account; nil where neither has any.
func replayCampaigns(ctx context.Context, p *plan.Planner, account event.Account, v *rules.Version) (*campaignReplay, error) {
	if all, _ := v.Campaigns(); len(all) == 0 {
		known, err := plugin.Read(ctx, p.Inspector, account)
		if err != nil || len(known.Memories) == 0 {
			return nil, err
		}
	}
	a, err := p.StandingOf(ctx, account, v)
	if err != nil || len(a.Campaigns) == 0 && len(a.Known) == 0 {
		return nil, err
	}
	r := &campaignReplay{account: account, since: p.Now.Add(-slotsSince)}
	for _, id := range a.IDs() {
		if err := r.book(ctx, p, a, id); err != nil {
			return nil, err
		}
	}
	r.diff, r.head, err = p.DiffOf(ctx, a, true)
	return r, err
}

// book compares the slots of a campaign that are over with those of the files.
func (r *campaignReplay) book(ctx context.Context, p *plan.Planner, a *plan.Account, id string) error {
	first := time.Time{} // slots before it never existed
	booked := map[campaigns.SlotID]bool{}
	c := a.CampaignByID(id)
	err := p.EachBooked(ctx, a.Name, id, func(b *plugin.Booked) {
		if b.Minute.Before(r.since) {
			return
		}
		if first.IsZero() || b.Minute.Before(first) {
			first = b.Minute
		}
		booked[b.Slot] = true
		if c != nil && hasSlot(c, b.Slot) {
			r.same++
		} else {
			r.gone = append(r.gone, b.Slot.String())
		}
	})
	if err != nil || c == nil || first.IsZero() {
		return err
	}
	for s := range c.Slots(first, p.Now) {
		if _, moved := a.Memories[id].Rescheduled[s.ID]; !booked[s.ID] && !moved {
			r.more = append(r.more, s.ID.String())
		}
	}
	return nil
}

func hasSlot(c *campaigns.Campaign, id campaigns.SlotID) bool {
	_, there := c.Slot(id)
	return there
}

// isChanged reports whether the files change anything.
func (r *campaignReplay) isChanged() bool { return len(r.gone)+len(r.more) > 0 || !r.diff.IsEmpty() }

// print shows it to people.
func (r *campaignReplay) print(w io.Writer, many bool) error {
	said := "campaigns"
	if many {
		said += " of " + string(r.account)
	}
	said += ": slots that are over cannot be decided again, since what is remembered is folded from slot to slot."
	if n := r.same + len(r.gone); n > 0 {
		said += fmt.Sprintf(" Of %s since %s, %d stand in these files", print.CountText(n, "slot", "slots"), r.since.Local().Format("2 January 2006"), r.same)
		said += naming("do not", r.gone) + naming("stand there that did not come", r.more) + "."
	}
	width := print.WidthOf(w)
	if _, err := fmt.Fprintln(w, "\n"+strings.Join(print.WrapText(said, width), "\n")); err != nil {
		return err
	}
	return r.diff.Print(w, "from now on, "+r.head, width)
}

// naming says how many slots there are of a kind, and which.
func naming(kind string, all []string) string {
	if len(all) == 0 {
		return ""
	}
	shown := strings.Join(all[:min(len(all), plan.MostChanges)], ", ")
	if len(all) > plan.MostChanges {
		shown += ", …"
	}
	return fmt.Sprintf("; %d %s: %s", len(all), kind, shown)
}

// campaignReplayJSON is it for machines: the changes to come have a line each.
type campaignReplayJSON struct {
	Campaigns event.Account `json:"campaigns"` // the account
	Since     time.Time     `json:"since"`
	Same      int           `json:"same"`
	Gone      []string      `json:"gone,omitempty"`
	More      []string      `json:"more,omitempty"`
}

func (r *campaignReplay) forMachines(w io.Writer) error {
	if err := print.WriteLine(w, campaignReplayJSON{r.account, r.since.UTC(), r.same, r.gone, r.more}); err != nil {
		return err
	}
	return r.diff.ForMachines(w)
}
