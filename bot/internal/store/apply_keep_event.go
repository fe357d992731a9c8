package store

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// keepEvents deletes old events that were handled, but for the highest of each source.
func (a *applier) keepEvents(limit int) (int, error) {
	rows, err := a.lookAtEvents(limit)
	var old []keptRow
	for i := range rows {
		r := &rows[i]
		if err != nil || r.state != record.EventHandled || r.ended >= a.keep.cutoff.UnixMicro() { //mutate:old-events
			continue
		}
		last := len(rows) < limit && i == len(rows)-1
		if i < len(rows)-1 {
			next := &rows[i+1]
			last = next.shard != r.shard || next.account != r.account || next.source != r.source
		} else if !last {
			continue // the next bite begins with it, and sees what is behind it
		}
		source := event.Source(r.source)
		r.id = event.ID{Source: source, Number: r.number}.String()
		// Numbers without an order do not come again.
		r.last = last && source.HasOrder()
		if source.HasOrder() && !last { //mutate:lift
			r.mark, r.passes = source, r.number
		}
		old = append(old, *r)
	}
	if err == nil {
		old, err = a.raiseLowWater(old)
	}
	if err == nil {
		err = a.dropEvents(old)
	}
	return len(rows), err
}

// lookAtEvents reads events behind the last one that was decided about.
func (a *applier) lookAtEvents(limit int) ([]keptRow, error) {
	rows := make([]keptRow, 0, limit)
	l, from := &a.lookEvents, &a.keep.from
	if !a.skipOthers(from) {
		return nil, nil
	}
	_, err := l.int(from.shard).str(from.account).int(from.source).int(from.number).int(int64(limit)).each(func() {
		rows = append(rows, keptRow{
			rowKey: rowKey{shard: l.columnNumber(0), account: l.columnWord(1), source: l.columnNumber(2), number: l.columnNumber(3)},
			state:  l.columnWord(4), ended: l.columnNumber(5),
		})
		a.spareRow(&rows[len(rows)-1])
	})
	if len(rows) > 1 {
		*from = rows[len(rows)-2].rowKey
	}
	return rows, err
}

// dropEvents deletes events with what was recorded for them. The last one of its source stays, without what was said.
func (a *applier) dropEvents(old []keptRow) error {
	if err := a.deleteRows(old, &a.dropFacts); err != nil {
		return err
	}
	gone := old[:0]
	for i := range old {
		r := &old[i]
		if !r.last {
			gone = append(gone, *r)
		} else if err := a.emptyEvent.int(r.shard).str(r.account).int(r.source).int(r.number).do(); err != nil {
			return err
		}
	}
	return a.deleteRows(gone, &a.dropEvent)
}

// finishOld stores the end of an event below the low-water mark, if it has a row; false when it has none, or was handled
// before.
func (a *applier) finishOld(e *event.Event, state string, tries int, handledAt int64, t *event.DecisionRecord) (bool, error) {
	n, err := a.finish.str(state).int(int64(tries)).int(handledAt).eventRecord(e, t).addSecret(seal.EventText.OfEvent(e.Account, e.ID), e.Text).
		key(e.Account).int(int64(e.ID.Source)).int(e.ID.Number).run()
	return n > 0, err
}
