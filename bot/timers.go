package bot

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/record"
)

// timers brings due timers into the lanes of their conversations.
type timers struct {
	woken   chan struct{}
	strange ringing // of accounts that the bot does not have

	mu    sync.Mutex            // guards the fields below
	reads uint64                // readings of the store begun
	again time.Time             // when the store is read again by itself; zero: it is being read, or not for long
	swept map[*ringing]struct{} // of whom something was done
}

// ringing are due timers of an account that were read, and are in their lanes or were a moment ago.
type ringing struct {
	mu       sync.Mutex        // guards the fields below
	inFlight map[string]uint64 // in the lanes: 0; or the last reading begun when they were done
	ahead    int               // how many are in the lanes
}

const (
	// timerBatch is how many due timers are read at a time, at least, beyond those that stay where they are.
	timerBatch = 256
	// timersAhead is how many timers of an account may be in the lanes before others of it have to wait.
	timersAhead = 8192
	// clockCheck is how often a wait for a time of day looks at the clock again: it may have been set,
	// and the process stands still while a machine sleeps.
	clockCheck = time.Minute
)

func newTimers() *timers {
	return &timers{swept: map[*ringing]struct{}{}, woken: make(chan struct{}, 1)}
}

// set notes that timers were stored. Those that are due after the next reading are seen then.
func (ts *timers) set(changed []event.Timer) {
	if len(changed) == 0 {
		return
	}
	ts.mu.Lock()
	again := ts.again
	ts.mu.Unlock()
	if slices.ContainsFunc(changed, func(t event.Timer) bool { return !t.Due.IsZero() && (again.IsZero() || t.Due.Before(again)) }) {
		ts.wake()
	}
}

func (ts *timers) wake() {
	select {
	case ts.woken <- struct{}{}:
	default:
	}
}

// ofAccount returns the due timers of an account, nil for one that the bot does not have.
func (ts *timers) ofAccount(a *account) *ringing {
	if a == nil { //mutate:timers-ahead
		return &ts.strange
	}
	return &a.timers
}

// done notes that a timer has left its lane. A reading under way may still show it as it was.
func (ts *timers) done(r *ringing, t *event.Timer) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.swept[r] = struct{}{}
	r.done(t, ts.reads)
}

// beginReading notes that a reading of the store begins, and returns its number. What was set until now was stored before: this reading sees it,
// and no other is needed.
func (ts *timers) beginReading() uint64 {
	select {
	case <-ts.woken:
	default:
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.reads++
	ts.again = time.Time{}
	return ts.reads
}

// endReading notes that the reading is over: what was done before it began cannot come back.
func (ts *timers) endReading() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for r := range ts.swept {
		if !r.sweep(ts.reads) {
			delete(ts.swept, r)
		}
	}
}

// done notes that a timer has left its lane when so many readings had begun.
func (r *ringing) done(t *event.Timer, readings uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight[string(t.Key.Account)+t.ID()] = readings
	r.ahead--
}

// noteQueued notes that a timer that a reading has shown goes into its lane, unless it is there already, or full: too many of its
// account are.
func (r *ringing) noteQueued(t event.Timer, reading uint64) (taken, full bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := string(t.Key.Account) + t.ID()
	if done, ok := r.inFlight[id]; ok && (done == 0 || done >= reading) { //mutate:timer-done
		return false, false
	}
	if r.ahead >= timersAhead {
		return false, true
	}
	if r.inFlight == nil {
		r.inFlight = map[string]uint64{}
	}
	r.inFlight[id] = 0
	r.ahead++
	return true, false
}

// sweep forgets what was done before a reading began, and reports whether something later is left.
func (r *ringing) sweep(reading uint64) (left bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, done := range r.inFlight {
		switch {
		case done == 0:
		case done < reading:
			delete(r.inFlight, id)
		default:
			left = true
		}
	}
	return left
}

// runTimers runs until ctx is done.
func (b *Bot) runTimers(ctx context.Context) {
	failing, stuck := false, 0 // stuck: due timers that the last reading showed in vain
	for ctx.Err() == nil {
		if b.cfg.Yield != nil {
			b.cfg.Yield(ctx, "timers") // several may be set at one instant
		}
		reading := b.timers.beginReading()
		limit := stuck + max(stuck, timerBatch)
		due, next, err := b.store.DueTimers(ctx, time.Now(), limit)
		if err != nil && ctx.Err() == nil && !failing {
			b.log.Error("cannot read the due timers; trying again", "err", err)
		}
		failing = err != nil
		wait := time.Hour
		switch {
		case failing:
			wait = time.Second
		case !next.IsZero():
			wait = max(min(time.Until(next), clockCheck), time.Millisecond)
		}
		fresh, full, waiting := b.submitDue(due, reading)
		b.timers.endReading()
		stuck = len(due) - fresh
		if waiting > 0 {
			wait = min(wait, clockCheck) // it may have waited for long enough
		}
		if full {
			wait = time.Second
		}
		if full || waiting > timerBatch { // to read them takes its time: not each time that something changes
			_ = lifecycle.Sleep(ctx, time.Second)
		}
		b.timers.sleep(ctx, wait)
	}
}

