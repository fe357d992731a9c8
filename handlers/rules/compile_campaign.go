package rules

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Campaigns returns the campaigns of the files as handlers/campaigns plans them, in the order of the files; Campaign.Account is "" for
// those that name none. The problems say what cannot be planned; such a campaign is left out.
func (v *Version) Campaigns() ([]*campaigns.Campaign, text.Problems) {
	return v.campaigns(func(*campaigns.Campaign) bool { return true })
}

// CampaignsOf returns the campaigns of an account, as Campaigns does: those that name it and, where it is not known that other
// accounts act by the same files, those that name none. Their Campaign.Account is the account.
func (v *Version) CampaignsOf(account event.Account) ([]*campaigns.Campaign, text.Problems) {
	return v.campaigns(func(c *campaigns.Campaign) bool {
		ours := c.Account == account || c.Account == "" && len(v.folder.around.accounts) < 2 //mutate:campaign-of-account
		c.Account = account
		return ours
	})
}

func (v *Version) campaigns(wanted func(*campaigns.Campaign) bool) ([]*campaigns.Campaign, text.Problems) {
	var all []*campaigns.Campaign
	var problems text.Problems
	for _, f := range v.folder.files {
		for i := range f.Campaigns {
			camp := &f.Campaigns[i]
			to, wrong := camp.plan(f, v.folder.zone(f))
			if !wanted(&to) {
				continue
			}
			if len(wrong) == 0 {
				ready, err := campaigns.New(to)
				if err == nil {
					all = append(all, ready)
					continue
				}
				wrong = text.Problems{camp.Problem("%s", err)}
			}
			problems = append(problems, wrong...)
		}
	}
	return all, problems
}

// Budget returns how much each account publishes at most; false when the files do not say so: then campaigns.DefaultBudget, which it
// returns, holds for accounts that have campaigns.
func (v *Version) Budget() (campaigns.Budget, bool) { return v.folder.budget() }

// AppliesAtOnce tells whether an edit of campaigns takes effect when it is saved, also where it removes or moves slots.
func (v *Version) AppliesAtOnce() bool { return v.folder.settings.Apply == AtOnce }

func (fo *folder) budget() (campaigns.Budget, bool) {
	b, p := campaigns.DefaultBudget, fo.settings.Publishing
	if p == nil {
		return b, false
	}
	if p.Most != nil {
		b.Most = *p.Most
	}
	if p.Apart != nil {
		b.Apart = time.Duration(*p.Apart)
	}
	return b, true
}

// plan returns the campaign as it is to be planned; around is the zone of its file.
func (c *Campaign) plan(f *File, around *time.Location) (campaigns.Campaign, text.Problems) {
	if c.Timezone.Location != nil {
		around = c.Timezone.Location
	}
	to := campaigns.Campaign{
		ID: c.ID, Name: c.Name, Account: event.Account(c.Account), Do: campaigns.Doing(c.Do), Status: campaigns.Status(c.Status.atMost(f.status())), Zone: around,
		Except: c.Except, Jitter: time.Duration(c.Jitter.UpTo), Turn: campaigns.Turn(c.Turn), Each: 1, KeepApart: time.Duration(c.KeepApart),
		Missed: campaigns.Missed{What: campaigns.WhenMissed(c.IfMissed.What), Within: time.Duration(c.IfMissed.Within)},
		Stop:   c.stops(),
	}
	if c.Starts != nil {
		to.Starts = *c.Starts
	}
	if c.Ends != nil {
		to.Ends = c.Ends.Day
	}
	if l := c.Limits; l.Total != nil {
		to.Total = *l.Total
	}
	if c.Limits.Whole != nil {
		to.Whole = *c.Limits.Whole
	}
	if r := c.Repeat; r != nil {
		to.Each, to.Gap, to.Renews = int(max(r.EachPost, r.EachText)), time.Duration(r.Gap), r.How == undoThenRepost
		to.StopAfter, to.UntilOlder = int(r.StopAfter), time.Duration(r.UntilOlder)
	}
	if a := c.Approve; a != nil {
		to.Team, to.AtLeast = a.Who, time.Duration(a.AtLeast.Before)
	}
	if r := c.Report; r != nil && r.Every != nil {
		to.Report = &campaigns.Report{To: r.To, Every: *r.Every}
	}
	problems := c.items(&to)
	return to, problems
}

// undoThenRepost is the only way in which a post is reposted anew.
const undoThenRepost = "undo_then_repost"

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

// items fills in what takes turns, and the slots, with what belongs to one of them alone.
func (c *Campaign) items(to *campaigns.Campaign) (problems text.Problems) {
	there := map[string]bool{}
	add := func(it campaigns.Item) {
		there[it.Key] = true
		to.Items = append(to.Items, it)
	}
	for _, t := range c.Texts {
		add(campaigns.Item{Key: campaigns.TextKey(t.Raw()), Text: t.Raw()})
	}
	for i := range c.Posts {
		it, wrong := c.Posts[i].item()
		if wrong != "" {
			problems = append(problems, c.Posts[i].Problem("link: %s", wrong))
		}
		add(it)
	}
	for i := range c.Slots {
		s := &c.Slots[i]
		it := campaigns.Item{Only: true}
		switch {
		case s.Text.Raw() != "":
			it.Key, it.Text = campaigns.TextKey(s.Text.Raw()), s.Text.Raw()
		case s.Post != "":
			id, wrong := linked(s.Post)
			if wrong != "" {
				problems = append(problems, s.Problem("post: %s", wrong))
			}
			it.Key, it.Post = campaigns.PostKey(id), id
		}
		if to.Lines = append(to.Lines, campaigns.Line{When: s.When, Own: it.Key}); it.Key != "" && !there[it.Key] {
			add(it)
		}
	}
	return problems
}

// item returns the post as it takes turns, and what is wrong with its link.
func (p *PlannedPost) item() (it campaigns.Item, wrong string) {
	it.Status = campaigns.Status(p.Status)
	if p.NotBefore != nil {
		it.NotBefore = *p.NotBefore
	}
	if p.From != "" {
		it.Key, it.From, it.Tag, it.NewerThan = campaigns.FoundKey(p.From, p.WithTag), p.From, p.WithTag, time.Duration(p.NewerThan)
		return it, ""
	}
	id, wrong := linked(p.Link)
	it.Key, it.Post = campaigns.PostKey(id), id
	return it, wrong
}
