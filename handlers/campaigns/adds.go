package campaigns

import (
	"bytes"

	"github.com/nectar-bot/nectar/handlers/text"
)

// onlyAdds reports whether an edit only adds: campaigns, items, slots, days, or turns. Later slots may get another item by it.
func onlyAdds(all, next []*Campaign) bool {
	for _, c := range all {
		if n := ByID(next, c.ID); n == nil || !c.growsTo(n) {
			return false
		}
	}
	return true
}

// growsTo reports whether another edition of the campaign has all that it has, and says nothing else but how careful it is, and who is told.
func (c *Campaign) growsTo(next *Campaign) bool {
	if !isPart(c.Lines, next.Lines, func(a, b Line) bool { return a == b }) || !isPart(c.Items, next.Items, Item.isAgain) {
		return false
	}
	if !isMore(c.Each, next.Each) || !isMore(c.Whole, next.Whole) || !isMore(c.StopAfter, next.StopAfter) {
		return false
	}
	if next.Ends != (text.Day{}) && (c.Ends == (text.Day{}) || isBefore(next.Ends, c.Ends)) {
		return false
	}
	same := *next
	same.Lines, same.Items, same.Each, same.Whole, same.StopAfter, same.Ends = c.Lines, c.Items, c.Each, c.Whole, c.StopAfter, c.Ends
	same.Name, same.Status, same.Team, same.AtLeast, same.Report, same.Stop, same.Drafts = c.Name, c.Status, c.Team, c.AtLeast, c.Report, c.Stop, c.Drafts
	was, err := Encode(c)
	is, wrong := Encode(&same)
	return err == nil && wrong == nil && bytes.Equal(was, is)
}

// isAgain reports whether it is the same item, however careful.
func (i Item) isAgain(other Item) bool {
	other.Status, other.Platform = i.Status, i.Platform
	return i == other
}

// isMore reports whether a number of times, where 0 is as often as there are slots, is not lower than before.
func isMore(was, is int) bool { return is == 0 || was > 0 && is >= was }

// isPart reports whether all of some stand among others, in the same order.
func isPart[T any](some, others []T, same func(a, b T) bool) bool {
	for _, o := range others {
		if len(some) > 0 && same(some[0], o) {
			some = some[1:]
		}
	}
	return len(some) == 0
}
