package campaigns

import (
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Take returns what is remembered after a verdict. What is to be published counts from now on; Conclude corrects that once the result is
// known. For what waits for a person there is Prepare.
func Take(c *Campaign, m Memory, u Uses, v Verdict) (Memory, Uses) {
	m, u = m.clone(), u.clone()
	v.Slot.Minute, v.At = v.Slot.Minute.UTC(), v.At.UTC() // JSON has no seconds of a zone's offset
	e := Entry{Minute: v.Slot.Minute, At: v.At, Post: v.Post, Renew: v.Renew, Row: v.row, Why: v.Why.String()}
	if v.Item != nil {
		e.Item = v.Item.Key
		e.keepBefore(&m, &u, &v)
	}
	lifts := u.Lifts
	if takeInPlace(c, &m, &u, &v); !v.decides() {
		return m, u
	}
	// A plan takes for granted that the first renewal lifts its post; what is stored must not.
	u.Lifts = lifts // that is known when it was seen
	switch v.Kind {
	case Go, Asks:
		e.State = Going
	case Watched:
		e.State = Would
	default:
		e.State = Empty
	}
	if m.Book == nil {
		m.Book = Book{}
	}
	m.Book[v.Slot.ID] = e
	// Here, with each decision, since nothing else comes by: books would grow for ever.
	m.forgetOld(v.Slot.Minute)
	u.forgetOld(v.At.Add(-max(keep, c.Total.Per)))
	return m, u
}

// decides reports whether nothing is left to decide about the slot.
func (v *Verdict) decides() bool { return v.Kind != Needs && v.Kind != Wait && v.Kind != Booked }

// keepBefore keeps what is remembered before the slot is.
func (e *Entry) keepBefore(m *Memory, u *Uses, v *Verdict) {
	if p, known := u.Posts[v.key()]; known {
		e.Was = &p
	}
	if j := m.at(0, v.Item.Key); j >= 0 {
		e.Last = m.Items[j].Last
	}
}

// key is what the account remembers of what is published under.
func (v *Verdict) key() string {
	if v.Item.Found() {
		return PostKey(v.Post)
	}
	return v.Item.Key
}

// Learn returns the uses with what was read for a verdict. It is for a verdict with a Wake still to come, which is decided again then.
func Learn(u Uses, v Verdict) Uses {
	u = u.clone()
	v.teach(&u)
	return u
}

// teach remembers what was read.
func (v *Verdict) teach(u *Uses) {
	for i := range v.learnt {
		u.set(v.learnt[i].key, v.learnt[i].use)
	}
	for i := range v.Outs {
		p := u.Posts[v.Outs[i].Key]
		p.Out = &v.Outs[i].Out
		u.set(v.Outs[i].Key, p)
	}
}

// takeInPlace is Take in place, without the book: the plan needs none, since it comes to each slot once.
func takeInPlace(c *Campaign, m *Memory, u *Uses, v *Verdict) {
	if v.teach(u); !v.decides() {
		return
	}
	m.Upto = LaterTime(m.Upto, v.Slot.Minute)
	switch m.noteTurn(&v.turn, v.Slot.Minute); v.Kind {
	case Go, Asks:
		v.publish(c, m, u)
	case Watched:
		used := v.usedItem(c, m)
		used.Done++
		used.Last = v.At
	case Stops:
		m.Ended = &Note{At: v.Why.At, Why: v.Why.Name}
	default: // nothing is published
	}
}

// usedItem is what the campaign remembers of the item.
func (v *Verdict) usedItem(c *Campaign, m *Memory) *used {
	return m.changeItem(int(c.index[v.Item.Key]), v.Item.Key)
}

// publish counts a publication.
func (v *Verdict) publish(c *Campaign, m *Memory, u *Uses) {
	used := v.usedItem(c, m)
	used.Done++
	used.Last = v.At
	m.Whole++
	m.recent(v.At, c.Total.Per)
	u.put(published{At: v.At, Apart: c.KeepApart, Late: v.At.After(v.Slot.Minute)})
	if v.Renew && u.Lifts != No {
		u.Lifts = Yes
	}
	if v.Item.Found() && v.Post == 0 {
		return // it is not known yet which post it is
	}
	p := u.Posts[v.key()]
	p.Last, p.Reposted = v.At, c.Do == Repost
	u.set(v.key(), p)
	if words := c.wordsOf(v.Item.Key); words != "" {
		u.set(words, Use{Last: LaterTime(u.Posts[words].Last, v.At)})
	}
}

// recent adds a publication to those that a limit counts.
func (m *Memory) recent(at time.Time, per time.Duration) {
	old := at.Add(-max(per, keep))
	for len(m.Recent) > 0 && m.Recent[0].Before(old) {
		m.Recent = m.Recent[1:]
	}
	m.Recent = append(m.Recent, at)
}

// set remembers something of a post.
func (u *Uses) set(key string, p Use) {
	if u.Posts == nil {
		u.Posts = map[string]Use{}
	}
	u.Posts[key] = p
}

// Prepare returns the memory after a slot was shown to the people who approve it. Words is a hash of what they read of a post; "" for an own text.
func Prepare(m Memory, v Verdict, words string, now time.Time) Memory {
	if v.Item.Text != "" {
		words = TextKey(v.Item.Text)
	}
	m.Book = maps.Clone(m.Book)
	if m.Book == nil {
		m.Book = Book{}
	}
	m.Book[v.Slot.ID] = Entry{
		State: Prepared, Minute: v.Slot.Minute.UTC(), At: v.At.UTC(), Item: v.Item.Key, Post: v.Post, Renew: v.Renew, Words: words, Prepared: now, Until: v.Until.UTC(),
	}
	return m
}

// Withdraw returns the memory after what was prepared for a slot was taken back, since its slot is gone: see Orphans.
func Withdraw(m Memory, id SlotID) Memory {
	if m.Book[id].State == Prepared {
		m.Book = maps.Clone(m.Book)
		delete(m.Book, id)
	}
	return m
}

// Approve returns the memory after a person has approved what is prepared for a slot, or refused it. It counts from when they gave
// it. Without anything prepared, nothing changes.
func Approve(m Memory, id SlotID, by string, yes bool, given time.Time) Memory {
	e, is := m.Book[id]
	if !is || e.State != Prepared {
		return m
	}
	e.Approved, e.Refused, e.By = time.Time{}, given, by
	if yes {
		e.Approved, e.Refused = given, time.Time{}
	}
	m.Book = maps.Clone(m.Book)
	m.Book[id] = e
	return m
}

// Rule returns the memory after a person has decided about what is prepared for a slot. Where nobody decides, the deadline is a verdict of its own.
func Rule(m Memory, id SlotID, v event.Verdict) Memory {
	switch v.Ruling {
	case event.Released, event.Edited:
		return Approve(m, id, v.By, true, v.At)
	case event.Dropped:
		return Approve(m, id, v.By, false, v.At)
	default:
		return m
	}
}

// Conclusion is the result of the publication of a slot.
type Conclusion struct {
	Done   bool
	At     time.Time // when it left
	Why    string    // why it did not come about: as the platform, or the dispatcher, said
	Unseen bool      // not done, since the post was deleted, or is hidden: it is out for a week
	Off    bool      // not done, and the post is not reposted now: a renewal that could not be finished
	Lifts  Tri       // of a renewal: whether it was seen to lift the post
}

// Conclude returns what is remembered once the result of a slot is known. A publication that failed does not count; its post has had its
// turn all the same, unless it is to have the next slot. A publication keeps the distance with which it was decided, also when its
// campaign is gone or has another distance now. A slot that was not decided, or was concluded before, changes nothing.
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
			p.Last, used.Last = o.At, LaterTime(used.Last, o.At)
			u.set(key, p)
		}
		e.At = o.At
	} else {
		e.State, e.Why = Empty, o.Why
		e.giveBack(&m, &u, used, key, c.wordsOf(e.Item), latest) //mutate:slots-give-back
		if p = u.Posts[key]; o.Off {
			p.Reposted = false
			u.set(key, p)
		}
		if o.Unseen { //mutate:conclude-unseen
			p.Out = &Out{Why: Hidden, Seen: o.At, Until: o.At.Add(hiddenFor)}
			u.set(key, p)
		}
	}
	// It was kept for giveBack alone, and books are long.
	e.Was = nil
	m.Book[id] = e
	return m, u
}

// wordsOf is under what else a text is remembered that has an id; "" for nothing.
func (c *Campaign) wordsOf(key string) string {
	if i, there := c.index[key]; there {
		return c.words[i]
	}
	return ""
}

// inTime is how late a request may leave and its publication still count at the minute of its slot. Otherwise what is planned as
// close as it may be would always be a moment too close.
const inTime = time.Minute

// giveBack takes back what was counted.
func (e *Entry) giveBack(m *Memory, u *Uses, used *used, key, words string, latest bool) {
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
	if words != "" && u.Posts[words].Last.Equal(e.At) {
		u.set(words, Use{Last: p.Last})
	}
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