// submitDue brings due timers that a reading has shown into their lanes, and sets those aside that this program has no route
// for. It returns how many it did so with, whether those of an account are as many as may be, and how many wait until their
// conversation is heard, or their account's term begins.
func (b *Bot) submitDue(due []record.DueTimer, reading uint64) (fresh int, full bool, waiting int) {
	var orphans []event.Timer
	var of []*ringing
	for i := range due {
		t := &due[i]
		a := b.accounts.byName(t.Key.Account)
		r := b.timers.ofAccount(a)
		// An account whose term has not begun, or a shard that is changing hands, is not one without a route: its timer waits, and is not set aside.
		if a != nil && !a.beginWork() || a == nil && !b.whole(t.Key.Account.Shard()) { //mutate:whole-shard
			waiting++
			continue
		}
		// The term cannot end before leave: what is put into a lane now would be in nobody's.
		taken, over, waits := b.ringOne(a, r, t, reading)
		if a != nil {
			a.endWork()
		}
		full = full || over
		switch {
		case waits:
			waiting++
		case taken:
			fresh++
			if !b.hasTimerRoute(t.Key.Account, t.Name) {
				orphans, of = append(orphans, t.Timer), append(of, r)
			}
		}
	}
	// Together, in one write: a program that was deployed without a route may find thousands of them.
	b.setAsideOrphans(orphans, of)
	return fresh, full, waiting
}

// ringOne does so with one timer, of an account that is at work or nil; it leaves those aside that are to be set aside.
func (b *Bot) ringOne(a *account, r *ringing, t *record.DueTimer, reading uint64) (taken, full, waits bool) {
	note := ""
	routed := b.hasTimerRoute(t.Key.Account, t.Name) //mutate:orphan
	if routed {
		ripe := !a.pausesTimer(t.Name)
		if ripe {
			ripe, note = a.isTimerReady(&t.Timer)
		}
		if !ripe {
			return false, false, true
		}
	}
	taken, full = r.noteQueued(t.Timer, reading)
	if taken && routed {
		//mutate:timer-tries
		a.submitJob(&job{
			trigger: event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t.Timer, Late: t.Late}, tries: t.Tries, note: note,
		})
	}
	return taken, full, false
}

// sleep waits for the next reading. A long wait ends with any timer that is set: who knows what the clock says by then.
func (ts *timers) sleep(ctx context.Context, d time.Duration) {
	if d <= clockCheck {
		ts.mu.Lock()
		ts.again = time.Now().Add(d)
		ts.mu.Unlock()
	}
	lifecycle.Wait(ctx, d, ts.woken, nil)
}

// timerIsLate is how late a timer's turn is when its decision record says so.
const timerIsLate = time.Minute

// Lateness returns how long after the time that it was set to the turn of a timer begins: moments, unless the bot
// was down, a person had the conversation, the handler failed before, or no program had a route for the timer. It
// is 0 for turns that no timer started. Trigger.Late says that it was quarantined in between.
func (t *Turn) Lateness() time.Duration {
	if t.Trigger.Kind != event.ByTimer {
		return 0
	}
	return max(0, t.Now.Sub(firstDue(&t.Trigger.Timer)))
}

// firstDue returns when a timer was due first.
func firstDue(t *event.Timer) time.Time {
	if t.First.IsZero() {
		return t.Due
	}
	return t.First
}

// putOff lets the timer of the turn come again later. It knows when it was due first.
func (t *Turn) putOff(d time.Duration) {
	x := &t.Trigger.Timer
	t.waitFor(d, x.Name, x.Data)
	t.timers[len(t.timers)-1].First = firstDue(x) //mutate:put-off
}

// A clock that was ahead and is set back leaves timers and actions behind that would wait for their delay, and for as long as the clock was ahead.
// Those that wait for a while wait for it anew; what was set to a time of day keeps its time. That is looked at when a term begins, and when the clock is
// set back beside it.

// setBackSlack is by how much a clock is corrected without being set back.
const setBackSlack = time.Second

// wallWatch notices that the clock on the wall was set back.
type wallWatch struct {
	mu     sync.Mutex // guards the fields below
	steady time.Time  // of the last look
	wall   time.Time  // the same as the clock on the wall had it
	again  bool       // it was set back before the last look: turns that had begun by then may have been stored since
}

// needsLook reports whether what was set by a later clock is to be looked for.
func (w *wallWatch) needsLook(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	back := w.wall.Add(now.Sub(w.steady)).Sub(now.Round(0))
	was, is := w.again, !w.steady.IsZero() && back > setBackSlack //mutate:set-back-look
	w.steady, w.wall, w.again = now, now.Round(0), is
	return is || was
}

// watchWall pulls in what stands too far ahead since the clock was set back, until ctx is done.
func (b *Bot) watchWall(ctx context.Context) {
	b.wall.needsLook(time.Now())
	runEvery(ctx, clockCheck, func() {
		if !b.wall.needsLook(time.Now()) {
			return
		}
		b.eachAtWork(func(a *account) {
			if a.pullIn(ctx) == nil {
				a.outbox.DueAnew(a.term) //nolint:contextcheck // it outlives this look
			}
		})
		b.timers.wake()
	})
}

// pullIn lets what a later clock has set to wait for a while wait for that while from now on.
func (a *account) pullIn(ctx context.Context) error {
	n, err := a.bot.store.PullIn(ctx, a.name, time.Now())
	if n > 0 {
		a.bot.log.WarnContext(ctx, "the clock has been set back since timers and actions were set to wait for a while; they wait for that while from now on",
			"account", a.name, "of_them", n)
	}
	return err
}
