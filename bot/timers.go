package bot

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
)

// timers brings due timers into the lanes of their conversations.
type timers struct {
	mu     sync.Mutex
	flying map[string]uint64     // timers in the lanes: 0; or the last reading begun when they were done
	ahead  map[event.Account]int // how many are in the lanes
	reads  uint64                // readings of the store begun
	again  time.Time             // when the store is read again by itself; zero: it is being read, or not for long
	wake   chan struct{}

	silences silences
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
	return &timers{flying: map[string]uint64{}, ahead: map[event.Account]int{}, wake: make(chan struct{}, 1)}
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
		ts.poke()
	}
}

func (ts *timers) poke() {
	select {
	case ts.wake <- struct{}{}:
	default:
	}
}

// done notes that a timer has left its lane. A reading under way may still show it as it was.
func (ts *timers) done(t event.Timer) {
	ts.mu.Lock()
	ts.flying[string(t.Key.Account)+t.ID()] = ts.reads
	ts.ahead[t.Key.Account]--
	ts.mu.Unlock()
}

// begin notes that a reading of the store begins.
func (ts *timers) begin() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.reads++
	ts.again = time.Time{}
}

// end notes that the reading is over: what was done before it began cannot come back.
func (ts *timers) end() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for id, done := range ts.flying {
		if done > 0 && done < ts.reads {
			delete(ts.flying, id)
		}
	}
}

// take notes that a timer goes into its lane, unless it is there already, or full: too many of its account are.
func (ts *timers) take(t event.Timer) (taken, full bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	id := string(t.Key.Account) + t.ID()
	if done, ok := ts.flying[id]; ok && (done == 0 || done >= ts.reads) { //mutate:timer-done
		return false, false
	}
	if ts.ahead[t.Key.Account] >= timersAhead { //mutate:timers-ahead
		return false, true
	}
	ts.flying[id] = 0
	ts.ahead[t.Key.Account]++
	return true, false
}

// runTimers runs until ctx is done.
func (b *Bot) runTimers(ctx, lanes context.Context) {
	failing, stuck := false, 0 // stuck: due timers that the last reading showed in vain
	for ctx.Err() == nil {
		b.timers.begin()
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
		fresh, full, waiting := b.ring(lanes, due)
		b.timers.end()
		stuck = len(due) - fresh
		if waiting > 0 {
			wait = min(wait, clockCheck) // it may have waited for long enough
		}
		if full {
			wait = time.Second
		}
		if full || waiting > timerBatch { // to read them takes its time: not each time that something changes
			b.timers.rest(ctx, time.Second)
		}
		b.timers.sleep(ctx, wait)
	}
}

// ring brings due timers into their lanes, and sets those aside that this program has no route for. It returns how
// many it did so with, whether those of an account are as many as may be, and how many wait until their conversation
// is heard.
func (b *Bot) ring(lanes context.Context, due []store.DueTimer) (fresh int, full bool, waiting int) {
	var orphans []event.Timer
	for i := range due {
		t := &due[i]
		a, ripe, note := b.accounts[t.Key.Account], true, ""
		routed := b.routes(t.Key.Account, t.Name) //mutate:orphan
		switch {
		case routed && a.pausesTimer(t.Name):
			ripe = false
		case routed:
			ripe, note = b.ripe(lanes, a, &t.Timer)
		}
		if !ripe {
			waiting++
			continue
		}
		taken, over := b.timers.take(t.Timer)
		full = full || over
		switch {
		case !taken:
			continue
		case routed:
			//mutate:timer-tries
			b.submit(lanes, a, &item{
				trigger: event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t.Timer, Late: t.Late}, tries: t.Tries, note: note,
			})
		default:
			orphans = append(orphans, t.Timer)
		}
		fresh++
	}
	b.orphan(orphans)
	return fresh, full, waiting
}

// rest waits, whatever changes.
func (ts *timers) rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// sleep waits for the next reading. A long wait ends with any timer that is set: who knows what the clock says by then.
func (ts *timers) sleep(ctx context.Context, d time.Duration) {
	if d <= clockCheck {
		ts.mu.Lock()
		ts.again = time.Now().Add(d)
		ts.mu.Unlock()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ts.wake:
	case <-ctx.Done():
	}
}
