package lease

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
)

const (
	planEvery = 2 * time.Second
	// planSoon is how soon after a plan there is another one when shards have to leave where they are.
	planSoon = 250 * time.Millisecond
	// hintRest is how long hints are gathered.
	hintRest = 25 * time.Millisecond
)

// Run takes shards and gives them away, until the worker has left (nil), the lease is lost (a *LostError), or the context ends: then
// it stops at once, and leaves everything as a crash would.
func (w *Worker) Run(ctx context.Context) error {
	defer close(w.left)
	serving, end := context.WithCancel(ctx)
	// What is under way at the board ends when the lease is lost, not when Run gets to see that: it would act for shards that are others'.
	w.calls.Go(func() {
		select {
		case <-w.losing:
		case <-serving.Done():
		}
		end()
	})
	defer func() {
		w.stopBeats()
		w.finishLease()
		end()
		w.calls.Wait()
		w.beating.Wait()
	}()
	if w.cfg.Budget != nil {
		w.calls.Go(func() { w.shareBudgets(serving) })
	}
	// Told with a beat at once: a worker that is only entering gets no shards.
	w.state.CompareAndSwap(int32(StateEntering), int32(StateUp))
	w.beatNow()
	w.timer = time.NewTimer(0)
	defer w.timer.Stop()
	var rested time.Time
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.lost:
			return &LostError{w.loss}
		case w.patience = <-w.leave:
			w.timer.Reset(0)
		case <-w.news:
			w.catchUp()
			w.release(serving)
			if w.isDone() {
				return w.goAway(ctx)
			}
		case <-w.board.Hints():
			// However many hints come, looks keep a distance: a board with many workers would be asked by each about each change of each.
			w.timer.Reset(max(time.Until(rested), 0))
		case <-w.timer.C:
			next := w.round(serving)
			rested = time.Now().Add(hintRest)
			if w.isDone() {
				return w.goAway(ctx)
			}
			w.timer.Reset(next)
		}
	}
}

// round looks at the board once, does what follows, and returns how long it is until the next time.
func (w *Worker) round(ctx context.Context) time.Duration {
	began := time.Now()
	view := w.look(ctx)
	if view == nil {
		if w.isPatienceOver() {
			w.partAll(ctx)
		}
		return min(retryBeat, max(beatEvery-time.Since(began), hintRest))
	}
	me := view.WorkerByNumber(w.seat.Worker)
	// Epochs only grow: a board with a lower one, or without this worker, has forgotten that it entered.
	if me == nil || me.Epoch < w.seat.Epoch {
		w.loseLease(record.ErrWentBack)
		return beatEvery
	}
	if me.Epoch > w.seat.Epoch || me.State == StateGone {
		w.loseLease(ErrGone)
		return beatEvery
	}
	w.tellClocks(me)
	w.tellDrain(me)
	dead, next := w.watch.deadWorkers(w.seat.Worker)
	taken := false
	for _, d := range dead {
		taken = w.takeOver(ctx, view, d) || taken
	}
	if !w.compare(ctx, view) {
		return beatEvery
	}
	// Before the plan, which is for later: these have nobody at this moment.
	if w.mayAcquire(view) {
		w.acquire(ctx, view)
	}
	if taken || w.isPlanDue(view) {
		w.plan(ctx)
		w.acquire(ctx, view)
	}
	if rest := beatEvery - time.Since(began); next == 0 || rest < next {
		next = rest
	}
	if w.isStuck(view) {
		next = min(next, planSoon)
	}
	return max(next, hintRest) // not all of it is over when it should be: timers are early at times
}

// look looks at the board; nil when it does not answer.
func (w *Worker) look(ctx context.Context) *View {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	asked := w.clock.Steady()
	view, err := w.board.ReadView(ctx)
	if err != nil {
		w.watch.noteMissed()
		w.noteTrouble("look at the others", err)
		return nil
	}
	w.watch.noteView(view, asked, w.clock.Steady())
	w.calm()
	return view
}

// takeOver takes over from a worker that does not move.
func (w *Worker) takeOver(ctx context.Context, v *View, d Sight) bool {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	err := w.takeOverFrom(ctx, v, d)
	if err != nil {
		w.noteTrouble("take over from a worker that does not move", err)
	}
	return err == nil // another one may have been faster
}

// takeOverFrom is takeOver, and says so if it was this worker that did.
func (w *Worker) takeOverFrom(ctx context.Context, v *View, d Sight) error {
	taken, err := w.board.TakeOver(ctx, d)
	if err != nil || !taken {
		return err
	}
	dead := v.WorkerByNumber(d.Worker)
	w.log.Warn("a worker does not move any more, and was not stopped; its shards go to others", "worker", dead.Name, "version", dead.Version,
		"last_sign_of_life", dead.Seen.UTC().Format(time.RFC3339))
	if w.cfg.Died != nil {
		w.cfg.Died(*dead)
	}
	return nil
}

