package store

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	rushSize   = 16                    // a commit of so many writes is one of a rush: more are on their way
	rushPause  = 10 * time.Millisecond // after it, for these to come
	linger     = 25 * time.Millisecond // how long what nobody waits for waits for a commit to join
	longLinger = 10 * time.Second      // the same, after many commits that failed
	forever    = time.Duration(math.MaxInt64)
)

// Writer gathers writes into groups: what came in while the last commit ran makes the next one. It
// owns one goroutine.
type Writer struct {
	engine engine
	log    *slog.Logger
	around func(commit func() error) error
	record *recorder.Recorder // nil: there is none
	woken  chan struct{}
	done   chan struct{} // its goroutine has ended
	over   chan struct{} // see Done
	why    error         // set before over is closed

	// These belong to its goroutine.
	faults faults
	number int64 // of the last group
	lost   error // why nothing is stored any more: it was closed without knowing what became of the last group, or see isFinal

	mu      sync.Mutex // guards the fields below
	queue   []Write    // in the order in which they came
	urgent  int        // those of the queue that somebody waits for
	cursors []record.Cursor
	places  map[cursorKey]int // where a cursor stands in cursors
	lazyBy  time.Time         // when to store what nobody waits for; zero: there is none
	rushBy  time.Time         // when the next group of a rush is stored, unless it is full before; zero: there is no rush
	closed  bool              // ends as soon as nothing is left
	ended   bool
}

var errClosed = errors.New("the store is closed")

// newWriter starts a writer; number is that of the last group that the engine has stored.
func newWriter(e engine, number int64, log *slog.Logger, around func(commit func() error) error, record *recorder.Recorder) *Writer {
	if around == nil {
		around = func(commit func() error) error { return commit() }
	}
	w := &Writer{
		engine: e, number: number, log: log, around: around, record: record, faults: faults{log: log}, places: map[cursorKey]int{},
		woken: make(chan struct{}, 1), done: make(chan struct{}), over: make(chan struct{}),
	}
	go w.run()
	return w
}

// Commit queues a write; see Store.
func (w *Writer) Commit(x Write) {
	x.prepare()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		if x.Done != nil {
			go x.Done(Receipt{Err: errClosed}) // the caller may hold a lock that Done takes
		}
		return
	}
	w.queue = append(w.queue, x)
	w.urgent++
	if w.urgent == 1 || len(w.queue) >= w.engine.mostWrites() { // any other finds the writer awake, or waiting for more until a time
		w.wake()
	}
}

// QueueMarks queues marks lazily; see outbox.Ledger.
func (w *Writer) QueueMarks(marks ...outbox.Mark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(marks) == 0 || w.ended {
		return
	}
	// A result needs no commit of its own: lost with a crash, its action is in doubt, and the platform tells it again. So it waits for somebody
	// else's commit, for a moment, and results of a rush share one.
	if n := len(w.queue); n > 0 && w.queue[n-1].lazy {
		w.queue[n-1].Marks = append(w.queue[n-1].Marks, marks...)
		return
	}
	w.queue = append(w.queue, Write{Marks: slices.Clone(marks), lazy: true})
	w.lazilyLocked(linger)
}

// lazilyLocked sees to it that a commit happens within d, if none was planned.
func (w *Writer) lazilyLocked(d time.Duration) {
	if w.lazyBy.IsZero() {
		w.lazyBy = time.Now().Add(d)
		w.wake()
	}
}

// MarkNow stores marks and everything queued before; see outbox.Ledger. When ctx ends first, they may
// be stored all the same.
func (w *Writer) MarkNow(ctx context.Context, marks ...outbox.Mark) error {
	return w.commitNow(ctx, Write{Marks: slices.Clone(marks)})
}

// commitNow commits a write, and returns when it is stored.
func (w *Writer) commitNow(ctx context.Context, x Write) error {
	got := make(chan error, 1)
	x.Done = func(r Receipt) { got <- r.Err }
	w.Commit(x)
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
	w.wake()
	<-w.done
}

func (w *Writer) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

func (w *Writer) run() {
	defer close(w.done)
	var g group
	for {
		switch wait := min(w.idle(), w.faults.wait()); wait {
		case 0:
			w.commit(&g)
		case forever:
			<-w.woken
		case ended:
			w.faults.logRecovered()
			return
		default:
			w.sleep(wait)
		}
	}
}

// ended is what idle returns when there will be nothing any more.
const ended = time.Duration(-1)

// idle returns how long to wait for the next group: 0 when there is one, or ended.
func (w *Writer) idle() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.urgent > 0 && (w.closed || w.rushBy.IsZero() || len(w.queue) >= w.engine.mostWrites()):
	case w.urgent > 0:
		return max(0, time.Until(w.rushBy))
	case w.lazyBy.IsZero() && w.closed:
		w.ended = true
		return ended
	case w.lazyBy.IsZero():
		return forever
	case !w.closed:
		if wait := time.Until(w.lazyBy); wait > 0 {
			return wait
		}
	}
	return 0
}

// fillGroup moves the first writes of the queue, and all cursors, into the group.
func (w *Writer) fillGroup(g *group) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.takeLocked(g)
}

// fillEmpty is fill when nothing in the queue has to be stored now; otherwise it moves nothing.
func (w *Writer) fillEmpty(g *group) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	//mutate:empty-commit
	if len(w.cursors) > 0 || slices.ContainsFunc(w.queue, func(x Write) bool { return !x.isEmpty() }) {
		return false
	}
	w.takeLocked(g)
	return true
}

