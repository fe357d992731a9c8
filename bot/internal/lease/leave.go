package lease

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
)

// lastChance is how long what is left of a worker without patience may take.
const lastChance = callPatience

// LeaveBoard gives all shards away, in portions as others can take them, and ends the lease; where there is nobody else, it releases them
// all. When the context ends first, what is left is released at once. It returns when Run does.
func (w *Worker) LeaveBoard(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx) // one that has an end
	defer cancel()
	w.state.Store(int32(StateLeaving))
	w.beatNow()
	select {
	case w.leave <- ctx.Done():
	default: // it is leaving
	}
	<-w.left
}

// AbandonLease ends a lease that nothing was done with, in place of Run: it leaves before it could be given a shard.
func (w *Worker) AbandonLease() {
	w.state.Store(int32(StateLeaving))
	now := make(chan struct{})
	close(now)
	w.leave <- now
	_ = w.Run(context.Background()) // it tells nothing that is not over
}

// hasOthers reports whether there is a worker that could take shards.
func (w *Worker) hasOthers(v *View) bool {
	for _, c := range w.watch.planCandidates(v) {
		if c.Worker != w.seat.Worker && c.Keeps && w.watch.peers[c.Worker] != nil {
			return true
		}
	}
	return false
}

// isPatienceOver reports whether a worker that leaves has waited for others long enough.
func (w *Worker) isPatienceOver() bool {
	select {
	case <-w.patience: // nil has no end
		return true
	default:
		return false
	}
}

// partAll begins to release all shards.
func (w *Worker) partAll(ctx context.Context) {
	for _, s := range w.shards {
		if s.stage == served {
			w.releaseShard(ctx, s)
		}
	}
}

// partEmpty begins to release the shards in which there is nothing: they need not wait for their turn.
func (w *Worker) partEmpty(ctx context.Context) {
	for n, s := range w.shards {
		if s.stage == served && w.cfg.Holder.IsEmpty(n) { //mutate:part-empty
			w.releaseShard(ctx, s)
		}
	}
}

// isDone reports whether a worker that leaves has no shards any more, or has waited long enough.
func (w *Worker) isDone() bool {
	switch {
	case w.patience == nil:
		return false
	case len(w.shards) == 0:
		return true
	case !w.isPatienceOver():
		return false
	case w.giveUp.IsZero():
		w.giveUp = time.Now().Add(lastChance)
	}
	return time.Now().After(w.giveUp)
}

// goAway ends the lease of a worker without shards.
func (w *Worker) goAway(ctx context.Context) error {
	w.stopBeats()
	w.beating.Wait()
	select {
	case <-w.lost:
		return &LostError{w.loss}
	default:
	}
	w.finishLease()
	ctx, cancel := context.WithTimeout(ctx, lastChance)
	defer cancel()
	if err := w.sayGoodbye(ctx); err != nil {
		w.log.Warn("the others are not told that this worker has left: they find out by themselves", "err", err)
	}
	w.log.Info("this worker has left", "shards_left_behind", len(w.shards))
	return nil
}

// sayGoodbye tells the others that this worker has left, again and again until they know.
func (w *Worker) sayGoodbye(ctx context.Context) error {
	for {
		call, cancel := context.WithTimeout(ctx, beatPatience)
		err := w.board.RemoveWorker(call, w.seat)
		cancel()
		if err == nil || errors.Is(err, ErrGone) { // perhaps the first time
			return nil
		}
		if lifecycle.Sleep(ctx, retryBeat) != nil {
			return err
		}
	}
}

// tellDrain tells when somebody has asked the worker to give its accounts away, which holds over restarts, and when that is over.
func (w *Worker) tellDrain(me *Peer) {
	if me.Drain == w.drained {
		return
	}
	w.drained = me.Drain
	if !me.Drain {
		w.log.Info("this worker may have accounts again")
		return
	}
	w.log.Warn("this worker was asked to give its accounts away, until somebody undoes that: nectar workers drain --undo",
		"by", me.Drained.By, "since", me.Drained.At, "why", me.Drained.Why)
}
