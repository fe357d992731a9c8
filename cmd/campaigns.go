package cmd

import (
	"cmp"
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
	"github.com/spf13/cobra"
)

const campaignsHelp = `Campaigns lists the campaigns in force, what became of their slots, and which comes
next; nectar plan shows all of them.

  STATUS   of the file; or paused by a person, ended, gone: it is in no file any more
  NEXT     when the next slot leaves that is not empty, by the clocks of the campaign
  DONE     what it has published; ON WATCH counts what it would have
  SKIPPED  slots that stayed empty, for whatever reason
  WAITS    what is prepared and waits for an approval: nectar outbox --needs-approval

nectar campaigns show ID tells what became of each slot, and how its posts stand. The
others change something: the bot does it, within about a second, or else the next one
that starts. What waits for a bot is named below, and shown as if it were done.`

// noCampaigns is what is said where there are none.
const noCampaigns = "there are no campaigns; nectar init --campaign writes one to begin with"

func newCampaigns(sh shell) *cobra.Command {
	var f deskFlags
	cmd := &cobra.Command{
		Use:     "campaigns",
		Short:   "List campaigns; pause one, take out a slot, put an edit in force",
		Long:    campaignsHelp,
		Example: "  nectar campaigns\n  nectar campaigns show spring-menu\n  nectar campaigns skip spring-menu@2027-03-16T09:30",
		GroupID: groupCare,
		Args:    usage(knownCommand),
		RunE: sh.withCampaigns(&f, func(ctx context.Context, p *planner, all []*planAccount, _ []string) error {
			return p.listCampaigns(ctx, all)
		}),
	}
	f.add(cmd)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newCampaignShow(sh, &f), newCampaignApply(sh, &f))
	for _, c := range campaignAsks() {
		cmd.AddCommand(c.command(sh, &f))
	}
	return cmd
}

// withCampaigns makes the body of a command about what is in force: it needs a database.
func (sh shell) withCampaigns(f *deskFlags, do func(ctx context.Context, p *planner, all []*planAccount, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p, err := sh.planner(cmd, f, false)
		if err != nil {
			return err
		}
		defer p.end()
		if p.desk == nil {
			d, err := sh.desk(cmd, f) // it says which database is not there
			if err != nil {
				return err
			}
			p.desk = d
		}
		p.json, p.by = f.json, decider(sh, f.by)
		all, err := p.standings(cmd.Context(), nil, f.account)
		if err != nil {
			return err
		}
		return do(cmd.Context(), p, all, args)
	}
}

// completeCampaigns lets shells complete the id of a campaign.
func (sh shell) completeCampaigns(f *deskFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list := func(_ context.Context, _ *planner, all []*planAccount, _ []string) error {
			for _, a := range all {
				ids = append(ids, a.ids()...)
			}
			return nil
		}
		if err := sh.withCampaigns(f, list)(cmd, nil); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// campaignRow is a campaign in the list.
type campaignRow struct {
	account event.Account
	id      string
	c       *campaigns.Campaign // nil: it is in no file any more
	status  string
	why     string // it is paused, or has ended
	next    *planRow
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
func (p *planner) campaignRows(ctx context.Context, all []*planAccount) ([]campaignRow, error) {
	var rows []campaignRow
	for _, a := range all {
		next := map[string]planRow{}
		for v := range campaigns.Plan(&a.Account, p.now, time.Time{}, p.now.AddDate(2, 0, 0)) {
			if id := v.Slot.ID.Campaign; v.Kind.Publishes() || v.Kind == campaigns.Watched || v.Kind == campaigns.Booked && v.Entry.State == campaigns.Going && v.At.After(p.now) {
				if _, known := next[id]; !known {
					next[id] = a.row(&v)
				}
			}
			if len(next) == len(a.Campaigns) {
				break
			}
		}
		for _, id := range a.ids() {
			r := campaignRow{account: a.name, id: id, c: a.campaign(id), asked: a.askedOf(id)}
			r.status, r.why = a.status(id, p.now)
			if n, is := next[id]; is {
				r.next = &n
			}
			m := a.Memories[id]
			for _, e := range m.Book {
				if e.State == campaigns.Prepared && e.Approved.IsZero() && e.Refused.IsZero() {
					r.waits++
				}
			}
			if err := p.eachBooked(ctx, a.name, id, r.booked.add); err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// eachBooked goes through the book of a campaign.
func (p *planner) eachBooked(ctx context.Context, account event.Account, id string, do func(*plugin.Booked)) error {
	for after := ""; ; {
		some, err := plugin.ReadBook(ctx, p.Reader, account, id, after, 1000)
		if err != nil || len(some) == 0 {
			return err
		}
		for i := range some {
			do(&some[i])
			after = some[i].Slot.String()
		}
	}
}

// status is how a campaign stands, and why.
func (a *planAccount) status(id string, now time.Time) (status, why string) {
	c, m := a.campaign(id), a.Memories[id]
	switch {
	case m.Ended != nil:
		return "ended", and(m.Ended.Why, "since "+when(m.Ended.At))
	case c == nil:
		return "gone", "it is in no file any more"
	case m.Paused != nil && !m.Paused.Until.IsZero() && m.Paused.Until.After(now):
		return "paused", and("by "+cmp.Or(plain(m.Paused.By, 40), "somebody"), and("until "+when(m.Paused.Until), m.Paused.Why))
	case m.Paused != nil && m.Paused.Until.IsZero():
		return "paused", and("by "+cmp.Or(plain(m.Paused.By, 40), "somebody"), and("since "+when(m.Paused.At), m.Paused.Why))
	case a.World.Paused != nil:
		return "paused", "the whole account, by " + plain(a.World.Paused.By, 40)
	}
	return string(c.Status), ""
}

// campaignJSON is a campaign for machines.
type campaignJSON struct {
	Account  event.Account  `json:"account"`
	Campaign string         `json:"campaign"`
	Name     string         `json:"name,omitempty"`
	Status   string         `json:"status"` // paused, watch, ask, live, ended, gone
	Why      string         `json:"why,omitempty"`
	Next     *slotJSON      `json:"next,omitempty"`
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
		s := r.next.forMachines()
		x.Next = &s
	}
	return x
}

// listCampaigns lists them.
func (p *planner) listCampaigns(ctx context.Context, all []*planAccount) error {
	rows, err := p.campaignRows(ctx, all)
	if err != nil {
		return err
	}
	t := table{head: []string{"CAMPAIGN", "ACCOUNT", "STATUS", "NEXT", "WHAT", "DONE", "ON WATCH", "NOT DONE", "SKIPPED", "WAITS", "WHY"}}
	for i := range rows {
		r := &rows[i]
		if p.json {
			if err := printLine(p.out, r.forMachines()); err != nil {
				return err
			}
			continue
		}
		next, what := "–", ""
		if r.next != nil {
			next, what = r.next.at.In(r.next.zone).Format("Mon 2 Jan 15:04"), string(r.next.mark())+" "+r.next.name()
		}
		n := r.booked
		t.add(r.id, string(r.account), r.status, next, plain(what, 40), above0(n.done), above0(n.watched), above0(n.failed), above0(n.skipped), above0(r.waits), r.why)
	}
	if p.json {
		return nil
	}
	if len(all) < 2 {
		t.drop("ACCOUNT")
	}
	if len(rows) > 0 {
		t.squeeze("WHAT", "ON WATCH", "NOT DONE", "WAITS", "WHY")
	}
	if err := t.print(p.out, noCampaigns); err != nil {
		return err
	}
	return p.tellAsked(p.out, all, "", widthOf(p.out))
}
