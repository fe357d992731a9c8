package campaigns

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// Diff says what an edit changes of the slots to come. Each slot is in at most one of Moves, Removals, Empty, Added and Others.
type Diff struct {
	Moves    []Change // it comes at another minute
	Removals []Change // it is not there any more
	Empty    []Change // it stays empty, and would have been used
	Added    []Change // it is new
	Others   []Change // it is used for something else, or in another way
	Swaps    []Change // those of Others that get another item by an edit that does not only add
	Rewords  []Reword // texts that stay, in other words
	Voids    []Change // what is prepared for it changes, so that the approval, or the question for one, does not count any more
}

// Change is a slot before and after an edit. Was is nil for a new slot, Is for one that the edit removes.
type Change struct {
	Was, Is *Verdict
}

// Waits reports whether people have to see the edit before it is in force: what only adds, and a more careful status, need not be seen.
func (d *Diff) Waits() bool { return len(slices.Concat(d.awaited()...)) > 0 }

// awaited are the changes for which the edit waits.
func (d *Diff) awaited() [][]Change {
	return [][]Change{d.Moves, d.Removals, d.Empty, d.Swaps, d.Voids} //mutate:edit-swaps
}

// Concerned returns the ids of the campaigns for whose slots the edit waits.
func (d *Diff) Concerned() map[string]bool {
	ids := map[string]bool{}
	for _, c := range slices.Concat(d.awaited()...) {
		ids[c.Was.Slot.ID.Campaign] = true
	}
	return ids
}

// Until returns when the edit is to be looked at again: the last of the slots is over then for which it waits. Those that get another item may get the one
// that they had once the others are over.
func (d *Diff) Until() (until time.Time) {
	waited := slices.Concat(d.Moves, d.Removals, d.Empty, d.Voids)
	if len(waited) == 0 {
		waited = d.Swaps
	}
	for _, c := range waited {
		until = LaterTime(until, c.Was.Slot.Minute)
	}
	return until
}

// String says it in a line: moves 6, removes 2, leaves 3 empty.
func (d *Diff) String() string {
	var parts []string
	for _, p := range []struct {
		does string
		n    int
		more string
	}{
		{"moves", len(d.Moves), ""},
		{"removes", len(d.Removals), ""},
		{"leaves", len(d.Empty), " empty"},
		{"voids", len(d.Voids), " prepared"},
		{"adds", len(d.Added), ""},
		{"uses", len(d.Others), " otherwise"},
		{"rewords", len(d.Rewords), ""},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d%s", p.does, p.n, p.more))
		}
	}
	if parts == nil {
		return "changes no slot"
	}
	return strings.Join(parts, ", ")
}

// Edited returns the account after other campaigns have come into force in the place of its own: those that are in both go on,
// the others are retired. The account itself is not changed.
func (a *Account) Edited(next []*Campaign, now time.Time) Account {
	now = a.AccountFacts.TrueTime(now)
	b := *a
	b.Campaigns, b.Memories = slices.Clone(next), make(map[string]Memory, len(a.Memories))
	b.AccountFacts.Withheld = nil
	maps.Copy(b.Memories, a.Memories)
	for _, c := range a.Campaigns {
		if ByID(next, c.ID) == nil {
			b.Memories[c.ID] = Retire(b.Memories[c.ID], now)
		}
	}
	for _, c := range next {
		if was := ByID(a.Campaigns, c.ID); was != nil {
			b.keepTexts(c.ID, was.pairTexts(c, a.TextsAsNew))
		}
		b.Memories[c.ID] = Revise(c, b.Memories[c.ID], now)
	}
	return b
}

// rewords returns the texts that an edit puts into other words.
func (a *Account) rewords(next []*Campaign) (all []Reword) {
	for _, c := range next {
		was := ByID(a.Campaigns, c.ID)
		if was == nil {
			continue
		}
		for _, p := range was.pairTexts(c, a.TextsAsNew) {
			if p.was.Text != p.is.Text {
				all = append(all, Reword{c.ID, p.was, p.is, p.is.hasID(), !isCorrected(p.was.Text, p.is.Text)})
			}
		}
	}
	return all
}

