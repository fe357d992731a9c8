package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// A lane is the queue of one conversation. Its turns run one after another, in one goroutine, which is there as long as a turn may begin. A turn does not wait for
// the commit of the one before: it goes on from what that one has decided. All these commits are one sequence. When one of them fails, the store refuses
// those behind it; the lane waits until each of them has come back, puts them in front of its queue, and starts again from what is stored.

// laneState is where a lane stands.
type laneState uint32

const (
	laneIdle    laneState = iota // nothing is in it: it may be forgotten
	laneWaiting                  // no turn may begin: one waits for something, or only commits are under way
	laneRunning                  // a goroutine runs its turns
	laneBroken                   // a commit has failed: no turn begins until all that is under way has come back
	lanePaused                   // all has come back, and the store is failing: the lane starts again after a while
	laneStates
)

var laneStateNames = [laneStates]string{"idle", "waiting", "running", "broken", "paused"}

func (s laneState) String() string { return laneStateNames[s] }

// hasFailed reports whether a commit has failed, and the lane has not started again since.
func (s laneState) hasFailed() bool { return s >= laneBroken }

// laneTransition is one way from a state to another. docs/architecture/events.md has a diagram of them.
type laneTransition struct {
	from, to laneState
	why      string
}

var laneTransitions = []laneTransition{
	{laneIdle, laneWaiting, "something comes in"},
	{laneWaiting, laneRunning, "a turn may begin"},
	{laneWaiting, laneIdle, "the last commit is made"},
	{laneWaiting, laneBroken, "a commit fails"},
	{laneRunning, laneWaiting, "no turn may begin, or a handler is left behind"},
	{laneRunning, laneIdle, "nothing is left"},
	{laneRunning, laneBroken, "a commit fails"},
	{laneBroken, laneWaiting, "all has come back"},
	{laneBroken, laneIdle, "all has come back, and nothing is left"},
	{laneBroken, lanePaused, "all has come back, and the store is failing"},
	{lanePaused, laneWaiting, "its time is over"},
}

// laneMay has, for each state, a bit for each one that it may become.
var laneMay = func() (may [laneStates]uint8) {
	for _, t := range laneTransitions {
		may[t.from] |= 1 << t.to
	}
	return may
}()

// lane is what a conversation's turns stand in; see above.
type lane struct {
	key     event.Key
	account *account

	// Only code that has locked the lane changes these. Code that only looks reads them without the lock: see lanes.
	stateNow    atomic.Uint32                      // the laneState; enterLocked changes it
	queueLength atomic.Int64                       // how many are in the queue
	conv        atomic.Pointer[conversation.State] // as the last turn left it, never changed; nil: load it

	mu       sync.Mutex // guards the fields below
	run      *run       // the goroutine that works on the lane, also on a broken one until its turn has ended; nil: none
	queue    []*job     // waiting; the first one may be running
	inFlight []*job     // decided, not committed yet
	toRetry  []*job     // whose commit failed, while those after it come back
	sequence *store.Sequence

	urgent     bool      // something in the queue may be urgent
	faults     int       // commits that failed in a row because of the store
	persisting bool      // events that wait are on their way to be stored as such, beside their turns
	cappedAt   time.Time // when the ceiling was last told to be reached
}

// state returns where the lane stands. Code that has not locked it learns how it stood a moment ago, but for one thing: with the
// account's lanes locked, what is idle stays so.
func (l *lane) state() laneState { return laneState(l.stateNow.Load()) }

// enterLocked is the only way to another state. One that is not in the table is a mistake of ours, after which nobody knows what the
// lane would do, or repeat: a crash loses nothing.
func (l *lane) enterLocked(to laneState) {
	from := l.state()
	if from == to {
		return
	}
	if laneMay[from]&(1<<to) == 0 {
		panic(fmt.Sprintf("bot: a lane that is %v becomes %v", from, to))
	}
	l.stateNow.Store(uint32(to))
}

// restLocked takes a lane on which nobody works, and which nothing holds up, to where it stands then.
func (l *lane) restLocked() {
	if len(l.queue)+len(l.inFlight)+len(l.toRetry) == 0 {
		l.enterLocked(laneIdle)
		return
	}
	l.enterLocked(laneWaiting)
}

