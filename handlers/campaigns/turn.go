package campaigns

import (
	"cmp"
	"slices"
	"time"
)

// turn says which item comes next after a slot. The zero value changes nothing.
type turn struct {
	key   string // the Key of the item that had its turn; "" for none
	item  int32
	turns int // its Used.Turns
	place string
	round int
	owed  []string
}

// candidate is an item that may take a slot.
type candidate struct {
	item int32
	from from
}

// from is why an item is where it is in the order of candidates.
type from uint8

const (
	owed      from = iota // it was passed over
	thisRound             // it comes in this round
	nextRound             // it was there in this round
)

// orderedCandidates returns the items in the order in which they are looked at for the next slot.
func (d *decider) orderedCandidates(list []candidate) []candidate {
	if d.Campaign.Turn == LeastUsed {
		return d.leastUsed(list)
	}
	// A post that was passed over comes first. Otherwise one that is often too close to others would never have its turn.
	for _, key := range d.Memory.Owed {
		if i, known := d.Campaign.index[key]; known && !d.Campaign.Items[i].Only {
			list = append(list, candidate{i, owed})
		}
	}
	if d.Campaign.Turn == Shuffle {
		return d.shuffled(list)
	}
	place := int32(-1)
	if i, known := d.Campaign.index[d.Memory.Place]; known {
		place = i
	}
	// From behind the last one on, and then from the beginning: where the order stands is a name, so it holds when an edit adds or removes posts.
	for n := range int32(d.Campaign.turns) {
		i := (place + 1 + n) % int32(d.Campaign.turns)
		if f := thisRound; !owes(list, i) {
			if i <= place {
				f = nextRound
			}
			list = append(list, candidate{i, f})
		}
	}
	return list
}

func owes(list []candidate, i int32) bool {
	return slices.ContainsFunc(list, func(c candidate) bool { return c.item == i && c.from == owed })
}

// shuffled adds what is left of this round, and the next one.
func (d *decider) shuffled(list []candidate) []candidate {
	c, m := d.Campaign, d.Memory
	this := d.permutation(m.Round)
	place := 0
	if m.Place != "" {
		place = slices.IndexFunc(this, func(i int32) bool { return c.Items[i].Key == m.Place }) + 1
	}
	if m.Place != "" && place == 0 { // it is not there any more: what would have come behind it comes
		drawn := m.Place
		if j := m.at(0, m.Place); j >= 0 {
			drawn = cmp.Or(m.Items[j].Drawn, drawn)
		}
		at := mixBits(c.draw(drawn) ^ mixBits(uint64(m.Round)))
		for place < len(this) && d.drawn(this[place], m.Round) < at {
			place++
		}
	}
	first := len(list)
	for _, i := range this[place:] {
		if !owes(list[:first], i) {
			list = append(list, candidate{i, thisRound})
		}
	}
	for _, i := range d.permutation(m.Round + 1) {
		if !slices.ContainsFunc(list, func(c candidate) bool { return c.item == i }) {
			list = append(list, candidate{i, nextRound})
		}
	}
	return list
}

// permutation is the order of a round. When items are added or removed, the others keep their order. It may begin with the item with which
// the round before ended: that is passed over then, and owed its turn.
func (d *decider) permutation(round int) []int32 {
	all := make([]int32, d.Campaign.turns)
	for i := range all {
		all[i] = int32(i)
	}
	if len(all) == 2 {
		round = 0 // any other order would have one of them twice in a row
	}
	slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(d.drawn(a, round), d.drawn(b, round)) })
	return all
}

// drawn is where an item comes in a round.
func (d *decider) drawn(i int32, round int) uint64 {
	c, m, draw := d.Campaign, d.Memory, d.Campaign.draws[i]
	if j := m.at(int(i), c.Items[i].Key); j >= 0 && m.Items[j].Drawn != "" { //mutate:text-drawn
		draw = c.draw(m.Items[j].Drawn)
	}
	return mixBits(draw ^ mixBits(uint64(round)))
}

// leastUsed returns the items, the least used first.
func (d *decider) leastUsed(list []candidate) []candidate {
	m, most := d.Memory, 0
	for i := range d.Campaign.turns {
		list = append(list, candidate{int32(i), thisRound})
		most = max(most, m.usedItem(i, d.Campaign.Items[i].Key).Turns)
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		x, y := m.usedItem(int(a.item), d.Campaign.Items[a.item].Key), m.usedItem(int(b.item), d.Campaign.Items[b.item].Key)
		return cmp.Or(cmp.Compare(max(x.Turns, most-1), max(y.Turns, most-1)), x.Turn.Compare(y.Turn))
	})
	return list
}

// rounds counts in how many rounds the item that used least has had its turn: what it missed counts as had.
func (d *decider) rounds(i int32) int {
	most := 0
	for j := range d.Campaign.turns {
		most = max(most, d.Memory.usedItem(j, d.Campaign.Items[j].Key).Turns)
	}
	return max(d.Memory.usedItem(int(i), d.Campaign.Items[i].Key).Turns, most-1)
}

// noteTurn says that the n-th candidate has its turn, and that those before it that may come later are owed theirs.
func (d *decider) noteTurn(list []candidate, n int) {
	m, picked := d.Memory, list[n]
	key := d.Campaign.Items[picked.item].Key
	t := turn{key: key, item: picked.item, place: m.Place, round: m.Round, owed: m.Owed}
	if d.Campaign.Turn == LeastUsed {
		t.turns = d.rounds(picked.item) + 1
		d.v.turn = t
		return
	}
	if picked.from != owed {
		t.place = key //mutate:slots-place
		if picked.from == nextRound {
			t.round++
		}
	}
	t.owed = d.owe(list[:n], picked)
	d.v.turn = t
}

// owe returns the posts that come first the next time: those that were owed before, without the one that has its turn, and those that are passed over now.
func (d *decider) owe(passed []candidate, picked candidate) []string {
	var fresh []string
	for _, p := range passed {
		if p.from != owed && d.mayComeLater(p.item) {
			fresh = append(fresh, d.Campaign.Items[p.item].Key)
		}
	}
	if fresh == nil && picked.from != owed {
		return d.Memory.Owed
	}
	key := d.Campaign.Items[picked.item].Key
	all := slices.DeleteFunc(slices.Clone(d.Memory.Owed), func(k string) bool { return k == key })
	return append(all, fresh...) //mutate:slots-owed
}

// noteTurn notes which item comes next.
func (m *Memory) noteTurn(t *turn, slot time.Time) {
	if t.key == "" {
		return
	}
	u := m.changeItem(int(t.item), t.key)
	u.Turns, u.Turn = max(u.Turns, t.turns), slot
	m.Last, m.Place, m.Round, m.Owed = t.key, t.place, t.round, t.owed
}
