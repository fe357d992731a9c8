package store

import (
	"errors"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// errAbove says that a row stands above all cursors of its source, and so above what is believed of its ids: nothing
// else tells that it was handled, and a low-water mark that high would hide all that comes.
var errAbove = errors.New("it stands above all cursors")

// pass raises a low-water mark to the number of what is to be deleted, or tells that it stands too high for that.
func (a *applier) pass(r *rowKey, source event.Source, number int64) error {
	cursors := source
	if source == ownMessages {
		cursors = event.Messages
	}
	k := lowWaterKey{event.Account(r.account), cursors}
	top, known := a.keep.tops[k]
	if !known {
		l := &a.lookTop
		if _, err := l.int(r.shard).str(r.account).int(int64(cursors)).each(func() { top = l.number(0) }); err != nil {
			return err
		}
		if a.keep.tops == nil {
			a.keep.tops = map[lowWaterKey]int64{}
		}
		a.keep.tops[k] = top
	}
	if top > 0 && number > top { //mutate:low-water-above
		return errAbove
	}
	return a.lift(r, source, number)
}

// putBack lowers the low-water marks of a source whose own cursor was set back: what is above has not been handled.
func (a *applier) putBack(c *record.Cursor) error {
	if !c.Back || c.Peer != 0 {
		return nil
	}
	sources := []event.Source{c.Source}
	if c.Source == event.Messages {
		sources = append(sources, ownMessages)
	}
	for _, source := range sources {
		k := lowWaterKey{c.Account, source}
		if a.keep.lowWaters[k] <= c.ID {
			continue
		}
		a.keep.lowWaters[k], a.keep.lifted = c.ID, true
		if err := a.lower.int(c.ID).key(c.Account).int(int64(source)).do(); err != nil {
			return err
		}
	}
	return nil
}
