package poll

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/platform"
)

// A row may show an id that leaps for a while, and then its own, or the other way round. It is one event: the first
// id under which it was delivered is the one that counts. What tells is that the row shows the same, and that the other
// id is not shown any more.

const (
	oddFor = 10 * time.Minute // after it was missed first, a row may come to show its own id
	oddOld = 24 * time.Hour   // one that an earlier incarnation delivered before that is not looked for
)

// odds are the events of an account that were delivered under ids which leap.
type odds struct {
	mu   sync.Mutex // guards the field below
	rows []oddRow
}

// oddRow is one of them. It is missed when a reading shows all that is above some lower id, and not this one.
type oddRow struct {
	event.Event
	missed time.Time // by the first such reading; zero: there was none
	gone   bool      // for so long that it comes to show no other id
	own    event.ID  // the id that it has come to show; zero while none is known
}

// oddChange is what a batch changes about them.
type oddChange struct {
	rows []event.Event         // events that show ids which leap, and are news
	own  map[event.ID]event.ID // by the id of a row, what it has come to show; nil for none
}

// sight is what a reading shows.
type sight struct {
	source   event.Source
	peer     platform.UserID // of the chat; 0 for a list
	was      int64           // the highest id that was believed before it
	believed int64           // the highest id that is
	above    int64           // it shows all ids above this one
	shown    []int64         // those ids, in any order
	parts    bool            // it did so in parts, or shows one: what another one showed, it may not
	stands   int64           // the cursor before it
	reset    bool            // which was set back
	passed   int64           // where it stood before that
	// page returns the ids of the page below an id, or of the newest one for 0, in any order.
	page func(ctx context.Context, below int64) ([]int64, error)
}

// leapt reports whether an event shows an id that leaps, or that did before this reading.
func (s *sight) leapt(e *event.Event) bool {
	return e.ID.Number > s.believed || leap.IsLeap(max(1, s.was), e.ID.Number)
}

// load takes up what earlier incarnations delivered under ids that leap.
func (o *odds) load(c *cycle, source event.Source) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.cfg.Delivered == nil {
		return
	}
	_, above := c.cfg.Delivered.StoredEvents(source)
	for i := range above {
		if e := &above[i]; c.began.Sub(e.SeenAt) < oddOld && mayMove(e, above) {
			o.rows = append(o.rows, oddRow{Event: *e})
		}
	}
}

// mayMove reports whether a stored event under an id that leaps may come to show another one. It has shown its own if that
// is what it was the same as.
func mayMove(e *event.Event, above []event.Event) bool {
	as := func(x event.Event) bool { return e.Subject == platform.Subject(x.ID.String()) }
	if slices.ContainsFunc(above, as) { //mutate:odd-moves
		return true
	}
	return e.Kind != event.KindSame || e.Subject == SameBacklog
}

// restore takes up what was delivered of the people of a batch under ids far above it. They may have been believed then:
// the cursor stood, or stands, far above what is read. And what is stored tells more than what is remembered.
func (o *odds) restore(ctx context.Context, c *cycle, b *Batch, s *sight) error {
	if c.cfg.Delivered == nil {
		return nil
	}
	all := s.reset || !o.isEmpty()
	for i := range b.Events {
		e := &b.Events[i]
		if !all && !leap.IsLeap(e.ID.Number, s.stands) { //mutate:odd-restore
			continue
		}
		above, err := c.cfg.Delivered.RecentEvents(ctx, e.Peer)
		if err != nil {
			return err
		}
		above = slices.DeleteFunc(above, func(x event.Event) bool {
			return x.ID.Source != e.ID.Source || c.began.Sub(x.SeenAt) > oddOld || !leap.IsLeap(e.ID.Number, x.ID.Number) || o.has(x.ID)
		})
		for j := range above {
			if mayMove(&above[j], above) {
				o.add(above[j])
			}
		}
	}
	return nil
}

func (o *odds) add(e event.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.rows = append(o.rows, oddRow{Event: e}); len(o.rows) > tailSize {
		o.rows = slices.Delete(o.rows, 0, 1)
	}
}

// isEmpty reports whether there are none.
func (o *odds) isEmpty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.rows) == 0
}

