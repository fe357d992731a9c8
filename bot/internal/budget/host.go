package budget

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"golang.org/x/time/rate"
)

const (
	// burstFor is for how long a host's budget may be saved up.
	burstFor = time.Second / 4
	// soonest and latest bound how long it takes until it makes sense to ask again for what is not there.
	soonest = 2 * time.Millisecond
	latest  = time.Second
)

// Host is a host of the platform: its budget is a bucket that fills evenly, and begins empty.
type Host struct {
	of      *Budget
	name    string
	limited atomic.Bool

	mu       sync.Mutex // guards the fields below
	bucket   *rate.Limiter
	share    float64 // what the bucket gets a second
	whole    float64 // what all together may; 0: there is no limit
	acts     []*waiter
	polls    []*waiter
	promised int // polls that have begun, and have not asked for their first request yet
	timer    *time.Timer

	demand  float64 // of polls; see NoteDemand
	asked   int64   // requests that act, since the last wish
	wished  time.Time
	usual   float64 // what acts asked for lately, a second
	left    [2]int64
	delayed int64
}

// waiter is a request that waits.
type waiter struct {
	turn  *Turn         // of polls
	leave chan struct{} // closed when it may leave
	gone  bool          // it may, or nobody waits any more
}

func newHost(b *Budget, name string) *Host {
	return &Host{of: b, name: name, bucket: rate.NewLimiter(0, 0), wished: time.Now()}
}

// Limited reports whether there is a limit at the moment.
func (h *Host) Limited() bool { return h.limited.Load() }

// CurrentShare returns how many requests a second leave here, and how many the host may get from all; 0 of 0 for any number.
func (h *Host) CurrentShare() (share, of float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.share, h.whole
}

// grantShare says how many requests a second leave. What was saved up goes on counting, as far as it still may be.
func (h *Host) grantShare(share, of float64) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if of > 0 && h.whole == 0 {
		h.bucket = rate.NewLimiter(0, 1)
		h.bucket.AllowN(now, 1) // it begins empty
	}
	h.share, h.whole = share, of
	h.limited.Store(of > 0)
	if of <= 0 {
		h.letAllLocked()
		return
	}
	//mutate:budget-share
	h.bucket.SetLimitAt(now, rate.Limit(share))
	h.bucket.SetBurstAt(now, max(1, int(share*burstFor.Seconds())))
	h.serveLocked(now)
}

// Wait returns when a request may leave, or with why ctx has ended. A sign-in counts as acting, also when a poll needs it.
func (h *Host) Wait(ctx context.Context, signsIn bool) error {
	if !h.limited.Load() {
		return nil
	}
	turn := turnOf(ctx)
	if turn != nil {
		turn.noteRequest()
	}
	if signsIn || turn.isUrgent() {
		turn = nil
	}
	w := h.enter(turn)
	if w == nil {
		return nil
	}
	select {
	case <-w.leave:
		return nil
	case <-ctx.Done():
		h.mu.Lock()
		defer h.mu.Unlock()
		w.gone = true
		return context.Cause(ctx)
	}
}

// Charge takes a request that has left by itself, as one that follows a redirect, off the budget.
func (h *Host) Charge() {
	if !h.limited.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bucket.ReserveN(time.Now(), 1)
	h.left[0]++
}

// enter lets a request leave at once, and returns nil; or makes it wait.
func (h *Host) enter(turn *Turn) *waiter {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if turn == nil {
		h.asked++
	}
	w := &waiter{turn: turn, leave: make(chan struct{})}
	if turn == nil { //mutate:budget-acts-first
		h.acts = append(h.acts, w)
	} else {
		h.polls = append(h.polls, w)
	}
	h.serveLocked(now)
	if w.gone {
		return nil
	}
	return w
}

// letHurry lets polls of an account leave before others: what acts waits for them.
func (h *Host) letHurry(urgent *atomic.Int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.polls = slices.DeleteFunc(h.polls, func(w *waiter) bool {
		if w.turn.hurries != urgent {
			return false
		}
		h.acts = append(h.acts, w)
		return true
	})
}

// serveLocked lets leave what may: what acts before what polls, each in its order.
func (h *Host) serveLocked(now time.Time) {
	for {
		w := h.nextLocked()
		if w == nil {
			return
		}
		if h.whole > 0 && !h.bucket.AllowN(now, 1) { //mutate:budget-token
			h.armLocked(now)
			return
		}
		h.leaveLocked(w)
	}
}

// nextLocked returns who may leave next; nil for nobody. Those that do not wait any more are left out.
func (h *Host) nextLocked() *waiter {
	for _, queue := range []*[]*waiter{&h.acts, &h.polls} {
		for len(*queue) > 0 && (*queue)[0].gone {
			(*queue)[0] = nil
			*queue = (*queue)[1:]
		}
		if len(*queue) > 0 {
			return (*queue)[0]
		}
	}
	return nil
}

func (h *Host) leaveLocked(w *waiter) {
	if w.turn == nil {
		h.left[0]++
	} else {
		h.left[1]++
	}
	w.gone = true
	close(w.leave)
}

// letAllLocked lets everything leave: there is no limit any more.
func (h *Host) letAllLocked() {
	for w := h.nextLocked(); w != nil; w = h.nextLocked() {
		h.leaveLocked(w)
	}
}

// armLocked looks again when there is the next token.
func (h *Host) armLocked(now time.Time) {
	wait := h.untilLocked(now, 1)
	if h.timer == nil {
		h.timer = time.AfterFunc(wait, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.serveLocked(time.Now())
		})
		return
	}
	h.timer.Reset(wait)
}

// untilLocked returns how long it takes until there are so many tokens.
func (h *Host) untilLocked(now time.Time, tokens float64) time.Duration {
	missing := tokens - h.bucket.TokensAt(now)
	if missing <= 0 {
		return soonest
	}
	if h.share <= 0 {
		return latest
	}
	return time.Duration(min(max(missing/h.share*float64(time.Second), float64(soonest)), float64(latest)))
}

// usageCounts returns how the budget is used.
func (h *Host) usageCounts() event.HostUse {
	h.mu.Lock()
	defer h.mu.Unlock()
	return event.HostUse{
		Host: h.name, Rate: h.whole, Share: h.share, Acts: h.left[0], Polls: h.left[1], Delayed: h.delayed, Waiting: len(h.acts) + len(h.polls),
	}
}
