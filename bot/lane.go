package bot

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	ahead      = 64          // turns of a lane that may wait for their commit
	leaveAfter = time.Second // past its deadline, a handler is left behind
)

// job is a trigger in a lane.
type job struct {
	trigger        event.Trigger
	since          time.Time // when it came into the lane
	track          *track    // the batch that it came with; nil for timers and what was pending at start
	tries          int
	first          time.Time     // when the first try began, if that failed
	began          time.Time     // when this try began
	waited         time.Duration // for what the platform does not tell
	cannotBeStored bool          // what the turn decided can never be stored
	denied         []string      // limits whose limit uses were denied to the turn
	facts          []event.Fact  // that its turn has recorded, also when the turn failed
	storedFacts    int           // how many of them are stored
	commitTurn     *store.Turn   // on its way, when turns behind it ask for what it decided
	waitsForRetry  bool          // waits before its next try; what people decide passes it, so the lane may run
	note           string        // what its decision record has to say
	deaths         int           // how often the process died of it, in earlier incarnations

	// The lane guards these.
	slot    recorder.Slot // where it stands in the recorder's file while its code runs
	suspect *suspect      // nil: it is none
	solo    *solo         // nil: it does not run alone

	forgotten bool // its person was forgotten since: it has no handler
}

// timeLeft returns how long this try may take.
func (j *job) timeLeft() time.Duration {
	if j.first.IsZero() {
		return maxTrying
	}
	return max(time.Second, maxTrying-time.Since(j.first))
}

// lane is the queue of one conversation. Its turns run one after another, each on the result of the
// one before, without waiting for its commit. When a commit fails, the turns after it fail too, and
// the lane starts again from the store.
type lane struct {
	key     event.Key
	account *account

	// Who changes these has locked the lane. Who only looks reads them without: see lanes.
	stateNow    atomic.Uint32                      // the laneState; enterLocked changes it
	queueLength atomic.Int64                       // how many are in the queue
	conv        atomic.Pointer[conversation.State] // as the last turn left it, never changed; nil: load it

	mu       sync.Mutex // guards the fields below
	run      *run       // the goroutine that works on the lane, while that is running or failing
	queue    []*job     // waiting; the first one may be running
	inFlight []*job     // decided, not committed yet
	toRetry  []*job     // whose commit failed, while those after it come back
	token    *store.Sequence

	// None of these is a state: they count, or are true in more than one.
	decided    bool      // somewhere in the queue may be what a person decided
	restored   int       // those in flight that turns behind may ask for
	faults     int       // commits that failed in a row because of the store
	persisting bool      // events that wait are on their way to be stored as such, beside their turns
	cappedAt   time.Time // when the ceiling was last told to be reached
}

// urgent reports whether the item does not wait behind others: what a person decides has to take effect
// while an event before it is tried again and again.
func (j *job) urgent() bool { return j.trigger.Kind == event.ByRequest }

// rank orders what waits in a lane. What waits for the outbox lets decisions pass that the outbox waits for.
func (j *job) rank() int {
	switch {
	case !j.urgent():
		return 2
	case j.waitsForRetry && j.trigger.Request != nil && j.trigger.Request.Wish == event.WishForget: //mutate:forget-rank
		return 1
	}
	return 0
}

// hastenLocked puts what people decided in front of the queue, in its order. Nothing of the queue runs.
func (l *lane) hastenLocked() {
	if !l.decided { //mutate:hasten
		return
	}
	l.decided = false
	slices.SortStableFunc(l.queue, func(x, y *job) int { return x.rank() - y.rank() })
}

// run is one goroutine at work on a lane. When its handler hangs, it is left behind: another takes its place, and all that it still does is refused.
type run struct {
	job *job // what it works on; nil once that is decided, or has failed
}

// submitJob puts an item at the end of its lane; what a person decided goes ahead from there, see hastenLocked.
func (a *account) submitJob(j *job) {
	l := a.lockLane(j.trigger.Key)
	defer l.mu.Unlock()
	j.since = time.Now()
	if len(a.tried) > 0 {
		j.deaths = a.deathsOf(j.trigger.ID())
	}
	a.noteQueued(l, j)
	l.decided = l.decided || j.urgent()
	l.queue = append(l.queue, j) //mutate:lane-queue
	l.queueLength.Store(int64(len(l.queue)))
	a.bot.startLocked(a.term, l)
}

// mayRunLocked reports whether a turn may begin.
func (b *Bot) mayRunLocked(l *lane) bool {
	//mutate:lane-quiet
	return len(l.queue) > 0 && !l.queue[0].waitsForRetry && l.state().mayRun() && len(l.inFlight) < ahead && !l.account.workers.IsStopped() &&
		(l.queue[0].urgent() || l.account.quiet.QuietEnded(l.key.Peer) == nil) && b.admitsLocked(l)
}