// resolve looks for events of a batch that were delivered under another id: those that now show an id that leaps, and
// those that have come to show their own. They are made events that ask for nothing.
func (o *odds) resolve(ctx context.Context, c *cycle, b *Batch, s sight) error {
	if err := o.restore(ctx, c, b, &s); err != nil {
		return err
	}
	leapt := slices.ContainsFunc(b.Events, func(e event.Event) bool { return s.leapt(&e) })
	if s.parts && slices.ContainsFunc(b.Events, func(e event.Event) bool { return o.like(&e) }) {
		page, err := s.page(ctx, 0)
		if err != nil {
			return err
		}
		// A reading in parts has seen only some of the list. Without a whole page, a row that stands elsewhere would count as missed.
		if s.shown = page; len(page) > 0 {
			s.above = slices.Min(page)
		}
	}
	if missing := o.noteRows(c, s); !missing && !leapt || c.cfg.Delivered == nil {
		return nil
	}
	// Some of it may have been delivered under another id, which no cursor tells: the store is asked about each.
	b.Again = true
	if err := o.quench(ctx, c, b, &s); err != nil || !leapt {
		return err
	}
	for i := range b.Events {
		e := &b.Events[i]
		if !s.leapt(e) || e.Kind == event.KindSame || o.has(e.ID) {
			continue
		}
		same, err := earlier(ctx, c, e, b, s)
		switch {
		case err != nil:
			return err
		case same == (event.ID{}):
			b.odd.rows = append(b.odd.rows, *e)
		default:
			makeSame(e, same)
		}
	}
	return nil
}

// makeSame makes an event one that asks for nothing.
func makeSame(e *event.Event, as event.ID) {
	e.Kind, e.Subject = event.KindSame, platform.Subject(as.String())
}

