package campaigns

import (
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Uses is what an account has published, by any campaign, rule or program, or by hand.
type Uses struct {
	Posts     map[string]Use `json:"posts,omitempty"`     // by PostKey, TextKey or TextIDKey; a text with an id by both of the last ones
	Published publications   `json:"published,omitempty"` // by time, as far as Budget and distances reach; those to come, too
	Upto      time.Time      `json:"upto,omitzero"`       // so far it is concluded what rules and programs have published; see Outside
	Lifts     Tri            `json:"lifts,omitempty"`     // whether a renewal lifts a post on this platform, once that was seen
	Silent    bool           `json:"silent,omitempty"`    // the platform's posts do not tell whether we have reposted them, as seen last
}

// Use is what the account has done with a post or text.
type Use struct {
	Last     time.Time `json:"last,omitzero"`      // the last publication
	Reposted bool      `json:"reposted,omitempty"` // the post is reposted now, as far as we know
	Out      *Out      `json:"out,omitempty"`
	Posted   time.Time `json:"posted,omitzero"` // when the post was written, once it was read
	Own      bool      `json:"own,omitempty"`   // it was read, and is ours
}

// Out says that a post may not come.
type Out struct {
	Why   OutWhy    `json:"why"`
	Seen  time.Time `json:"seen"`
	By    string    `json:"by,omitempty"`   // who had it taken back by the bot; "" for a hand
	Until time.Time `json:"until,omitzero"` // zero: until a person allows it again, and for good when it is gone
}

// OutWhy is why a post is out.
type OutWhy string

// Why posts are out. Their values are stored; they never change.
const (
	Gone   OutWhy = "gone"   // it was deleted
	Hidden OutWhy = "hidden" // we may not see it, or not repost it: for a week
	Undone OutWhy = "undone" // somebody took our repost back by hand: until a person allows it
)

// hiddenFor is how long a post stays out that could not be seen.
const hiddenFor = 7 * 24 * time.Hour

// published is a publication: an own post, a repost or a renewal.
type published struct {
	At    time.Time     `json:"at"`
	Apart time.Duration `json:"apart,omitempty"` // the least time to other publications that its rule or program asks for
	Of    string        `json:"of,omitempty"`    // what it is, where no campaign decided it; see Outside

	// Late is what did not come at the minute of a slot: it was late, or no campaign had planned it. A slot that comes too close to it
	// need not be lost: it may wait, as long as it is in time.
	Late bool `json:"late,omitempty"`
	// Hand is what a person has published. It keeps others at their distance, and is no part of the budget.
	Hand bool `json:"hand,omitempty"`
}

// Budget is how much an account publishes at most.
type Budget struct {
	Most  text.Limit // Max 0: as much as it likes
	Apart time.Duration
	// ForRules is how many of Most rules and programs have, where Split says that it is written. Otherwise they have what slots leave.
	ForRules int
	Split    bool
}

// DefaultBudget holds where nothing else is written.
var DefaultBudget = Budget{Most: text.Limit{Max: 24, Per: 24 * time.Hour}, Apart: 2 * time.Minute}

// Tri is something that may not be known.
type Tri string

// The answers.
const (
	Unknown Tri = ""
	Yes     Tri = "yes"
	No      Tri = "no"
)

// Allow lets a post come again that was out.
func (u Uses) Allow(post platform.PostID) Uses {
	c := u.clone()
	if p, known := c.Posts[PostKey(post)]; known {
		p.Out = nil
		// It is not known whether a post that was out is still reposted: it comes as a repost, unless reading it shows otherwise.
		p.Reposted = p.Reposted && u.Posts[PostKey(post)].Out == nil
		c.Posts[PostKey(post)] = p
	}
	return c
}

// clone returns uses that may be changed.
func (u *Uses) clone() Uses {
	c := *u
	c.Posts = make(map[string]Use, len(u.Posts))
	maps.Copy(c.Posts, u.Posts) // Out is never changed in place
	c.Published = slices.Clone(u.Published)
	return c
}

// put adds a publication at its place.
func (u *Uses) put(p published) {
	i := len(u.Published)
	for i > 0 && p.At.Before(u.Published[i-1].At) {
		i--
	}
	u.Published = slices.Insert(u.Published, i, p)
}

// takePublication removes a publication, and returns it.
func (u *Uses) takePublication(at time.Time) (p published, there bool) {
	i := slices.IndexFunc(u.Published, func(p published) bool { return p.At.Equal(at) })
	if i < 0 {
		return published{}, false
	}
	p = u.Published[i]
	u.Published = slices.Delete(u.Published, i, i+1)
	return p, true
}

// forgetOld leaves out publications that no distance and no budget reaches any more.
func (u *Uses) forgetOld(before time.Time) {
	if i := slices.IndexFunc(u.Published, func(p published) bool { return !p.At.Before(before) }); i > 0 {
		u.Published = u.Published[:copy(u.Published, u.Published[i:])]
	}
}

// widestDistance returns the greatest distance that a publication keeps.
func (u *Uses) widestDistance() (widest time.Duration) {
	for i := range u.Published {
		widest = max(widest, u.Published[i].Apart)
	}
	return widest
}

// findClash returns a publication that is too close to t for something that keeps the distance apart, and until when at least. It is a Late
// one only when all that are too close are Late. No publication keeps more distance than widest.
func (u *Uses) findClash(t time.Time, apart, widest time.Duration) (other published, until time.Time, found bool) {
	planned := false
	for _, p := range slices.Backward(u.Published) {
		d := t.Sub(p.At)
		// By time, so nothing that lies farther back is nearer.
		if d >= max(apart, widest) {
			break
		}
		need := max(apart, p.Apart) //mutate:slots-apart
		if d >= need || -d >= need {
			continue
		}
		// A publication that came at its minute is in the plan, which everybody has seen: a slot too close to it is lost, and does not wait.
		planned = planned || !p.Late
		if !p.At.Add(need).Before(until) {
			other, until, found = p, p.At.Add(need), true
		}
	}
	other.Late = !planned
	return other, until, found
}

// countedAt is when the i-th publication was made, if it is a part of the budget; zero when it is not.
func (u *Uses) countedAt(i int) time.Time {
	if u.Published[i].Hand {
		return time.Time{}
	}
	return u.Published[i].At
}

// plannedAt is countedAt of what came at the minute of a slot.
func (u *Uses) plannedAt(i int) time.Time {
	if u.Published[i].Late {
		return time.Time{}
	}
	return u.countedAt(i)
}

// isFull reports whether most publications lie in the time before t, and until when. Those at zero do not count.
func isFull(most text.Limit, t time.Time, n int, at func(i int) time.Time) (until time.Time, is bool) {
	if most.Max == 0 || most.Per == 0 {
		return time.Time{}, false
	}
	count := 0
	for i := n - 1; i >= 0; i-- {
		p := at(i)
		if p.After(t) || p.IsZero() {
			continue
		}
		if t.Sub(p) >= most.Per {
			break
		}
		if count++; count >= most.Max {
			return p.Add(most.Per), true
		}
	}
	return time.Time{}, false
}

// Outsider is something that the account publishes and that no campaign decided: a rule, a program.
type Outsider struct {
	Key   string    // another one for each
	At    time.Time // when it left, or is to leave
	Apart time.Duration
	Post  string // PostKey of the published post; "" while that is not known
	Done  bool   // it has happened
	Over  bool   // nothing of it changes any more
}

// unreadFor is for how long something that was decided may be missing where publications are read.
const unreadFor = 2 * time.Minute

// Since returns from when on the account's publications are to be read for Outside.
func (u *Uses) Since(now time.Time, budget text.Limit) time.Time {
	if u.Upto.IsZero() {
		return now.Add(-max(keep, budget.Per))
	}
	if late := now.Add(-unreadFor); late.Before(u.Upto) { // the clock was set back
		return late
	}
	return u.Upto
}

// Outside returns the uses with what rules and programs publish: all that was published, or is to be, since the time that Since
// returned. What was read before is replaced by what is read now, so each counts once; what failed or was withdrawn counts no more.
func (u *Uses) Outside(all []Outsider, since, now time.Time, budget text.Limit, read int) Uses {
	stale := func(p published) bool { return p.Of != "" && !p.At.Before(since) }
	if len(all) == 0 && !u.Upto.IsZero() && read < manyRead && !slices.ContainsFunc(u.Published, stale) {
		return *u
	}
	c := u.clone()
	c.Published = slices.DeleteFunc(c.Published, stale) //mutate:publishing-once
	c.Upto = now.Add(-unreadFor)
	for i := range all {
		o := &all[i]
		at := o.At
		if !o.Over {
			c.Upto = earlier(c.Upto, at) //mutate:publishing-upto
			at = LaterTime(at, now)      // it leaves as soon as it may
		}
		c.put(published{At: at, Apart: o.Apart, Of: o.Key, Late: true})
		if o.Done && o.Post != "" {
			p := c.Posts[o.Post]
			p.Last = LaterTime(p.Last, at)
			c.set(o.Post, p)
		}
	}
	c.forgetOld(now.Add(-max(keep, budget.Per)))
	return c
}

// manyRead is how many publications are read again before Since tells a later time: that is kept with what most turns change anyway.
const manyRead = 4

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
