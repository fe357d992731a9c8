package rehearsal

import (
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// stage is the platform of a rehearsal. Posts that campaigns name are there, were written by others some weeks ago, and are
// not reposted yet.
type stage struct {
	began time.Time
	posts map[platform.PostID]*pretended
	said  []*Pretend      // what searches look through, the oldest first
	real  map[string]bool // people whose posts were put there: nothing is made up for them
	next  platform.PostID
}

// pretended is a post as the platform shows it.
type pretended struct {
	out      campaigns.OutWhy
	reposted bool
	since    time.Time
	posted   time.Time
}

// Pretend is a post that somebody puts on the platform of a rehearsal, or that is made up for a search.
type Pretend struct {
	ID     platform.PostID
	By     string // "@partner_cafe"
	Text   string
	At     time.Time
	MadeUp bool
}

// pretendFrom is the number below the posts that are made up.
const pretendFrom platform.PostID = 900_000

func newStage(now time.Time) stage {
	return stage{began: now, posts: map[platform.PostID]*pretended{}, real: map[string]bool{}, next: pretendFrom}
}

// postOf returns a post, which is there when nothing else was said of it.
func (s *stage) postOf(id platform.PostID) *pretended {
	p := s.posts[id]
	if p == nil {
		p = &pretended{posted: s.began.Add(-14 * 24 * time.Hour)}
		s.posts[id] = p
	}
	return p
}

// add puts a post there.
func (s *stage) add(p *Pretend) *Pretend {
	s.next++
	p.ID = s.next
	s.posts[p.ID] = &pretended{posted: p.At}
	s.said = append(s.said, p)
	s.real[p.By] = s.real[p.By] || !p.MadeUp
	return p
}

// setHidden changes whether a post can be seen. What was deleted stays so.
func (s *stage) setHidden(id platform.PostID, why campaigns.OutWhy) error {
	p := s.postOf(id)
	if p.out == campaigns.Gone {
		return errGone
	}
	p.out = why
	return nil
}

// publish does on the platform what a slot does.
func (s *stage) publish(v *campaigns.Verdict, at time.Time) {
	if v.Post != 0 {
		p := s.postOf(v.Post)
		p.reposted, p.since = true, at //mutate:rehearse-publish
	}
}

// fact is what can be read of a post.
func (s *stage) fact(id platform.PostID) campaigns.PostFact {
	p := s.postOf(id)
	f := campaigns.PostFact{Out: p.out, Reposted: campaigns.No, Posted: p.posted}
	if p.reposted { //mutate:rehearse-fact
		f.Reposted, f.OnPage, f.Since = campaigns.Yes, true, p.since
	}
	return f
}

// read reads what a decision needs for a slot. It returns what a search has found.
func (r *Rehearsal) read(n campaigns.Need, slot time.Time, facts *campaigns.Facts) *Pretend {
	if n.Post != 0 {
		facts.Posts[n.Post] = r.stage.fact(n.Post)
		return nil
	}
	for _, c := range r.Campaigns {
		if i := slices.IndexFunc(c.Items, func(item campaigns.Item) bool { return item.Key == n.Find }); i >= 0 {
			p := r.search(&c.Items[i], slot)
			if p == nil {
				break
			}
			facts.Found[n.Find] = campaigns.FoundFact{Post: p.ID}
			return p
		}
	}
	facts.Found[n.Find] = campaigns.FoundFact{}
	return nil
}

// search returns the newest post that fits and was not used; one that is made up when none of this person was put there.
func (r *Rehearsal) search(item *campaigns.Item, slot time.Time) *Pretend {
	s := &r.stage
	var newest *Pretend
	for _, p := range s.said {
		old := item.NewerThan > 0 && slot.Sub(p.At) > item.NewerThan
		if p.By == item.From && !old && s.postOf(p.ID).out == "" && campaigns.Tagged(p.Text, item.Tag) && !r.Taken(p.ID) {
			newest = p
		}
	}
	if newest != nil || s.real[item.From] {
		return newest
	}
	says := strings.TrimSpace("Look what is new here! " + item.Tag)
	return s.add(&Pretend{By: item.From, Text: says, At: r.now.Add(-time.Hour), MadeUp: true})
}