// noteDelivered takes note of a batch that was.
func (o *odds) noteDelivered(b *Batch) {
	if len(b.odd.rows)+len(b.odd.own) == 0 {
		return
	}
	for _, e := range b.odd.rows {
		o.add(e)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.rows {
		if own, ok := b.odd.own[o.rows[i].ID]; ok {
			o.rows[i].own = own
		}
	}
}

// noteRows notes which of its rows a reading shows, and reports whether it misses any.
func (o *odds) noteRows(c *cycle, s sight) (missing bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rows = slices.DeleteFunc(o.rows, func(r oddRow) bool { return c.began.Sub(r.SeenAt) > oddOld && (r.missed.IsZero() || r.gone) })
	for i := range o.rows {
		switch r := &o.rows[i]; {
		case r.ID.Source != s.source || s.peer != 0 && r.Peer != s.peer || r.ID.Number <= s.above:
		case slices.Contains(s.shown, r.ID.Number):
			r.missed, r.gone = time.Time{}, false
		default:
			missing = true
			if r.missed.IsZero() {
				r.missed = c.began
			}
			r.gone = c.began.Sub(r.missed) > oddFor
		}
	}
	return missing
}

// quench makes those events of a batch ask for nothing that were delivered under an id that leaps, which the reading
// does not show any more.
func (o *odds) quench(ctx context.Context, c *cycle, b *Batch, s *sight) error {
	var found []int
	var ids []event.ID
	for i := range b.Events {
		if e := &b.Events[i]; len(o.missedLike(e, s.passed)) > 0 {
			found, ids = append(found, i), append(ids, e.ID)
		}
	}
	if len(found) == 0 { //mutate:odd-reconciled
		return nil
	}
	known, err := c.cfg.Delivered.KnownEvents(ctx, ids)
	if err != nil {
		return err
	}
	for _, i := range found {
		e := &b.Events[i]
		if known[e.ID] {
			continue
		}
		row, err := o.other(ctx, c, b, e, s.passed)
		if err != nil {
			return err
		}
		if row == (event.ID{}) {
			continue
		}
		if s.leapt(e) { // it may come to show a third one
			b.odd.rows = append(b.odd.rows, *e)
		}
		if b.odd.own == nil {
			b.odd.own = map[event.ID]event.ID{}
		}
		b.odd.own[row] = e.ID
		makeSame(e, row)
	}
	return nil
}

// other returns the id under which an event was delivered that is none of what was delivered since; zero for none.
func (o *odds) other(ctx context.Context, c *cycle, b *Batch, e *event.Event, passed int64) (event.ID, error) {
	recent, err := c.cfg.Delivered.RecentEvents(ctx, e.Peer)
	if err != nil {
		return event.ID{}, err
	}
	for _, row := range o.missedLike(e, passed) {
		_, taken := b.odd.own[row]
		if !taken && !slices.ContainsFunc(recent, func(x event.Event) bool {
			return x.Kind == event.KindSame && x.Subject == platform.Subject(row.String()) && x.ID != e.ID
		}) {
			return row, nil
		}
	}
	return event.ID{}, nil
}

// missedLike returns the ids of its rows that readings miss and that are like an event. One that was missed for long has come to show its own id where nobody
// looked, or none: the cursor had passed the event when it was set back.
func (o *odds) missedLike(e *event.Event, passed int64) (ids []event.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.rows {
		r := &o.rows[i]
		free := r.own == (event.ID{}) || r.own == e.ID
		if r.ID.Source == e.ID.Source && r.ID != e.ID && !r.missed.IsZero() && (!r.gone || e.ID.Number <= passed) && free && isAlike(&r.Event, e) { //mutate:odd-passed
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// like reports whether an event may be one of its rows.
func (o *odds) like(e *event.Event) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.rows, func(r oddRow) bool {
		return r.ID.Source == e.ID.Source && r.ID != e.ID && isAlike(&r.Event, e)
	})
}

func (o *odds) has(id event.ID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.rows, func(r oddRow) bool { return r.ID == id })
}

// SameBacklog is the Subject of an event of KindSame that was there before the first start, under an id that leaps.
const SameBacklog platform.Subject = "backlog"

// addBacklog adds an event to a batch that was there before the first start, under an id that leaps: no cursor says so.
func (b *Batch) addBacklog(e event.Event) {
	b.odd.rows = append(b.odd.rows, e)
	e.Kind, e.Subject = event.KindSame, SameBacklog
	b.Events = append(b.Events, e)
}

// earlier returns the id under which an event was delivered that shows an id which leaps: its own, which the list does
// not show any more although it should. It is zero for an event that is new. A reading in parts may have met one row
// under both.
func earlier(ctx context.Context, c *cycle, e *event.Event, b *Batch, s sight) (event.ID, error) {
	said, err := c.cfg.Delivered.RecentEvents(ctx, e.Peer)
	if err != nil {
		return event.ID{}, err
	}
	other := func(x event.Event) bool {
		return x.ID.Source != s.source || x.ID == e.ID || x.ID.Number > s.believed || !isAlike(&x, e)
	}
	said = slices.DeleteFunc(said, other)
	var beside []event.Event
	if s.parts {
		beside = slices.DeleteFunc(slices.Clone(b.Events), other)
	}
	// Nothing that was said reads like it: it is new, and no page has to be read for that.
	if len(said)+len(beside) == 0 {
		return event.ID{}, nil
	}
	shown, lowest, err := s.down(ctx, append(said, beside...)[0].ID.Number)
	if err != nil {
		return event.ID{}, err
	}
	gone := func(id event.ID) bool { return id.Number >= lowest && !slices.Contains(shown, id.Number) }
	for _, x := range append(said, beside...) {
		if gone(x.ID) { //mutate:odd-earlier
			return x.ID, nil
		}
	}
	// Not even its own row is shown any more, so the list has moved while it was read, and proves nothing: it is read again.
	if gone(e.ID) {
		return event.ID{}, errMoved
	}
	return event.ID{}, nil
}

// errMoved says that a row shows an id no more under which it was read just now: what has been read is of no use.
var errMoved = errors.New("a row has come to show another id while the list was read")

const oddPages = 3 // that are read to find out whether a row shows another id

// down reads a list from its newest row down to an id, if that is not far, and returns the ids that it shows down to
// the lowest.
func (s *sight) down(ctx context.Context, to int64) (shown []int64, lowest int64, err error) {
	for range oddPages {
		page, err := s.page(ctx, lowest)
		if err != nil {
			return nil, 0, err
		}
		if len(page) == 0 || lowest != 0 && slices.Min(page) >= lowest {
			return shown, 0, nil // this is all of it
		}
		shown, lowest = append(shown, page...), slices.Min(page)
		if lowest <= to {
			break
		}
	}
	return shown, lowest, nil
}

// isAlike reports whether two events may be one that shows two ids.
func isAlike(a, b *event.Event) bool {
	backlog := a.Kind == event.KindSame // what it was about is not stored
	switch {
	case a.Peer != b.Peer || a.Kind != b.Kind && !backlog:
		return false
	case b.Kind == event.KindMessage:
		return a.Text == b.Text && a.Image == b.Image
	}
	return a.Post == b.Post && (a.Subject == b.Subject || backlog)
}
