package plan

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// ShowCampaign tells about a campaign: its last slots, at most limit, or with CSV in a table.
func (p *Planner) ShowCampaign(ctx context.Context, a *Account, id, before string, limit int, f *Flags) error {
	c, rows, more := a.CampaignByID(id), []SlotRow(nil), 0
	if before != "" && !strings.Contains(before, "@") {
		before = id + "@" + before
	}
	err := p.EachBooked(ctx, a.Name, id, func(b *plugin.Booked) {
		a.noteWords(b)
		if before != "" && b.Slot.String() >= before {
			return
		}
		if rows = append(rows, bookRow(a, c, b)); len(rows) > limit {
			rows, more = rows[1:], more+1
		}
	})
	if err != nil {
		return err
	}
	switch {
	case p.JSON:
		return p.showForMachines(ctx, a, id, rows)
	case f.CSV != "":
		return f.writeTable(p.Out, rows)
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
	Draft bool            `json:"draft,omitempty"`   // it has no date yet
}

// postRows returns how the posts of a campaign stand: those of the file first, then those that it had once.
func (a *Account) postRows(id string) []campaignPost {
	c, m := a.CampaignByID(id), a.Memories[id]
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
		add(u.Key, a.nameOf(u.Key), postOf(u.Key), 0, true)
	}
	if c != nil {
		for i := range c.Drafts {
			all = append(all, campaignPost{Post: c.Drafts[i].Post, Name: c.Drafts[i].Name(), Draft: true})
		}
	}
	return all
}

// noteWords notes what a text of the book said, quoted: it may be in no file any more.
func (a *Account) noteWords(b *plugin.Booked) {
	if b.Words == "" {
		return
	}
	if a.words == nil {
		a.words = map[string]string{}
	}
	a.words[b.Item] = print.QuotePlain(b.Words, 30)
}

// nameOf names what is in no file any more, and of which only the key is known.
func (a *Account) nameOf(key string) string {
	if post := postOf(key); post != 0 {
		return fmt.Sprint(int64(post))
	}
	if from, found := strings.CutPrefix(key, "from:"); found {
		return "a post of " + from
	}
	return cmp.Or(a.words[key], lostText)
}

// postOf returns the post of a key; 0 when it is of something else.
func postOf(key string) (post platform.PostID) {
	if n, is := strings.CutPrefix(key, "post:"); is {
		_, _ = fmt.Sscan(n, &post)
	}
	return post
}

// outSaid says why a post is out, and until when.
func (c *campaignPost) outSaid(zone *time.Location, campaign string) string {
	since := c.Since.In(zone).Format("Mon 2 Jan 15:04")
	switch campaigns.OutWhy(c.Out) {
	case campaigns.Gone:
		return "deleted, seen " + since
	case campaigns.Hidden:
		return "it cannot be seen since " + since + ", looked at again " + c.Until.In(zone).Format("Mon 2 Jan")
	case campaigns.Undone:
		if c.By != "" {
			return fmt.Sprintf("%s had it taken back, %s; nectar campaigns allow %s %d lets it come again", print.PlainText(c.By, 40), since, campaign, c.Post)
		}
		return fmt.Sprintf("taken back by hand, seen %s; nectar campaigns allow %s %d lets it come again", since, campaign, c.Post)
	}
	if c.Gone {
		return "not in the campaign any more"
	}
	return ""
}

// campaignShown is a campaign for machines, with its history.
type campaignShown struct {
	campaignJSON
	Posts []campaignPost `json:"posts"`
	Slots []SlotJSON     `json:"slots"`
}

func (p *Planner) showForMachines(ctx context.Context, a *Account, id string, rows []SlotRow) error {
	all, err := p.campaignRows(ctx, []*Account{a})
	if err != nil {
		return err
	}
	x := campaignShown{Posts: append([]campaignPost{}, a.postRows(id)...), Slots: []SlotJSON{}}
	for i := range all {
		if all[i].id == id {
			x.campaignJSON = all[i].forMachines()
		}
	}
	for i := range rows {
		x.Slots = append(x.Slots, rows[i].ForMachines())
	}
	return print.WriteLine(p.Out, x)
}

