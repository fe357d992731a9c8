package campaigns

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// Conclusion is what became of what a slot published.
type Conclusion struct {
	Done  bool
	At    time.Time // when it left
	Why   string    // why it did not come about: as the platform, or the dispatcher, said
	Off   bool      // not done, and the post is not reposted now: a renewal that could not be finished
	Lifts Tri       // of a renewal: whether it was seen to lift the post
}

// Conclude returns what is remembered once it is known what became of a slot. What did not come about is given back; the turn of its
// post is over all the same, unless it is to have the next slot. What was decided keeps the distance that it was decided with, also when
// its campaign is gone or keeps another one now. A slot that was not decided, or was concluded before, changes nothing.
func Conclude(c *Campaign, m Memory, u Uses, id SlotID, o Conclusion) (Memory, Uses) {
	e, is := m.Book[id]
	// What became of an action may be told twice, over a crash. The second time changes nothing.
	if !is || e.State != Going {
		return m, u
	}
	m, u = m.clone(), u.clone()
	if o.Lifts != Unknown {
		u.Lifts = o.Lifts
	}
	key := e.Item
	if e.Post != 0 {
		key = PostKey(e.Post)
	}
	used := m.changeItem(int(c.index[e.Item]), e.Item)
	apart := c.KeepApart
	// Out of its place, at which it was counted when it was decided, and below in again where it has really left.
	if p, counted := u.takePublication(e.At); counted {
		apart = p.Apart //mutate:conclude-apart
	}
	m.Recent = slices.DeleteFunc(m.Recent, e.At.Equal)
	p, latest := u.Posts[key], u.Posts[key].Last.Equal(e.At)
	if late := o.At.Sub(e.At); late > 0 && late < inTime {
		o.At = e.At //mutate:publishing-in-time
	}
	if o.Done {
		e.State = Done
		u.put(published{At: o.At, Apart: apart, Late: o.At.After(e.Minute)}) //mutate:conclude-late
		m.Recent = append(m.Recent, o.At)
		slices.SortFunc(m.Recent, time.Time.Compare)
		if latest {
			p.Last, used.Last = o.At, laterTime(used.Last, o.At)
			u.set(key, p)
		}
		e.At = o.At
	} else {
		e.State, e.Why = Empty, o.Why
		e.giveBack(&m, &u, used, key, latest) //mutate:slots-give-back
		if o.Off {
			p = u.Posts[key]
			p.Reposted = false
			u.set(key, p)
		}
	}
	// It was kept for giveBack alone, and books are long.
	e.Was = nil
	m.Book[id] = e
	return m, u
}

// inTime is how late a request may leave whose publication counts at the minute of its slot. Otherwise what is planned as close
// as it may be would always be a moment too close.
const inTime = time.Minute

// giveBack takes back what was counted.
func (e *Entry) giveBack(m *Memory, u *Uses, used *used, key string, latest bool) {
	m.Whole--
	used.Done--
	if !latest {
		return
	}
	used.Last = e.Last
	p := u.Posts[key]
	p.Last, p.Reposted = time.Time{}, false
	if e.Was != nil {
		p.Last, p.Reposted = e.Was.Last, e.Was.Reposted
	}
	u.set(key, p)
}

// ByHand returns the uses after a person has published something by hand. What is known already changes nothing.
func (u *Uses) ByHand(at time.Time, budget text.Limit) Uses {
	if slices.ContainsFunc(u.Published, func(p published) bool { return p.Hand && p.At.Equal(at) }) {
		// Pages are read again and again, and each time they show the same one.
		return *u
	}
	c := u.clone()
	c.put(published{At: at.UTC(), Late: true, Hand: true})
	c.forgetOld(at.Add(-max(keep, budget.Per)))
	return c
}
