package campaigns

import (
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// choice is what may be published of an item.
type choice struct {
	post  platform.PostID
	renew bool
}

// chooseItem finds what is published. It sets the verdict's Kind when that is nothing, or not known yet.
func (d *decider) chooseItem() {
	c := d.Campaign
	if own := c.Lines[d.Slot.Line].Own; own != "" {
		d.ownPost(c.index[own])
		return
	}
	var buf [24]candidate
	list := d.orderedCandidates(buf[:0])
	if len(d.Memory.Book) > 0 && d.bound(list) { //mutate:slots-bound
		return
	}
	fallback := -1
	for n, k := range list {
		if c.Items[k.item].Key == d.Memory.Last && len(list) > 1 {
			// Kept in mind and not taken: an empty slot would be worse than the same post again.
			fallback = n // the same post not twice in a row, as long as another may come
			continue
		}
		if d.takeCandidate(list, n) || d.v.Kind != "" {
			if fallback >= 0 {
				d.v.Others = append(d.v.Others, d.passedOver(list[fallback].item))
			}
			return
		}
	}
	if fallback >= 0 && (d.takeCandidate(list, fallback) || d.v.Kind != "") {
		return
	}
	d.v.Kind, d.v.Why = Skip, Why{Code: NoPost}
	if d.lost.Code != "" {
		d.v.Why = d.lost
	}
}

// passedOver says why the item does not come that had the turn before.
func (d *decider) passedOver(i int32) Other {
	item, why := &d.Campaign.Items[i], Why{Code: Again}
	if u := d.Memory.usedItem(int(i), item.Key); u.Last.Before(u.Turn) {
		why.Code = HadTurn
	}
	return Other{item, why}
}

// takeCandidate gives the slot to the n-th candidate, if that may come.
func (d *decider) takeCandidate(list []candidate, n int) bool {
	i := list[n].item
	what, why := d.mayCome(i)
	switch {
	case d.v.Kind != "": // it is not known yet, or the campaign ends
		return false
	case why.Code == Nothing: // the slot was that of what is found, and of no other kind of post
		d.noteTurn(list, n)
		d.give(i, what)
		d.skip(why)
		return true
	case why.Code != "":
		d.v.Others = append(d.v.Others, Other{&d.Campaign.Items[i], why})
		return false
	}
	d.noteTurn(list, n)
	d.give(i, what)
	return true
}

// mayComeLater reports whether an item that was passed over may come later, so that it is owed its turn.
func (d *decider) mayComeLater(i int32) bool {
	item := &d.Campaign.Items[i]
	if item.Key == d.Memory.Last && d.Campaign.Turn != Shuffle { //mutate:slots-seam
		return false
	}
	for _, o := range d.v.Others {
		if o.Item == item {
			return o.Why.temporary()
		}
	}
	_, why := d.mayPlan(i)
	return why.Code == "" || why.temporary()
}

// temporary reports whether an item that may not come now is first the next time. Others have to be let in by somebody.
func (w Why) temporary() bool {
	return w.Code == NotBefore || w.Code == TooSoon || w.Code == PostHidden || w.Code == Unconcluded
}

// give puts an item into the verdict.
func (d *decider) give(i int32, what choice) {
	item := &d.Campaign.Items[i]
	d.v.Item, d.v.Post, d.v.Renew = item, what.post, what.renew
	if f, read := d.fact(what.post); read {
		d.v.row = f.Row
	}
	d.v.Nth = d.Memory.usedItem(int(i), item.Key).Done + 1
}

// ownPost decides a slot that has its own post or text: nothing else comes in its place.
func (d *decider) ownPost(i int32) {
	what, why := d.mayCome(i)
	switch {
	case d.v.Kind != "":
	case why.Code != "":
		d.v.Others = append(d.v.Others, Other{&d.Campaign.Items[i], why})
		d.v.Kind, d.v.Why = Skip, Why{Code: NoPost}
	default:
		d.give(i, what)
		d.holds(i, what)
	}
}

// bound decides a slot for which something is prepared: that comes, or nothing. It returns false when what is prepared counts no
// more.
func (d *decider) bound(list []candidate) bool {
	e, is := d.Memory.Book[d.Slot.ID]
	if !is {
		return false
	}
	i, there := d.Campaign.index[e.Item]
	n := -1
	for k := range list {
		if there && list[k].item == i {
			n = k
		}
	}
	if n < 0 {
		d.v.Void = Why{Code: NotThere, Name: nameOf(&e)}
		return false
	}
	item := &d.Campaign.Items[i]
	what, why := d.mayCome(i)
	if d.v.Kind != "" {
		return true
	}
	d.noteTurn(list, n)
	d.give(i, what)
	switch {
	// The slot stays empty in any case. What is prepared keeps its turn, and is not void for a reason of the minute.
	case d.lost.Code != "":
	case why.Code != "":
		d.v.Others = append(d.v.Others, Other{item, why})
		d.skip(Why{Code: Bound, Name: item.Name(), Cause: &why})
	default:
		d.holds(i, what)
	}
	return true
}

// holds checks whether what was prepared is still what would be published now.
func (d *decider) holds(i int32, what choice) {
	e, is := d.Memory.Book[d.Slot.ID]
	item := &d.Campaign.Items[i]
	switch {
	case !is:
	case e.Item != item.Key:
		d.v.Void = Why{Code: NotThere, Name: nameOf(&e)}
	case item.Text != "" && e.Words != "" && e.Words != TextKey(item.Text): //mutate:text-void
		d.v.Void = Why{Code: OtherWords}
	case !e.Minute.Equal(d.Slot.Minute): //mutate:slots-void-minute
		d.v.Void = Why{Code: OtherMinute, At: d.inZone(d.Slot.Minute)}
	case !d.Now.After(e.At) && d.v.At.Sub(e.At).Abs() > tolerance:
		d.v.Void = Why{Code: OtherMinute, At: d.v.At}
	case e.Renew != what.renew: //mutate:slots-void-way
		d.v.Void = Why{Code: OtherWay}
	default:
		d.v.Held = true
		if f, read := d.fact(what.post); read && e.Words != "" && f.Words != "" && e.Words != f.Words && d.rely {
			d.skip(Why{Code: Reworded, Name: item.Name()})
		}
	}
}

func (d *decider) fact(post platform.PostID) (PostFact, bool) {
	if d.Facts == nil || post == 0 {
		return PostFact{}, false
	}
	f, read := d.Facts.Posts[post]
	return f, read
}

func nameOf(e *Entry) string {
	if e.Post != 0 {
		return (&Item{Post: e.Post}).Name()
	}
	return "what was shown"
}

// isBefore reports whether a day comes before another one.
func isBefore(a, b text.Day) bool {
	return a.Year != b.Year && a.Year < b.Year || a.Year == b.Year && (a.Month < b.Month || a.Month == b.Month && a.Day < b.Day)
}
