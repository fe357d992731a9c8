package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
	"github.com/spf13/cobra"
)

const campaignShowHelp = `Show tells what became of the slots of a campaign, the last ones last, and how its posts
stand: how often each has come, when it came last, and whether it is out, and why. What
comes is for nectar plan --campaign ID; nectar why SLOT tells all about one slot.

It shows the last slots, as many as --limit says. --before goes back from there.`

func newCampaignShow(sh shell, f *deskFlags) *cobra.Command {
	limit, before := defaultLimit, ""
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Tell what became of a campaign's slots, and how its posts stand",
		Long:    campaignShowHelp,
		Example: "  nectar campaigns show spring-menu\n  nectar campaigns show spring-menu --before 2027-03-16 --limit 50",
		Args:    oneCampaign,
		RunE: sh.withCampaigns(f, func(ctx context.Context, p *planner, all []*planAccount, args []string) error {
			a, err := campaignIn(all, args[0])
			if err != nil {
				return err
			}
			return p.showCampaign(ctx, a, args[0], before, limit)
		}),
	}
	cmd.ValidArgsFunction = sh.completeCampaigns(f)
	cmd.Flags().Var((*number)(&limit), "limit", "at most this `number` of slots")
	cmd.Flags().StringVar(&before, "before", "", "only slots before this `day` or slot")
	return cmd
}

// oneCampaign wants the id of a campaign.
func oneCampaign(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return badUsage(cmd, errors.New("name one campaign; nectar campaigns lists them"))
	}
	return nil
}

// showCampaign tells about a campaign.
func (p *planner) showCampaign(ctx context.Context, a *planAccount, id, before string, limit int) error {
	c, rows, more := a.campaign(id), []planRow(nil), 0
	zone := time.UTC
	if c != nil {
		zone = c.Zone
	}
	if before != "" && !strings.Contains(before, "@") {
		before = id + "@" + before
	}
	err := p.eachBooked(ctx, a.name, id, func(b *plugin.Booked) {
		if before != "" && b.Slot.String() >= before {
			return
		}
		if rows = append(rows, bookRow(a, c, zone, b)); len(rows) > limit {
			rows, more = rows[1:], more+1
		}
	})
	if err != nil {
		return err
	}
	if p.json {
		return p.showForMachines(ctx, a, id, rows)
	}
	return p.showForPeople(a, id, rows, more)
}

// campaignPost is how a post, a search or a text of a campaign stands.
type campaignPost struct {
	Post  platform.PostID `json:"post,omitempty"`
	Name  string          `json:"name"`
	Times int             `json:"times"`
	Of    int             `json:"of,omitempty"` // 0: as often as there are slots
	Last  time.Time       `json:"last,omitzero"`
	Out   string          `json:"out,omitempty"`     // why it may not come: gone, hidden, undone
	By    string          `json:"by,omitempty"`      // of Out: who had it taken back; "" for a hand
	Since time.Time       `json:"since,omitzero"`    // of Out
	Until time.Time       `json:"until,omitzero"`    // of Out; zero: until a person allows it
	Gone  bool            `json:"removed,omitempty"` // it is not in the campaign any more
}

// posts returns how the posts of a campaign stand: those of the file first, then those that it had once.
func (a *planAccount) posts(id string) []campaignPost {
	c, m := a.campaign(id), a.Memories[id]
	var all []campaignPost
	known := map[string]bool{}
	add := func(key, name string, post platform.PostID, of int, gone bool) {
		known[key] = true
		x := campaignPost{Post: post, Name: name, Of: of, Gone: gone}
		for _, u := range m.Items {
			if u.Key == key {
				x.Times, x.Last = u.Done, u.Last.UTC()
			}
		}
		if out := a.Uses.Posts[key].Out; out != nil {
			x.Out, x.By, x.Since, x.Until = string(out.Why), out.By, out.Seen.UTC(), out.Until.UTC()
		}
		all = append(all, x)
	}
	if c != nil {
		for i := range c.Items {
			it, of := &c.Items[i], c.Each
			if it.Only || it.Found() {
				of = 0
			}
			add(it.Key, it.Name(), it.Post, of, false)
		}
	}
	for _, u := range m.Items {
		if known[u.Key] {
			continue
		}
		post := postOf(u.Key)
		name := u.Key
		if post != 0 {
			name = fmt.Sprint(int64(post))
		}
		add(u.Key, name, post, 0, true)
	}
	return all
}

// postOf returns the post of a key; 0 when it is of something else.
func postOf(key string) (post platform.PostID) {
	if n, is := strings.CutPrefix(key, "post:"); is {
		_, _ = fmt.Sscan(n, &post)
	}
	return post
}

