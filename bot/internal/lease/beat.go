package lease

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/record"
)

// leased is a lease as its worker knows it.
type leased struct {
	mu      sync.Mutex    // guards the fields below
	until   time.Duration // its end, by the steady clock
	renewed time.Time     // by the time of day
	shutter *time.Timer   // shuts the guard shortly before
	over    bool          // for good
	shut    bool
}

// reportEvery is how many beats have a report.
const reportEvery = 10

// retryBeat is how long a worker waits before it beats again after an error.
const retryBeat = 250 * time.Millisecond

// renewUntilDone renews the lease until the context ends, or somebody has taken over.
func (w *Worker) renewUntilDone(ctx context.Context) {
	last := int64(0)
	for n, reported := 0, 0; ctx.Err() == nil; n++ {
		began := time.Now()
		p := Pulse{State: State(w.state.Load()), Wall: w.clock.Wall()}
		if w.cfg.Report != nil && (w.changed.Swap(false) || n == 0 || n-reported >= reportEvery) {
			r := w.cfg.Report()
			p.Report, reported = &r, n
		}
		//mutate:steady
		sent := w.clock.Steady() // before the beat leaves: others count from when it arrived, or later
		beat, err := w.beat(ctx, p)
		pause := beatEvery - time.Since(began)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrGone):
			w.loseLease(ErrGone)
			return
		// A beat that is stored counts, also when the report that came with it is lost: others see it, and would take nothing over.
		case beat == 0: //mutate:beat-counts
			if pause = retryBeat; p.Report != nil {
				w.changed.Store(true)
			}
		// Each beat that was stored has a higher number, so the database stands where it stood before: what was confirmed since is lost.
		case beat <= last: //mutate:beat-back
			w.loseLease(record.ErrWentBack)
			return
		default:
			last = beat
			w.renew(sent + Term - Margin) //mutate:lease-end
			if err != nil {               // it is told again with a later beat: each one that waited for it in vain would come late
				w.log.Warn("the lease is renewed, and what this worker has to say of itself is not stored", "err", err)
			}
		}
		lifecycle.Wait(ctx, pause, w.wake, nil)
	}
}

func (w *Worker) beat(ctx context.Context, p Pulse) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, beatPatience)
	defer cancel()
	return w.board.RenewLease(ctx, w.seat, p)
}

// TellChanges lets what the worker has be told with a beat now.
func (w *Worker) TellChanges() {
	w.changed.Store(true)
	w.beatNow()
}

func (w *Worker) beatNow() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// renew lets the lease go on until a time.
func (w *Worker) renew(until time.Duration) {
	now := w.clock.Steady()
	l := &w.lease
	l.mu.Lock()
	defer l.mu.Unlock()
	// An answer that was so slow that its lease is over renews nothing; and of two answers that pass each other the later lease counts.
	if l.over || now >= until || until <= l.until {
		return
	}
	//mutate:arm
	if err := w.cfg.Deadman.SetDeadline(until + killLate); err != nil { // before the guard is open
		w.log.Error("the timer that ends this process when it stands still cannot be set; nothing leaves", "err", err)
		return
	}
	// Then the guard, never before the deadman: a process that stood still in between would write whenever it is thawed.
	l.until, l.renewed = until, w.clock.Wall()
	w.cfg.Guard.Open(until)
	if l.shut {
		l.shut = false
		w.log.Info("the lease is renewed; requests leave again")
	}
	if l.shutter == nil {
		l.shutter = time.AfterFunc(until-now-shutEarly, w.shutInTime)
	} else {
		l.shutter.Reset(until - now - shutEarly)
	}
}

// OverFor returns for how long the lease has been over, by the clock that says more: one may stand still while a machine sleeps.
func (w *Worker) OverFor() time.Duration {
	l := &w.lease
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(w.clock.Steady()-l.until, w.clock.Wall().Sub(l.renewed)-Term, 0)
}

// shutInTime shuts the guard before the end of a lease that was not renewed. The process need not be ended then.
func (w *Worker) shutInTime() {
	now := w.clock.Steady()
	l := &w.lease
	l.mu.Lock()
	defer l.mu.Unlock()
	switch left := l.until - shutEarly - now; {
	case l.over:
		return
	case left > 0: // it was renewed meanwhile, or this timer is fast
		l.shutter.Reset(left)
		return
	}
	l.shut = true
	w.disarm() //mutate:shut-in-time
	w.log.Warn("the lease could not be renewed; no request leaves until it is")
}

// disarm shuts the guard, and then lets the process live.
func (w *Worker) disarm() {
	// In this order: as long as the guard is open, only the deadman keeps a process that stands still from writing too late.
	w.cfg.Guard.Close()
	if err := w.cfg.Deadman.ClearDeadline(); err != nil {
		w.log.Error("this process is ended with its lease", "err", err)
	}
}

// finishLease ends the lease for good, and returns when it would have been over.
func (w *Worker) finishLease() time.Duration {
	l := &w.lease
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.shutter != nil {
		l.shutter.Stop()
	}
	w.disarm()
	return l.until
}

// loseLease ends the lease since it was lost, and with it everything of the shards.
func (w *Worker) loseLease(why error) {
	w.once.Do(func() {
		until := w.finishLease()
		now, wall := w.clock.Steady(), w.clock.Wall()
		at := func(t time.Duration) time.Time { return wall.Add(t - now) }
		w.loss = Loss{Why: why, Since: at(min(until, now)), Until: wall}
		if late := w.cfg.Guard.Late(); late.Writes > 0 {
			w.loss.Late, w.loss.LateFrom, w.loss.LateUntil = late.Writes, at(late.Since), at(late.Until)
		}
		close(w.losing)
		w.log.Error("the lease is lost; all shards of this worker are dropped", "err", why, "late_requests", w.loss.Late)
		w.cfg.Holder.EndLost(w.loss)
		close(w.lost)
	})
}