// startLocked gives the lane a goroutine if it needs one.
func (b *Bot) startLocked(ctx context.Context, l *lane) {
	if l.run != nil {
		return
	}
	l.hastenLocked()
	switch {
	case !l.state().mayRun():
	case b.mayRunLocked(l) && l.account.workers.Begin():
		l.enterLocked(laneRunning)
		l.run = &run{}
		go b.work(ctx, l, l.run)
	default:
		l.restLocked()
	}
}

// work runs the lane's turns until nothing waits.
func (b *Bot) work(ctx context.Context, l *lane, r *run) {
	defer l.account.workers.End()
	for {
		j, ok := b.next(ctx, l, r)
		if !ok {
			return
		}
		// A handler that outlives its deadline is left behind.
		//mutate:left-behind
		leave := time.AfterFunc(b.tryTimeout(j)+leaveAfter, func() { b.abandonHandler(ctx, l, r, j) })
		err := b.tryOnce(ctx, l, r, j)
		leave.Stop()
		if err != nil {
			b.retryOrQuarantine(ctx, l, r, j, err)
		}
	}
}

// next returns the item to work on; false ends the goroutine.
func (b *Bot) next(ctx context.Context, l *lane, r *run) (*job, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run != r {
		return nil, false
	}
	l.hastenLocked()
	if !b.mayRunLocked(l) || ctx.Err() != nil {
		l.endRunLocked()
		b.restartLocked(ctx, l)
		return nil, false
	}
	j := l.queue[0]
	j.began, r.job = time.Now(), j
	if g := b.suspects.Load(); g != nil {
		g.noteBegin(l, j)
	}
	return j, true
}

// commit hands a turn to the store and lets the lane go on, unless it broke or left this goroutine behind meanwhile.
func (b *Bot) commit(ctx context.Context, l *lane, r *run, out *computedTurn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run == r {
		r.job.facts = out.Facts //mutate:anew-facts
	}
	// What it was computed on may have failed meanwhile, or somebody else has taken its place: then it is computed anew, and nobody must learn
	// of this one.
	//mutate:term-over
	if l.run != r || l.state() == laneFailing || ctx.Err() != nil {
		out.reserved.GiveBack()
		return
	}
	// The lane goes on with this conversation at once, before anybody knows whether it will be stored. The sequence makes that safe: when this
	// turn is not stored, the store refuses all behind it.
	out.Sequence = l.token
	if out.Conversation != nil {
		l.conv.Store(out.Conversation)
	}
	if out.matters() {
		l.queue[0].commitTurn = &out.Turn
		l.restored++
	}
	// Read off before launchLocked takes the job out of the queue.
	cursors := l.queue[0].track.withEvents()
	l.launchLocked()
	r.job = nil
	l.account.values.assignVersions(out.Values, b.store.NextPosition)
	// With the lane locked: in this order the receipts come back, and commitEnded takes the first one in flight for each.
	b.store.Commit(store.Write{Turn: out.write(), Cursors: cursors, Done: func(r store.Receipt) { b.noteCommitted(ctx, l, out, r) }})
	l.account.values.noteQueued(out.Values)
}

// launchLocked moves the first item from the queue to those whose commit is under way.
func (l *lane) launchLocked() {
	l.queue[0].solo.noteDecided()
	l.inFlight = append(l.inFlight, l.queue[0])
	l.queue = shift(l.queue)
	l.queueLength.Store(int64(len(l.queue)))
}

// prepareTurn tells a turn what was denied to it before, and what is on its way before it, and records that its code runs from now on.
func (l *lane) prepareTurn(ctx context.Context, r *run, t *Turn, j *job) context.Context {
	t.denied = j.denied
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run == r {
		ctx = l.account.bot.recordLocked(ctx, l.account, j)
	}
	if l.restored == 0 {
		return ctx
	}
	for _, before := range l.inFlight {
		if before.commitTurn != nil {
			t.before = append(t.before, before.commitTurn)
		}
	}
	return ctx
}

// matters reports whether turns behind it may ask for what it decided.
func (o *computedTurn) matters() bool {
	if slices.ContainsFunc(o.plain, func(a event.Action) bool { return a.State == event.StateDue && a.Due.After(a.DecidedAt) }) { //mutate:until-matters
		return true
	}
	//mutate:matters
	return len(o.LimitUses)+len(o.Entries) > 0 || slices.ContainsFunc(o.Actions, func(a record.Action) bool { return a.Held || a.State == event.StateHeld })
}

// shift drops the first of items.
func shift(jobs []*job) []*job {
	jobs[0] = nil
	return jobs[1:]
}