// Withhold lets nothing come of the items that an edit which waits takes out of campaigns that stay: neither what it takes out, nor what it puts in their
// place. Their slots stay empty until people have decided. Without next, no edit waits.
func (a *Account) Withhold(next []*Campaign) {
	a.AccountFacts.Withheld = nil
	for _, c := range a.Campaigns {
		n := ByID(next, c.ID)
		if n == nil {
			continue
		}
		for i := range c.Items {
			if n.hasItem(&c.Items[i]) {
				continue
			}
			if a.AccountFacts.Withheld == nil {
				a.AccountFacts.Withheld = map[string]bool{}
			}
			a.AccountFacts.Withheld[withheldKey(c, &c.Items[i])] = true
		}
	}
}

// hasItem reports whether people see an item in the campaign.
func (c *Campaign) hasItem(it *Item) bool {
	if i, there := c.index[it.Key]; there && c.Items[i].isSame(it) {
		return true
	}
	return it.Text != "" && slices.ContainsFunc(c.Items, func(other Item) bool { return it.isSame(&other) })
}

// Careful returns campaigns with the status that next has, where that is more careful: it is in force at once, also while the rest of an
// edit waits. lower are those that it changes.
func Careful(all, next []*Campaign) (now, lower []*Campaign) {
	now = slices.Clone(all)
	for i, c := range all {
		n := ByID(next, c.ID)
		if n == nil {
			continue
		}
		if low, changed := c.AtMost(n); changed {
			now[i], lower = low, append(lower, low)
		}
	}
	return now, lower
}

// How far ahead an edit is looked at: a year, and to the end of what ends in the years after.
const (
	diffReach = 366 * 24 * time.Hour
	mostReach = 4 * diffReach
)

// Difference says what the campaigns change that would come into force now in the place of the account's own. Slots that lie more
// than a year ahead count as far as their campaign ends within four.
func Difference(a *Account, next []*Campaign, now time.Time) Diff {
	was := *a
	was.AccountFacts.Withheld = nil // what the edit would change is what it waits for
	b := a.Edited(next, now)
	to := now.Add(diffReach)
	for _, all := range [][]*Campaign{a.Campaigns, next} {
		for _, c := range all {
			if c.Ends != (text.Day{}) {
				to = LaterTime(to, c.Ends.At(0, c.Zone).AddDate(0, 0, 3))
			}
		}
	}
	if most := now.Add(mostReach); to.After(most) {
		to = most
	}
	df := differ{was: map[SlotID]*Verdict{}, Diff: Diff{Rewords: a.rewords(next)}}
	for v := range Plan(&was, now, time.Time{}, to) {
		// What is prepared is looked at also where nothing would come: to take that away is to void what somebody has approved.
		if v.counts() || v.Held {
			df.was[v.Slot.ID] = &v
		}
	}
	for v := range Plan(&b, now, time.Time{}, to) {
		df.is(&v)
	}
	d := df.pairChanges()
	if len(d.Swaps) > 0 && onlyAdds(a.Campaigns, next) {
		d.Swaps = nil
	}
	return d
}

// counts reports whether a slot that is not there any more is missed: it would be used, or is empty as people wished for now.
func (v *Verdict) counts() bool {
	switch v.Kind {
	case Go, Asks, Watched:
		return true
	case Skip:
		return v.Why.Code == OnPause || v.Why.Code == SkippedBy
	default:
		return false
	}
}

// used reports whether something comes in the slot, or would.
func (v *Verdict) comes() bool { return v.Kind.Publishes() || v.Kind == Watched }