// showForPeople tells about a campaign.
func (p *Planner) showForPeople(a *Account, id string, rows []SlotRow, more int) error {
	c, say := a.CampaignByID(id), print.SayTo(p.Out)
	zone, name := time.UTC, ""
	if c != nil {
		zone, name = c.Zone, c.Name
	} else if len(rows) > 0 {
		zone = rows[len(rows)-1].Zone
	}
	status, why := a.campaignStatus(id, p.Now)
	say("%s%s: %s, account %s, %s", id, print.PrefixText(" · ", name), print.JoinTwo(status, why), a.Name, zone)
	if next, ok := p.nextSlot(a, id); ok && c != nil {
		comes := next.DoesText()
		if next.State == slotEmpty {
			comes = "it stays empty: " + next.Why
		}
		say("the next slot is %s: %s", next.ID, comes)
	}
	say("")
	if more > 0 {
		say("%s before these; --before %s shows the last of them", print.CountText(more, "slot", "slots"), rows[0].ID.Day)
	}
	t := print.Table{Head: []string{"SLOT", "LEFT", "POST/WORDS", "ADDRESS", "APPROVED BY", "WHAT BECAME OF IT"}}
	for i := range rows {
		r := &rows[i]
		left, address := r.leftText()
		t.Add(r.ID.Day.At(0, time.UTC).Format("Mon 02 Jan 2006 ")+r.ID.Clock.String(), left, print.PlainText(string(r.slotMark())+" "+r.name(), 44), address, r.ApprovedText(), r.becameOf())
	}
	if len(rows) > 0 {
		t.DropEmpty("LEFT", "ADDRESS", "APPROVED BY")
	}
	if err := t.Print(p.Out, "none of its slots has come yet"); err != nil {
		return err
	}
	say("")
	if err := p.showPosts(a, id, zone); err != nil {
		return err
	}
	return p.printAsked([]*Account{a}, id)
}

// leftText says when the slot was published, by the clocks of its campaign, and where people open that: – for what is not known.
func (r *SlotRow) leftText() (left, address string) {
	if r.State != SlotDone {
		return "", ""
	}
	left, address = "–", cmp.Or(print.PlainText(r.Address, 0), "–")
	if at := r.Left.In(r.Zone); !r.Left.IsZero() {
		if left = at.Format("15:04"); at.Format(time.DateOnly) != r.ID.Day.String() {
			left = at.Format("Mon 02 Jan 15:04")
		}
	}
	return left, address
}

// becameOf says what became of a slot that is over.
func (r *SlotRow) becameOf() string {
	said := map[slotState]string{
		SlotDone: "done", SlotGoing: "it is not known yet", SlotFailed: "not done", SlotWatched: "would have, but for the status watch", slotEmpty: "empty",
	}[r.State]
	if r.State == SlotDone && r.renew {
		said = "done, reposted anew"
	}
	if r.Why != "" {
		said += ": " + r.Why
	}
	return strings.Join(append([]string{said}, r.Others...), "; ")
}

// showPosts lists how the posts of a campaign stand.
func (p *Planner) showPosts(a *Account, id string, zone *time.Location) error {
	t := print.Table{Head: []string{"POST", "CAME", "LAST", "OUT"}}
	for _, x := range a.postRows(id) {
		came := print.CountText(x.Times, "time", "times")
		if x.Of > 0 {
			came = fmt.Sprintf("%d of %d", x.Times, x.Of)
		}
		if x.Draft {
			came = "a draft, without a date"
		}
		last := "–"
		if !x.Last.IsZero() {
			last = x.Last.In(zone).Format("Mon 2 Jan 2006 15:04")
		}
		t.Add(print.PlainText(x.Name, 44), came, last, x.outSaid(zone, id))
	}
	if len(t.Rows) > 0 {
		t.DropEmpty("OUT")
	}
	return t.Print(p.Out, "it has no posts")
}