// compare does what follows from whose shards are on the board; false when it has lost what it had confirmed.
func (w *Worker) compare(ctx context.Context, v *View) bool {
	w.findForgotten(v)
	for n, s := range w.shards {
		b := &v.Shards[n]
		mine := b.Owner == w.seat.Worker && b.Epoch == s.Epoch
		switch {
		// The answer to the last try was lost, or the database did not answer. Nobody serves the shard meanwhile, so it goes first.
		case mine && s.stage == unclear:
			s.stage = parted
		case mine && s.stage == served && b.Wanted != 0 && b.Wanted != w.seat.Worker && !time.Now().Before(s.after):
			w.releaseShard(ctx, s)
		case mine, s.stage == releasing, s.stage == parting: // the board may have been told by now
		// The release had arrived after all, and somebody else has the shard, or will.
		case s.stage == unclear, s.stage == parted:
			delete(w.shards, n)
		default: // nobody frees a shard of one who has a lease
			w.loseLease(record.ErrWentBack)
			return false
		}
	}
	switch {
	case w.patience == nil:
	case w.isPatienceOver() || !w.hasOthers(v):
		w.partAll(ctx)
	default: // in the portions of plans, but for those of which nobody would miss anything
		w.partEmpty(ctx)
	}
	w.release(ctx)
	return true
}

// findForgotten finds shards of this worker that it knows nothing of, since the answer to an acquiring was lost, and that are not for it
// any more. The others are acquired again.
func (w *Worker) findForgotten(v *View) {
	for i := range v.Shards {
		b := &v.Shards[i]
		if b.Owner == w.seat.Worker && w.shards[i] == nil && (b.Wanted != w.seat.Worker || !w.mayHave()) {
			w.shards[i] = &held{Holding: Holding{Shard: i, Epoch: b.Epoch}, stage: parted}
		}
	}
}

// mayHave reports whether this worker may take shards.
func (w *Worker) mayHave() bool {
	return State(w.state.Load()) == StateUp && !w.watch.isOdd(w.seat.Worker)
}

// isStuck reports whether shards wait for their turn to leave where they are, and there is somebody else.
func (w *Worker) isStuck(v *View) bool {
	keeps, others := map[int64]bool{}, false
	for _, c := range w.watch.planCandidates(v) {
		keeps[c.Worker], others = c.Keeps, others || c.Takes
	}
	for i := range v.Shards {
		if s := &v.Shards[i]; others && s.Owner != 0 && !keeps[s.Owner] && (s.Wanted == 0 || s.Wanted == s.Owner) {
			return true
		}
	}
	return false
}

// isPlanDue reports whether it is time for a plan that would change something.
func (w *Worker) isPlanDue(v *View) bool {
	candidates := w.watch.planCandidates(v)
	takes := map[int64]bool{}
	for _, c := range candidates {
		takes[c.Worker] = c.Takes
	}
	loose, stuck := false, w.isStuck(v)
	for i := range v.Shards {
		s := &v.Shards[i]
		// Nobody serves it, and nobody is about to: that does not wait for the usual pause.
		loose = loose || s.Owner == 0 && !takes[s.Wanted]
	}
	passed := w.watch.last - w.watch.since
	if !loose && passed < planSoon || !loose && !stuck && passed < planEvery {
		return false
	}
	return len(PlanMoves(candidates, &v.Shards)) > 0
}

// plan plans, unless somebody else does at this moment.
func (w *Worker) plan(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	_, err := w.board.StorePlan(ctx, w.seat, func(v *View) []Want { return PlanMoves(w.watch.planCandidates(v), &v.Shards) })
	if err != nil {
		w.noteTrouble("plan", err)
	}
}

// mayAcquire reports whether there is something to acquire, or something of this worker's that it does not know of.
func (w *Worker) mayAcquire(v *View) bool {
	if !w.mayHave() {
		return false
	}
	for i := range v.Shards {
		s := &v.Shards[i]
		if s.Owner == 0 && s.Wanted == w.seat.Worker || s.Owner == w.seat.Worker && w.shards[i] == nil {
			return true
		}
	}
	return false
}

// acquire takes what is free and wanted for this worker.
func (w *Worker) acquire(ctx context.Context, v *View) {
	if !w.mayHave() {
		return
	}
	var again []int
	for i := range v.Shards {
		if v.Shards[i].Owner == w.seat.Worker && w.shards[i] == nil {
			again = append(again, i)
		}
	}
	call, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	got, err := w.board.Acquire(call, w.seat, again...)
	if err != nil {
		w.noteTrouble("acquire shards", err)
		return
	}
	w.giveToHolder(ctx, got)
}

// noteTrouble notes that the board did not do what it was asked for; ErrGone is looked at in the next round.
func (w *Worker) noteTrouble(what string, err error) {
	if errors.Is(err, ErrGone) {
		w.timer.Reset(0)
		return
	}
	if !w.troubled && !errors.Is(err, context.Canceled) {
		w.log.Warn("the database of the workers gives trouble", "while", what, "err", err)
	}
	w.troubled, w.failed = true, true
}

// calm notes that the board answers.
func (w *Worker) calm() {
	if w.troubled && !w.failed {
		w.troubled = false
		w.log.Info("the database of the workers works again")
	}
	w.failed = false
}
