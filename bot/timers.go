package bot

import (
	"context"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// timers brings due timers into the lanes of their conversations.
type timers struct {
	mu     sync.Mutex
	flying map[string]uint64 // timers in the lanes: 0; or the reading under way when they were done
	reads  uint64            // readings of the store begun
	wake   chan struct{}
}

// timerBatch is how many due timers are read at a time.
const timerBatch = 256

func newTimers() *timers {
	return &timers{flying: map[string]uint64{}, wake: make(chan struct{}, 1)}
}

// set notes that timers were stored.
func (ts *timers) set(changed []event.Timer) {
	if len(changed) > 0 {
		ts.poke()
	}
}

func (ts *timers) poke() {
	select {
	case ts.wake <- struct{}{}:
	default:
	}
}

// done notes that a timer's turn is stored. A reading under way may still show it.
func (ts *timers) done(t event.Timer) {
	ts.mu.Lock()
	ts.flying[string(t.Key.Account)+t.ID()] = ts.reads
	ts.mu.Unlock()
	ts.poke()
}

// begin notes that a reading of the store begins.
func (ts *timers) begin() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.reads++
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

// take notes that a timer goes into its lane; false when it is there already.
func (ts *timers) take(t event.Timer) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	id := string(t.Key.Account) + t.ID()
	if _, ok := ts.flying[id]; ok {
		return false
	}
	ts.flying[id] = 0
	return true
}

// runTimers runs until ctx is done.
func (b *Bot) runTimers(ctx, lanes context.Context) {
	failing := false
	for ctx.Err() == nil {
		b.timers.begin()
		due, next, err := b.store.DueTimers(ctx, time.Now(), timerBatch)
		if err != nil && ctx.Err() == nil && !failing {
			b.log.Error("cannot read the due timers; trying again", "err", err)
		}
		failing = err != nil
		wait := time.Hour
		switch {
		case failing:
			wait = time.Second
		case !next.IsZero():
			wait = max(time.Until(next), time.Millisecond)
		}
		fresh := 0
		for _, t := range due {
			a := b.accounts[t.Key.Account]
			if a == nil || !b.timers.take(t) {
				continue
			}
			fresh++
			b.submit(lanes, a, &item{trigger: event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t}})
		}
		b.timers.end()
		if len(due) == timerBatch && fresh == 0 {
			wait = time.Second // all of them are in their lanes; done wakes us
		}
		b.timers.sleep(ctx, wait)
	}
}

func (ts *timers) sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ts.wake:
	case <-ctx.Done():
	}
}
