package rules

import (
	"net/url"
	"path"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Campaigns returns the campaigns of the files as handlers/campaigns plans them, in the order of the files. Those that send messages are
// not run by this version and are left out. The problems say what cannot be planned; such a campaign is left out, too.
func (v *Version) Campaigns() ([]*campaigns.Campaign, text.Problems) {
	var all []*campaigns.Campaign
	var problems text.Problems
	for _, f := range v.folder.files {
		for i := range f.Campaigns {
			camp := &f.Campaigns[i]
			if camp.Do == "message" {
				continue
			}
			c, wrong := camp.compile(f, v.folder.zone(f))
			if problems = append(problems, wrong...); len(wrong) == 0 {
				all = append(all, c)
			}
		}
	}
	return all, problems
}

// compile makes a campaign ready to be planned; around is the zone of its file.
func (c *Campaign) compile(f *File, around *time.Location) (*campaigns.Campaign, text.Problems) {
	if c.Timezone.Location != nil {
		around = c.Timezone.Location
	}
	to := campaigns.Campaign{
		ID: c.ID, Name: c.Name, Do: campaigns.Doing(c.Do), Status: campaigns.Status(c.Status.atMost(f.status())), Zone: around,
		Jitter: time.Duration(c.Jitter.UpTo), Turn: campaigns.Turn(c.Turn), Each: 1, Whole: c.Limits.Whole, KeepApart: time.Duration(c.KeepApart),
		Missed: campaigns.Missed{What: campaigns.WhenMissed(c.IfMissed.What), Within: time.Duration(c.IfMissed.Within)},
	}
	if c.Starts != nil && c.Ends != nil {
		to.Starts, to.Ends = *c.Starts, *c.Ends
	}
	if l := c.Limits.Total; l != nil {
		to.Total = *l
	}
	if r := c.Repeat; r != nil {
		to.Each, to.Gap, to.Renews = int(r.EachPost), time.Duration(r.Gap), r.How == "undo_then_repost"
	}
	if a := c.Approve; a != nil {
		to.Team, to.AtLeast = a.Who, time.Duration(a.AtLeast.Before)
	}
	to.Stop = c.stops()
	if r := c.Report; r != nil && r.Every != nil {
		to.Report = &campaigns.Report{To: r.To, Every: *r.Every}
	}
	for _, s := range c.Slots {
		to.Lines = append(to.Lines, campaigns.Line{When: s})
	}
	items, problems := c.items()
	if len(problems) > 0 {
		return nil, problems
	}
	to.Items = items
	ready, err := campaigns.New(to)
	if err != nil {
		return nil, text.Problems{c.Problem("%s", err)}
	}
	return ready, nil
}

// stops returns what ends the campaign.
func (c *Campaign) stops() (to campaigns.Stop) {
	for _, s := range c.StopIf {
		to.Warnings = to.Warnings || s.Account != nil
		if s.Post == nil {
			continue
		}
		to.Deleted = to.Deleted || s.Post.Deleted
		if to.Words = append(to.Words, s.Post.Words...); s.Post.MoreThan != nil {
			to.MoreThan = *s.Post.MoreThan
		}
	}
	to.Replies = len(to.Words) > 0
	return to
}

// items returns what takes turns.
func (c *Campaign) items() (items []campaigns.Item, problems text.Problems) {
	for _, t := range c.Texts {
		items = append(items, campaigns.Item{Key: campaigns.TextKey(t.Raw()), Text: t.Raw()})
	}
	for i := range c.Posts {
		p := &c.Posts[i]
		it := campaigns.Item{Status: campaigns.Status(p.Status)}
		if p.NotBefore != nil {
			it.NotBefore = *p.NotBefore
		}
		if p.From != "" {
			it.Key, it.From, it.Tag, it.NewerThan = campaigns.FoundKey(p.From, p.WithTag), p.From, p.WithTag, time.Duration(p.NewerThan)
		} else {
			id, is := linked(p.Link)
			if !is {
				problems = append(problems, p.Problem("link: %s is not the address of a post: open the post and copy its address", p.Link))
			}
			it.Key, it.Post = campaigns.PostKey(id), id
		}
		items = append(items, it)
	}
	return items, problems
}

// linked returns the post that an address shows: its path ends with the post's number.
func linked(address string) (platform.PostID, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, false
	}
	id, err := strconv.ParseInt(path.Base(u.Path), 10, 64)
	return platform.PostID(id), err == nil && id > 0
}
