package grammar

import (
	"iter"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/internal/webhost"
)

// Budget returns how much the campaigns of the folder may publish, and whether it says so.
func (fo *Folder) Budget() (campaigns.Budget, bool) {
	b, p := campaigns.DefaultBudget, fo.Settings.Publishing
	if p == nil {
		return b, false
	}
	if p.Most != nil {
		b.Most = *p.Most
	}
	if p.Apart != nil {
		b.Apart = time.Duration(*p.Apart)
	}
	if p.Rules != nil {
		b.ForRules, b.Split = *p.Rules, true
	}
	return b, true
}

// CampaignsByAccount goes through the campaigns of all files, for each of their accounts.
func (fo *Folder) CampaignsByAccount() iter.Seq2[*File, *Campaign] {
	return func(yield func(*File, *Campaign) bool) {
		for _, f := range fo.Files {
			for i := range f.Campaigns {
				for _, c := range f.Campaigns[i].PerAccount() {
					if !yield(f, c) {
						return
					}
				}
			}
		}
	}
}

// ToCampaign returns the campaign of one account, which stands in a file of the folder, as it is to be planned. Where several accounts have it, each comes
// as far behind the one before as the settings keep publications apart.
func (fo *Folder) ToCampaign(f *File, c *Campaign) (campaigns.Campaign, textfile.Problems) {
	around := fo.ZoneOf(f)
	if c.Timezone.Location != nil {
		around = c.Timezone.Location
	}
	to := campaigns.Campaign{
		ID: c.ID, Name: c.Name, Account: event.Account(c.Account), Do: campaigns.Doing(c.Do), Status: campaigns.Status(MoreCareful(c.Status, f.StatusOf())), Zone: around,
		Except: c.Except, Jitter: time.Duration(c.Jitter.UpTo), Turn: campaigns.Turn(c.Turn), Each: 1, KeepApart: time.Duration(c.KeepApart),
		Missed: campaigns.Missed{What: campaigns.WhenMissed(c.IfMissed.What), Within: time.Duration(c.IfMissed.Within)},
		Stop:   c.stops(),
	}
	if len(c.Accounts) > 1 {
		budget, _ := fo.Budget()
		to.ID, to.Of, to.Behind = c.ID+"@"+c.Account, c.ID, time.Duration(c.behind)*budget.Apart
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
		to.Each, to.Gap, to.Renews = int(max(r.EachPost, r.EachText)), time.Duration(r.Gap), r.How == UndoThenRepost
		to.StopAfter, to.UntilOlder = int(r.StopAfter), time.Duration(r.UntilOlder)
	}
	if a := c.Approve; a != nil {
		to.Team, to.AtLeast = a.Who, time.Duration(a.AtLeast.Before)
	}
	if r := c.Report; r != nil && r.Every != nil {
		to.Report = &campaigns.Report{To: r.To, Every: *r.Every}
	}
	problems := c.items(&to, &fo.Replies)
	return to, problems
}

// UndoThenRepost is the only way in which a post is reposted anew.
const UndoThenRepost = "undo_then_repost"

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
func (c *Campaign) items(to *campaigns.Campaign, saved *Replies) (problems textfile.Problems) {
	there, keys := map[string]bool{}, map[string]string{} // of texts, by their words
	add := func(it campaigns.Item) {
		there[it.Key] = true
		to.Items = append(to.Items, it)
	}
	for i := range c.Texts {
		t := &c.Texts[i]
		it := campaigns.Item{Text: saved.FillIn(t.Text)}
		it.Key = textKey(c.ID, t.ID, it.Text)
		keys[it.Text] = it.Key
		add(it)
	}
	for i := range c.Posts {
		it, wrong := c.Posts[i].ToItem()
		if wrong != "" {
			problems = append(problems, c.Posts[i].Problem("link: %s", wrong))
		}
		add(it)
	}
	for i := range c.Slots {
		s := &c.Slots[i]
		it := campaigns.Item{Only: true}
		switch {
		case s.Text.String() != "":
			it.Text = saved.FillIn(s.Text)
			if it.Key = keys[it.Text]; it.Key == "" {
				it.Key = textKey(c.ID, s.ID, it.Text)
			}
		case s.Post != "":
			var wrong string
			if it, wrong = (&PlannedPost{Link: s.Post}).ToItem(); wrong != "" {
				problems = append(problems, s.Problem("post: %s", wrong))
			}
			it.Only = true
		}
		// A text or a post of a slot alone may stand in the turns as well: it is one item then, with one count.
		if to.Lines = append(to.Lines, campaigns.Line{When: s.When, Own: it.Key}); it.Key != "" && !there[it.Key] {
			add(it)
		}
	}
	for i := range c.Drafts {
		d, it := &c.Drafts[i], campaigns.Item{Only: true}
		if it.Text = saved.FillIn(d.Text); d.Link != "" {
			it, _ = (&PlannedPost{Link: d.Link}).ToItem()
		} else {
			it.Key = textKey(c.ID, d.ID, it.Text)
		}
		to.Drafts = append(to.Drafts, it)
	}
	return problems
}

// FillIn returns a text with the saved replies that stand in it.
func (r *Replies) FillIn(t template.Template) string {
	return t.FillText(func(name string) string {
		reply, _ := r.Replies.Get(strings.TrimPrefix(name, "saved: "))
		if len(reply.Texts) == 0 {
			return ""
		}
		return reply.Texts[0].String()
	})
}

// textKey is what is remembered of a text under: its id, or without one its words.
func textKey(campaign, id, words string) string {
	if id != "" {
		return campaigns.TextIDKey(campaign, id)
	}
	return campaigns.TextKey(words)
}

// ToItem returns the post as it takes turns, and what is wrong with its link.
func (p *PlannedPost) ToItem() (it campaigns.Item, wrong string) {
	it.Status = campaigns.Status(p.Status)
	if p.NotBefore != nil {
		it.NotBefore = *p.NotBefore
	}
	if p.From != "" {
		it.Key, it.From, it.Tag, it.NewerThan = campaigns.FoundKey(p.From, p.WithTag), p.From, p.WithTag, time.Duration(p.NewerThan)
		return it, ""
	}
	id, wrong := LinkedPost(p.Link)
	it.Key, it.Post, it.Platform = campaigns.PostKey(id), id, webhost.PlatformOf(p.Link)
	return it, wrong
}