// outSaid says why a post is out, and until when.
func (x *campaignPost) outSaid(zone *time.Location, campaign string) string {
	since := x.Since.In(zone).Format("Mon 2 Jan 15:04")
	switch campaigns.OutWhy(x.Out) {
	case campaigns.Gone:
		return "deleted, seen " + since
	case campaigns.Hidden:
		return "it cannot be seen since " + since + ", looked at again " + x.Until.In(zone).Format("Mon 2 Jan")
	case campaigns.Undone:
		if x.By != "" {
			return fmt.Sprintf("%s had it taken back, %s; nectar campaigns allow %s %d lets it come again", plain(x.By, 40), since, campaign, x.Post)
		}
		return fmt.Sprintf("taken back by hand, seen %s; nectar campaigns allow %s %d lets it come again", since, campaign, x.Post)
	}
	if x.Gone {
		return "not in the campaign any more"
	}
	return ""
}

// campaignShown is a campaign for machines, with its history.
type campaignShown struct {
	campaignJSON
	Posts []campaignPost `json:"posts"`
	Slots []slotJSON     `json:"slots"`
}

func (p *planner) showForMachines(ctx context.Context, a *planAccount, id string, rows []planRow) error {
	all, err := p.campaignRows(ctx, []*planAccount{a})
	if err != nil {
		return err
	}
	x := campaignShown{Posts: append([]campaignPost{}, a.posts(id)...), Slots: []slotJSON{}}
	for i := range all {
		if all[i].id == id {
			x.campaignJSON = all[i].forMachines()
		}
	}
	for i := range rows {
		x.Slots = append(x.Slots, rows[i].forMachines())
	}
	return printLine(p.out, x)
}

// showForPeople tells about a campaign.
func (p *planner) showForPeople(a *planAccount, id string, rows []planRow, more int) error {
	c, say := a.campaign(id), sayTo(p.out)
	zone, name := time.UTC, ""
	if c != nil {
		zone, name = c.Zone, c.Name
	}
	status, why := a.status(id, p.now)
	say("%s%s: %s, account %s, %s", id, after(" · ", name), and(status, why), a.name, zone)
	if next, ok := p.nextSlot(a, id); ok && c != nil {
		comes := next.does()
		if next.state == slotEmpty {
			comes = "it stays empty: " + next.why
		}
		say("the next slot is %s: %s", next.id, comes)
	}
	say("")
	if more > 0 {
		say("%s before these; --before %s shows the last of them", several(more, "slot", "slots"), rows[0].id.Day)
	}
	t := table{head: []string{"SLOT", "LEFT", "UTC", "POST", "WHAT BECAME OF IT"}}
	for i := range rows {
		r := &rows[i]
		left, utc := "", ""
		if r.state != slotEmpty {
			left, utc = r.at.In(r.zone).Format("15:04"), r.at.UTC().Format("15:04")
		}
		t.add(r.id.Day.At(0, time.UTC).Format("Mon 02 Jan 2006 ")+r.id.Clock.String(), left, utc, plain(string(r.mark())+" "+r.name(), 40), r.becameOf())
	}
	if err := t.print(p.out, "none of its slots has come yet"); err != nil {
		return err
	}
	say("")
	if err := p.showPosts(a, id, zone); err != nil {
		return err
	}
	return p.tellAsked(p.out, []*planAccount{a}, id, widthOf(p.out))
}

// becameOf says what became of a slot that is over.
func (r *planRow) becameOf() string {
	said := map[slotState]string{
		slotDone: "done", slotGoing: "it is not known yet", slotFailed: "not done", slotWatched: "would have, but for the status watch", slotEmpty: "empty",
	}[r.state]
	if r.state == slotDone && r.renew {
		said = "done, reposted anew"
	}
	if r.why != "" {
		said += ": " + r.why
	}
	return strings.Join(append([]string{said}, r.others...), "; ")
}

// showPosts lists how the posts of a campaign stand.
func (p *planner) showPosts(a *planAccount, id string, zone *time.Location) error {
	t := table{head: []string{"POST", "CAME", "LAST", "OUT"}}
	for _, x := range a.posts(id) {
		came := several(x.Times, "time", "times")
		if x.Of > 0 {
			came = fmt.Sprintf("%d of %d", x.Times, x.Of)
		}
		last := "–"
		if !x.Last.IsZero() {
			last = x.Last.In(zone).Format("Mon 2 Jan 2006 15:04")
		}
		t.add(plain(x.Name, 44), came, last, x.outSaid(zone, id))
	}
	if len(t.rows) > 0 {
		t.squeeze("OUT")
	}
	return t.print(p.out, "it has no posts")
}