// takeLocked is fill.
func (w *Writer) takeLocked(g *group) {
	n := min(len(w.queue), w.engine.mostWrites())
	g.writes = append(g.writes[:0], w.queue[:n]...) // the queue stays at the start of its memory, and never needs more
	if w.queue = slices.Delete(w.queue, 0, n); len(w.queue) == 0 {
		w.lazyBy = time.Time{}
	}
	w.number++
	g.number = w.number
	g.cursors, w.cursors = w.cursors, nil
	clear(w.places)
	// Not made whole: a sequence that broke in the last group stays broken for its writes that are still queued.
	g.broke = g.broke[:0]
	g.receipts, g.refused = slices.Grow(g.receipts[:0], n)[:n], slices.Grow(g.refused[:0], n)[:n]
	clear(g.receipts)
	clear(g.refused)
	for i := range g.writes {
		x := &g.writes[i]
		if !x.lazy {
			w.urgent--
		}
		if x.unfit != nil {
			g.refuseWrite(i, x.unfit)
		}
	}
}

// sleep gives a write the chance to come before what nobody waits for is stored alone.
func (w *Writer) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-w.woken:
	case <-t.C:
	}
}

// commit stores the next group and hands out the receipts.
func (w *Writer) commit(g *group) {
	w.store(g) //mutate:commit-first
	for i := range g.writes {
		// Only here does anybody hear of the commit: Done lets actions leave. Any earlier, a crash in between would have sent what no row says
		// was decided, and the next incarnation would decide and send it again.
		x, r := &g.writes[i], g.receipts[i]
		if x.Done != nil {
			x.Done(r)
		} else if x.lazy && errors.Is(r.Err, ErrUnfit) {
			w.log.Error("results of actions cannot be stored; after a restart they are reconciled again", "err", r.Err)
		}
		if r.Err == nil {
			w.unrecordStored(x.Marks)
		}
	}
	w.noteRush(len(g.writes))
	clear(g.writes) // so that what the writes point to can be freed
}

// noteRush notes whether there is a rush, after a group of n writes. A page of the database that several turns change is then written once for all of them.
// Somebody alone waits for nothing.
func (w *Writer) noteRush(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rushBy = time.Time{}
	if n >= rushSize {
		w.rushBy = time.Now().Add(rushPause)
	}
}

// unrecordStored takes out of the recorder's file what is stored by now.
func (w *Writer) unrecordStored(marks []outbox.Mark) {
	for i := range marks {
		w.record.End(marks[i].Recorded)
	}
}

// store stores what is queued by then as a group, or fails it.
func (w *Writer) store(g *group) {
	switch {
	case w.lost != nil:
		w.fillGroup(g)
		g.failAll(w.lost)
		return
	// Somebody only waited for what came before: a trip to the disk would tell them nothing more.
	case w.fillEmpty(g):
		return
	}
	err := w.tryGroup(g)
	if doubt, ok := errors.AsType[*unclear.Error](err); ok { //mutate:find-out
		err = w.findOut(g, doubt)
	}
	if !isFinal(err) {
		w.faults.noteCommit(err)
	}
	switch {
	case err == nil:
		w.record.NoteStored(g.number)
	case isFinal(err):
		w.endStoring(err)
		g.failAll(err)
	default:
		g.failAll(err)
		w.putBack(g)
	}
}

// Done is closed when nothing is stored any more until the store is opened anew: another process has taken over, the database has
// lost what it had confirmed, or has come to another server, or its file was taken away. Err says which, with an error that is ErrFenced,
// ErrLostCommits, ErrOtherServer or none of them.
func (w *Writer) Done() <-chan struct{} { return w.over }

// Err returns why Done is closed; nil before.
func (w *Writer) Err() error {
	select {
	case <-w.over:
		return w.why
	default:
		return nil
	}
}

// endStoring ends all storing.
func (w *Writer) endStoring(err error) {
	if w.lost == nil {
		w.lost, w.why = err, err
		close(w.over)
	}
}

// isFinal reports whether nothing can be stored any more after an error.
func isFinal(err error) bool {
	_, taken := errors.AsType[*takenError](err)
	return taken || errors.Is(err, ErrFenced) || errors.Is(err, record.ErrLostCommits) || errors.Is(err, record.ErrOtherServer)
}

// apply stores a group. A write that cannot be stored is taken out of it, and the others are tried
// again without it.
func (w *Writer) apply(g *group) error {
	for {
		g.begin()
		bad, err := w.engine.apply(g)
		if err == nil || bad < 0 {
			return err
		}
		// A write that does not fit would make the whole group fail, and the others have nothing to do with it.
		g.refuseWrite(bad, err)
	}
}

// putBack queues what nobody waits for of a failed group again, before everything newer. A closed
// writer forgets it: it is only what reading the platform will tell again.
func (w *Writer) putBack(g *group) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	var marks []outbox.Mark
	for i := range g.writes {
		if g.writes[i].lazy && !g.refused[i] {
			marks = append(marks, g.writes[i].Marks...)
		}
	}
	if len(marks) > 0 {
		w.queue = slices.Insert(w.queue, 0, Write{Marks: marks, lazy: true})
	}
	for _, c := range g.cursors {
		w.laterLocked(c, false)
	}
	if len(marks)+len(g.cursors) > 0 {
		w.lazyBy = time.Now().Add(w.faults.pause())
	}
}