// noteCommitted takes note of what became of a turn's commit. Receipts come in the order of the commits.
func (b *Bot) noteCommitted(ctx context.Context, l *lane, out *computedTurn, r store.Receipt) {
	l.account.values.noteOutcome(out.Values, r.Err == nil && !r.Dropped)
	if r.Err == nil && !r.Dropped { //mutate:committed
		for _, i := range r.Denied {
			// Before the reservation is committed, which hands all that is left in it to the senders.
			out.reserved.WithdrawAction(i)
			b.counted.countAction(&out.plain[i])
			b.noteCapped(l, out, i)
		}
		if out.Withdraw != "" {
			l.account.quiet.NoteTakenBack(l.key.Peer, out.place, out.Withdraw)
		}
		b.counted.countTurn(&out.Trigger, out.Record.Outcome)
		out.reserved.Commit(ctx)
		l.account.tryAgain(out.Retry) //mutate:retry
		b.timers.set(out.Timers)
		b.timers.set(out.RetryTimers) //mutate:retry-timers
	} else {
		out.reserved.GiveBack()
	}
	b.commitEnded(ctx, l, r)
}

// commitEnded takes the first item in flight out, and restarts the lane when its commit failed.
func (b *Bot) commitEnded(ctx context.Context, l *lane, r store.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.inFlight[0]
	l.inFlight = shift(l.inFlight)
	if j.commitTurn != nil {
		j.commitTurn = nil
		l.restored--
	}
	denied, isDenied := errors.AsType[*store.DeniedError](r.Err)
	if isDenied {
		j.denied = append(j.denied, denied.Limit)
	}
	switch {
	case r.Err == nil && r.Dropped && l.account.renumberNudge(&j.trigger):
		b.unrecordLocked(j, false)
		l.breakLocked()
		l.toRetry = append(l.toRetry, j)
	case r.Err == nil:
		l.faults = 0
		if r.Dropped { // it was handled before, so what the lane thinks it has decided is not what is stored
			l.breakLocked()
		}
		b.unrecordLocked(j, true)
		b.noteFinished(l.account, j)
	default:
		// Only the first one to fail says something of the store: those behind it come back stale, also when the database works.
		if l.state().mayRun() && !isDenied && !errors.Is(r.Err, store.ErrStale) {
			l.faults++
			b.counted.failed.add(struct{}{})
		}
		b.unrecordLocked(j, false)
		j.cannotBeStored = errors.Is(r.Err, store.ErrUnfit) //mutate:unfit
		l.breakLocked()
		l.toRetry = append(l.toRetry, j)
	}
	b.restartLocked(ctx, l)
	b.startLocked(ctx, l)
}

// restartLocked starts a broken lane again from the store, once everything under way has come back.
func (b *Bot) restartLocked(ctx context.Context, l *lane) {
	if l.state() != laneBroken || len(l.inFlight) > 0 {
		return
	}
	//mutate:restarted
	defer b.startLocked(ctx, l) // what came back may be all there is
	l.queue = append(l.toRetry, l.queue...)
	l.queueLength.Store(int64(len(l.queue)))
	l.toRetry, l.decided, l.token = nil, true, nil
	// What the lane remembers was computed on turns that are not stored. Without a token, load begins a new sequence: the old one is
	// refused by the store from its failed turn on.
	l.conv.Store(nil)
	if len(l.queue) > 0 && l.queue[0].cannotBeStored && l.queue[0].tries < maxTries { // the handler's fault, like an error
		j := l.queue[0]
		// The store is not to blame, so it is no pause of the store that follows but a try of the job, which are counted.
		j.cannotBeStored, l.faults = false, 0
		l.restLocked()
		b.triedLocked(ctx, l, j, store.ErrUnfit)
		return
	}
	if l.faults > 0 {
		b.pauseLocked(ctx, l, min(100*time.Millisecond<<min(l.faults, 7), 10*time.Second))
		return
	}
	l.restLocked()
}

// pauseLocked stops the lane for a while.
func (b *Bot) pauseLocked(ctx context.Context, l *lane, d time.Duration) {
	l.enterLocked(lanePaused)
	b.after(ctx, l, d, l.restLocked)
}

// waitLocked lets an item wait before its next try. What people decide goes ahead of it meanwhile; everything else waits behind it.
func (b *Bot) waitLocked(ctx context.Context, l *lane, j *job, d time.Duration) {
	j.waitsForRetry = true
	b.after(ctx, l, d, func() { j.waitsForRetry = false })
}

// after calls f with the lane locked after a while, or when the account's term ends, and lets the lane go on.
func (b *Bot) after(ctx context.Context, l *lane, d time.Duration, f func()) {
	workers := l.account.workers
	if !workers.Begin() {
		return
	}
	go func() {
		defer workers.End()
		workers.Sleep(ctx, d)
		l.mu.Lock()
		defer l.mu.Unlock()
		f()
		b.startLocked(ctx, l)
	}()
}
