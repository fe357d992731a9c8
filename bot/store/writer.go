package store

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/outbox"
	"github.com/nectar-bot/nectar/bot/poll"
)

const (
	maxGroup = 128                   // writes per database commit
	linger   = 25 * time.Millisecond // how long lazy marks wait for a commit to join
)

// engine is a database as the writer sees it.
type engine interface {
	// apply stores a group in one transaction. It fills the receipts; an error means that nothing at
	// all was stored.
	apply(g *group) error
}

// group is what one database commit stores.
type group struct {
	writes   []Write
	receipts []Receipt
	marks    []outbox.Mark
	cursors  []poll.Cursor
}

// Writer gathers writes into groups: what came in while the last commit ran makes the next one. It
// owns one goroutine.
type Writer struct {
	engine engine
	log    *slog.Logger
	pause  func() time.Duration // simulated time per commit; nil: none

	failing bool // belongs to the goroutine

	mu      sync.Mutex
	queue   []Write
	marks   []outbox.Mark
	cursors map[cursorKey]poll.Cursor
	order   []cursorKey
	closed  bool
	wake    chan struct{}
	done    chan struct{}
}

type cursorKey struct {
	account string
	source  uint8
	peer    int64
}

var errClosed = errors.New("the store is closed")

func newWriter(e engine, log *slog.Logger, pause func() time.Duration) *Writer {
	w := &Writer{
		engine: e, log: log, pause: pause, cursors: map[cursorKey]poll.Cursor{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// Commit queues a write; see Store.
func (w *Writer) Commit(x Write) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		if x.Done != nil {
			x.Done(Receipt{Err: errClosed})
		}
		return
	}
	w.queue = append(w.queue, x)
	w.mu.Unlock()
	w.poke()
}

// Mark queues marks lazily; see outbox.Ledger.
func (w *Writer) Mark(marks ...outbox.Mark) {
	w.mu.Lock()
	w.marks = append(w.marks, marks...)
	first := len(w.marks) == len(marks)
	w.mu.Unlock()
	if first {
		w.poke()
	}
}

// Later queues cursors lazily; see Store.
func (w *Writer) Later(cursors ...poll.Cursor) {
	w.mu.Lock()
	first := len(w.cursors) == 0
	for _, c := range cursors {
		k := cursorKey{string(c.Account), uint8(c.Source), int64(c.Peer)}
		if _, ok := w.cursors[k]; !ok {
			w.order = append(w.order, k)
		}
		w.cursors[k] = c
	}
	w.mu.Unlock()
	if first {
		w.poke()
	}
}

// MarkNow stores marks and everything queued before; see outbox.Ledger.
func (w *Writer) MarkNow(ctx context.Context, marks ...outbox.Mark) error {
	got := make(chan error, 1)
	w.Commit(Write{Marks: marks, Done: func(r Receipt) { got <- r.Err }})
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close stores what is queued and ends the goroutine.
func (w *Writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.poke()
	<-w.done
}

func (w *Writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *Writer) run() {
	defer close(w.done)
	for {
		g, lazy, closed := w.take(false)
		switch {
		case g != nil:
			w.commit(g)
		case closed && !lazy:
			return
		case closed:
			if g, _, _ = w.take(true); !w.commit(g) {
				return // what is lost is only what reading the platform will tell again
			}
		case lazy:
			w.wait(linger)
		default:
			<-w.wake
		}
	}
}

// wait gives a write the chance to come before lazy marks are stored alone.
func (w *Writer) wait(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-w.wake:
	case <-t.C:
		if g, _, _ := w.take(true); g != nil {
			w.commit(g)
		}
	}
}

// take takes the next group: nil when no write is queued, unless alone also takes lazy ones.
func (w *Writer) take(alone bool) (g *group, lazy, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lazy = len(w.marks) > 0 || len(w.order) > 0
	if len(w.queue) == 0 && (!alone || !lazy) {
		return nil, lazy, w.closed
	}
	n := min(len(w.queue), maxGroup)
	g = &group{writes: w.queue[:n:n], receipts: make([]Receipt, n)}
	if w.queue = w.queue[n:]; len(w.queue) == 0 {
		w.queue = nil
	}
	g.marks, w.marks = w.marks, nil
	for _, k := range w.order {
		g.cursors = append(g.cursors, w.cursors[k])
	}
	w.order = nil
	clear(w.cursors)
	return g, lazy, w.closed
}

// commit stores a group and hands out the receipts. When the group fails, each of its writes is
// tried alone, so that one that cannot be stored does not take others with it.
func (w *Writer) commit(g *group) bool {
	if w.pause != nil {
		time.Sleep(w.pause())
	}
	w.refuseBroken(g)
	err := w.engine.apply(g)
	w.report(err)
	if err != nil {
		w.putBack(g)
		w.oneByOne(g, err)
	}
	for i := range g.writes {
		w.settle(&g.writes[i], g.receipts[i])
	}
	return err == nil
}

// report logs when the database stops or starts to take writes.
func (w *Writer) report(err error) {
	switch {
	case err != nil && !w.failing:
		w.log.Error("the store cannot write; nothing new is handled until it can", "err", err)
	case err == nil && w.failing:
		w.log.Info("the store writes again")
	}
	w.failing = err != nil
}

func (w *Writer) settle(x *Write, r Receipt) {
	if x.Turn != nil && x.Turn.Lane != nil && (r.Err != nil || r.Dropped) {
		x.Turn.Lane.broken = true
	}
	if x.Done != nil {
		x.Done(r)
	}
}

// refuseBroken refuses turns of lanes that broke in an earlier group.
func (w *Writer) refuseBroken(g *group) {
	for i := range g.writes {
		if t := g.writes[i].Turn; t != nil && t.Lane != nil && t.Lane.broken {
			g.receipts[i].Err = ErrStale
		}
	}
}

// putBack queues the lazy part of a failed group again, before newer ones.
func (w *Writer) putBack(g *group) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.marks = slices.Concat(g.marks, w.marks)
	for _, c := range g.cursors {
		k := cursorKey{string(c.Account), uint8(c.Source), int64(c.Peer)}
		if _, newer := w.cursors[k]; !newer {
			w.cursors[k] = c
			w.order = append(w.order, k)
		}
	}
}

// oneByOne stores the writes of a failed group alone. When the first that can be tried fails as
// well, the fault is the database's, and the rest is not tried.
func (w *Writer) oneByOne(g *group, err error) {
	hopeless := len(g.writes) == 1
	for i := range g.writes {
		x := &g.writes[i]
		switch t := x.Turn; {
		case hopeless:
			g.receipts[i] = Receipt{Err: err}
			continue
		case t != nil && t.Lane != nil && t.Lane.broken:
			g.receipts[i] = Receipt{Err: ErrStale}
			continue
		}
		one := &group{writes: []Write{*x}, receipts: make([]Receipt, 1)}
		if err := w.engine.apply(one); err != nil {
			g.receipts[i] = Receipt{Err: err}
			hopeless = i == 0
		} else {
			g.receipts[i] = one.receipts[0]
		}
		if r := g.receipts[i]; x.Turn != nil && x.Turn.Lane != nil && (r.Err != nil || r.Dropped) {
			x.Turn.Lane.broken = true
		}
	}
}