// differ compares two plans.
type differ struct {
	Diff
	was  map[SlotID]*Verdict // slots that were not found again yet
	come []*Verdict          // that were not there before
}

// is takes a slot of the new plan.
func (d *differ) is(v *Verdict) {
	was, there := d.was[v.Slot.ID]
	switch {
	// It is decided, and no edit changes it.
	case v.Kind == Booked:
		delete(d.was, v.Slot.ID)
	case !there:
		if v.counts() {
			d.come = append(d.come, v)
		}
	default:
		delete(d.was, v.Slot.ID)
		d.both(was, v)
	}
}

// both compares a slot before and after.
func (d *differ) both(was, is *Verdict) {
	c := Change{was, is}
	if was.Held && (!is.Held || is.Void.Code != "" || !is.Slot.Minute.Equal(was.Slot.Minute)) { //mutate:edit-voids
		d.Voids = append(d.Voids, c)
	}
	switch {
	case !was.counts():
	case !is.Slot.Minute.Equal(was.Slot.Minute):
		d.Moves = append(d.Moves, c)
	case was.comes() && !is.comes():
		d.Empty = append(d.Empty, c)
	case was.comes() && (was.Post != is.Post || was.Renew != is.Renew || !was.Item.isSame(is.Item) || was.Kind != is.Kind):
		d.Others = append(d.Others, c)
		if !was.Item.isSame(is.Item) { //mutate:text-waits
			d.Swaps = append(d.Swaps, c)
		}
	case !was.comes() && is.comes():
		d.Added = append(d.Added, c)
	}
}

// pairChanges pairs what is gone of each day with what has come to it, in their order, and returns what has changed.
func (d *differ) pairChanges() Diff {
	type day struct {
		campaign string
		day      text.Day
	}
	come := map[day][]*Verdict{}
	for _, v := range d.come {
		on := day{v.Slot.ID.Campaign, v.Slot.ID.Day}
		come[on] = append(come[on], v)
	}
	var gone []*Verdict
	for _, v := range d.was {
		gone = append(gone, v)
	}
	order := func(x, y *Verdict) int {
		if at := x.Slot.Minute.Compare(y.Slot.Minute); at != 0 {
			return at
		}
		return strings.Compare(x.Slot.ID.String(), y.Slot.ID.String())
	}
	slices.SortFunc(gone, order)
	for _, was := range gone {
		on := day{was.Slot.ID.Campaign, was.Slot.ID.Day}
		c := Change{Was: was}
		if was.Held {
			d.Voids = append(d.Voids, c)
		}
		switch {
		case !was.counts():
			continue
		case len(come[on]) > 0: //mutate:edit-pairs
			// Paired in the order of the day, as Revise pairs them, so that the moves which are shown are those that will happen.
			c.Is, come[on] = come[on][0], come[on][1:]
			d.Moves = append(d.Moves, c)
		default:
			d.Removals = append(d.Removals, c)
		}
	}
	for _, v := range d.come {
		if on := (day{v.Slot.ID.Campaign, v.Slot.ID.Day}); slices.Contains(come[on], v) {
			d.Added = append(d.Added, Change{Is: v})
		}
	}
	return d.Diff
}

// AtMost returns the campaign as it is, with the status of another one, as its file has it now, where that is more careful, and those of
// its posts; false when none is.
func (c *Campaign) AtMost(now *Campaign) (*Campaign, bool) {
	lower := *c
	lower.Status, lower.Items = c.Status.atMost(now.Status), slices.Clone(c.Items)
	changed := lower.Status != c.Status
	for i := range lower.Items {
		it := &lower.Items[i]
		if j, there := now.index[it.Key]; there {
			status := it.Status.atMost(now.Items[j].Status)
			it.Status, changed = status, changed || status != it.Status
		}
	}
	if !changed {
		return c, false
	}
	ready, err := New(lower)
	if err != nil { // it was ready before
		return c, false
	}
	return ready, true
}
