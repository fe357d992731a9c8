package store

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// cursorKey are those that tell how high the numbers of what a row passes are believed.
func (r *keptRow) cursorKey() lowWaterKey {
	source := r.mark
	if source == ownMessages {
		source = event.Messages
	}
	return lowWaterKey{event.Account(r.account), source}
}

// raiseLowWater raises the low-water marks to the numbers of what is to be deleted, each once, and returns the rows that may be. What stands above
// all cursors of its source, and so above what is believed of its ids, stays: nothing else tells that it was handled, and a low-water
// mark that high would hide all that comes.
func (a *applier) raiseLowWater(rows []keptRow) ([]keptRow, error) {
	if err := a.readTops(rows); err != nil {
		return nil, err
	}
	may := rows[:0]
	var raised []keptRow
	at := map[lowWaterKey]int{} // in raised
	for i := range rows {
		r := rows[i]
		top := a.keep.tops[r.cursorKey()]
		if top > 0 && r.passes > top { //mutate:low-water-above
			continue
		}
		may = append(may, r)
		k := lowWaterKey{event.Account(r.account), r.mark}
		if r.passes <= a.keep.lowWaters[k] {
			continue
		}
		a.keep.lowWaters[k], a.keep.lifted = r.passes, true
		if n, again := at[k]; again {
			raised[n] = r
			continue
		}
		at[k] = len(raised)
		raised = append(raised, r)
	}
	if len(raised) == 0 {
		return may, nil
	}
	return may, a.way.raiseTo(raised)
}

// readTops reads the highest cursor of each source that rows are of, as far as this round does not know it.
func (a *applier) readTops(rows []keptRow) error {
	var ask []keptRow
	if a.keep.tops == nil {
		a.keep.tops = map[lowWaterKey]int64{}
	}
	for i := range rows {
		r := &rows[i]
		k := r.cursorKey()
		if _, known := a.keep.tops[k]; !known && r.passes > 0 {
			a.keep.tops[k] = 0
			ask = append(ask, *r)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	return a.way.askTops(ask, func(account string, source, number int64) {
		a.keep.tops[lowWaterKey{event.Account(account), event.Source(source)}] = number
	})
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
