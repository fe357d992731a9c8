package replay

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/platform"
)

// comparison lets a recording happen again by two versions of rules at once, and reports how each exchange ends by the
// second one, with what the first one does in the place of what was done. By the same rules everything ends alike.
type comparison struct {
	sides  [2]compared
	report func(*Exchange)
	count  ReplayCount
}

// compared is one side of a comparison.
type compared struct {
	replay *player
	last   map[platform.UserID]event.ID // the last exchange of each person, by its first event
	alone  map[exchangeKey]*Exchange    // exchanges without a counterpart on the other side yet
}

// exchangeKey finds the exchange of the other side: that which begins with the same event, or what comes of the silence
// after it.
type exchangeKey struct {
	peer    platform.UserID
	event   event.ID
	silence int // of several
}

// newComparison returns a comparison of what v does with what base does.
func newComparison(base, v *rules.Version, report func(*Exchange)) *comparison {
	c := &comparison{report: report}
	for i, version := range []*rules.Version{base, v} {
		side := &c.sides[i]
		side.last, side.alone = map[platform.UserID]event.ID{}, map[exchangeKey]*Exchange{}
		side.replay = newPlayer(version, func(x *Exchange) { c.meet(i, x) })
	}
	return c
}

// Edited implements Replay.
func (c *comparison) Edited(keys map[string]bool) {
	for i := range c.sides {
		c.sides[i].replay.Edited(keys)
	}
}

// Add implements Replay.
func (c *comparison) Add(recorded record.Recorded) error {
	for i := range c.sides {
		if err := c.sides[i].replay.Add(recorded); err != nil {
			return err
		}
	}
	return nil
}

// End implements Replay.
func (c *comparison) End() {
	for i := range c.sides {
		c.sides[i].replay.End()
	}
	for _, x := range c.sides[0].alone {
		c.tellEnd(x, nil)
	}
	for _, x := range c.sides[1].alone {
		c.tellEnd(nil, x)
	}
}

// Count implements Replay. What was left out is what the second version left out.
func (c *comparison) Count() ReplayCount {
	n, of := c.count, c.sides[1].replay.Count()
	n.Events, n.People, n.Owned, n.Others, n.Begun, n.Unread, n.Failed = of.Events, of.People, of.Owned, of.Others, of.Begun, of.Unread, of.Failed
	return n
}

// meet takes an exchange of one side, and compares it with that of the other, when it is there.
func (c *comparison) meet(i int, x *Exchange) {
	side, other := &c.sides[i], &c.sides[1-i]
	key := exchangeKey{peer: x.Peer}
	if len(x.Events) > 0 {
		side.last[x.Peer] = x.Events[0].ID
	} else {
		key.silence = 1
	}
	key.event = side.last[x.Peer]
	for key.silence > 0 && side.alone[key] != nil {
		key.silence++
	}
	with := other.alone[key]
	if with == nil {
		side.alone[key] = x
		return
	}
	delete(other.alone, key)
	if i == 0 {
		c.tellEnd(x, with)
	} else {
		c.tellEnd(with, x)
	}
}

// tellEnd reports how an exchange of the first version ends by the second; nil where there is none.
func (c *comparison) tellEnd(base, x *Exchange) {
	var y Exchange
	if x != nil {
		y = *x
	} else {
		y = *base
		y.Now, y.RuleNow, y.ReasonNow = nil, "", "it is answered with what comes next, or before"
	}
	y.Then, y.RuleThen, y.ReasonThen = nil, "", ""
	if base != nil {
		y.Then, y.RuleThen, y.ReasonThen, y.private = base.Now, base.RuleNow, base.ReasonNow, y.private || base.private
	}
	y.compare()
	c.count.add(&y)
	c.report(&y)
}