// endRunLocked notes that no goroutine works on the lane any more.
func (l *lane) endRunLocked() {
	l.run = nil
	if !l.state().hasFailed() {
		l.restLocked()
	}
}

const (
	ahead      = 64          // turns of a lane that may wait for their commit
	leaveAfter = time.Second // past its deadline, a handler is left behind
)

// hastenLocked puts what people decided in front of the queue, in its order. Nothing of the queue runs.
func (l *lane) hastenLocked() {
	if !l.urgent { //mutate:hasten
		return
	}
	l.urgent = false
	slices.SortStableFunc(l.queue, func(x, y *job) int { return x.queueRank() - y.queueRank() })
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
	l.urgent = l.urgent || j.isUrgent()
	l.queue = append(l.queue, j) //mutate:lane-queue
	l.queueLength.Store(int64(len(l.queue)))
	a.bot.startLocked(a.term, l)
}

// mayRunLocked reports whether a turn may begin.
func (b *Bot) mayRunLocked(l *lane) bool {
	//mutate:lane-quiet
	return len(l.queue) > 0 && !l.queue[0].waitsForRetry && !l.state().hasFailed() && len(l.inFlight) < ahead && !l.account.workers.IsStopped() &&
		(l.queue[0].isUrgent() || l.account.quiet.QuietEnded(l.key.Peer) == nil) && b.admitsLocked(l)
}

// startLocked gives the lane a goroutine if it needs one.
func (b *Bot) startLocked(ctx context.Context, l *lane) {
	if l.run != nil || l.state().hasFailed() {
		return
	}
	l.hastenLocked()
	if !b.mayRunLocked(l) || !l.account.workers.Begin() {
		l.restLocked()
		return
	}
	l.enterLocked(laneRunning)
	l.run = &run{}
	go b.work(ctx, l, l.run)
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
	for _, before := range l.inFlight {
		if before.commitTurn != nil {
			t.before = append(t.before, before.commitTurn)
		}
	}
	return ctx
}

// shift drops the first of items.
func shift(jobs []*job) []*job {
	jobs[0] = nil
	return jobs[1:]
}

// commitEnded takes the first item in flight out, and restarts the lane when its commit failed.
func (b *Bot) commitEnded(ctx context.Context, l *lane, r store.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.inFlight[0]
	l.inFlight = shift(l.inFlight)
	j.commitTurn = nil
	denied, isDenied := errors.AsType[*store.DeniedError](r.Err)
	if isDenied {
		j.denied = append(j.denied, denied.Limit)
	}
	// Only the first one to fail says something of the store: those behind it come back stale, also when the database works.
	if r.Err != nil && !isDenied && !l.state().hasFailed() && !errors.Is(r.Err, store.ErrStale) {
		l.faults++
		b.counted.failed.add(struct{}{})
	}
	again := r.Err != nil || r.Dropped && l.account.renumberNudge(&j.trigger)
	if again || r.Dropped { // what was handled before was decided otherwise than the lane thinks
		l.enterLocked(laneBroken)
	}
	b.unrecordLocked(j, !again)
	if again {
		j.cannotBeStored = errors.Is(r.Err, store.ErrUnfit) //mutate:unfit
		l.toRetry = append(l.toRetry, j)
	} else {
		l.faults = 0
		b.noteFinished(l.account, j)
	}
	b.restartLocked(ctx, l)
	b.startLocked(ctx, l)
}

// restartLocked starts a broken lane again from the store, once everything under way has come back.
func (b *Bot) restartLocked(ctx context.Context, l *lane) {
	if l.state() != laneBroken || l.run != nil || len(l.inFlight) > 0 {
		return
	}
	//mutate:restarted
	defer b.startLocked(ctx, l) // what came back may be all there is
	l.queue = append(l.toRetry, l.queue...)
	l.queueLength.Store(int64(len(l.queue)))
	l.toRetry, l.urgent, l.sequence = nil, true, nil
	// What the lane remembers was computed on turns that are not stored. load begins a new sequence: the old one is
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
		l.enterLocked(lanePaused)
		b.after(ctx, l, min(100*time.Millisecond<<min(l.faults, 7), 10*time.Second), l.restLocked)
		return
	}
	l.restLocked()
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
