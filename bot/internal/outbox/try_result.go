package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/platform"
)

// tryResult is what a try came to.
type tryResult uint8

const (
	happened tryResult = iota
	refused            // the platform said no
	inDoubt            // it left, and nobody knows
	nothing            // it was not handled: it did not leave, there was no session, it came too fast
)

// tryResultOf tells what a try came to that ended with err.
func tryResultOf(err error) tryResult {
	switch {
	case err == nil:
		return happened
	// This before what it wraps, which is an error of reading: by itself that would say that nothing has left.
	case errors.Is(err, errUnreconciled):
		return inDoubt
	// A reading changes nothing, so one that timed out leaves nobody in doubt.
	case errors.As(err, new(readFailure)):
		if isRefusal(err) {
			return refused
		}
		return nothing
	case platform.InDoubt(err):
		return inDoubt //mutate:in-doubt
	case isRefusal(err):
		return refused
	default:
		return nothing
	}
}

// isRefusal reports whether the platform clearly said no.
func isRefusal(err error) bool { return platform.Final(err) }

// reachedServer reports whether a call that failed reached the platform. When it did not, its action has no
// fault in it.
func reachedServer(err error) bool {
	var unreachable *platform.Unreachable
	switch {
	case errors.As(err, new(notAsked)), errors.As(err, new(*platform.SessionError)), errors.Is(err, platform.ErrRateLimited):
		return false
	case errors.As(err, &unreachable):
		return unreachable.Sent
	default:
		return true
	}
}

// errUnreconciled marks a call that was made and whose effect could not be read.
var errUnreconciled = errors.New("the call was made, its effect could not be read")

// Why something was not even tried.
var (
	errStopped = errors.New("the dispatcher stops carrying for this account")
	errOpen    = errors.New("the platform takes nothing at the moment")
)

// readFailure is an error of reading: no action was taken.
type readFailure struct{ error }

func (e readFailure) Unwrap() error { return e.error }

// notAsked is an error on our side: the platform has nothing to do with it.
type notAsked struct{ error }

func (e notAsked) Unwrap() error { return e.error }

// patience is how many failures in a row, of more than one queue, stop an account.
const patience = 5

// trouble counts failures. Too many in a row, or being told so, stop the account for a while, and lower its pace. A queue that fails
// for reasons of its own stops only itself: while it fails alone, and where others get answers meanwhile.
func (b *Account) trouble(q *queue, err error) {
	now := time.Now()
	wait, unreachable := platform.RetryAfter(err), !reachedServer(err) || b.cfg.Out()
	told := wait > 0 || errors.Is(err, platform.ErrRateLimited) || errors.Is(err, platform.ErrNoSession)
	b.mu.Lock()
	everybody := told || unreachable
	if everybody {
		b.pace.slow(now)
	} else if b.failedLocked(q) {
		b.pace.fret(now)
	}
	if everybody || !q.odd {
		b.streak.failures++
		b.streak.mixed = b.streak.mixed || b.streak.last != nil && b.streak.last != q
		b.streak.last = q
	}
	// A post that nobody may answer fails for ever: one queue alone must not stop the account.
	many := b.streak.failures >= patience && b.streak.mixed
	if told || many || !b.breaker.closed() {
		b.breaker.trip(now, wait, unreachable, errors.Is(err, platform.ErrRateLimited)) //mutate:breaker-unhealthy
		b.shut.Store(true)
	}
	// What is wrong with the session, its keeper tells, once for everybody.
	tell := !b.breaker.closed() && !b.breaker.logged && !errors.Is(err, platform.ErrNoSession) && !errors.Is(err, platform.ErrUnsent)
	b.breaker.logged = b.breaker.logged || tell
	b.wakeLocked() // it may have to wait for longer
	b.mu.Unlock()
	if tell {
		b.dispatcher.cfg.Log.Warn("the platform takes no actions at the moment; they wait",
			"account", b.cfg.Account, "err", err)
	}
}

// failedLocked notes a failure that may be a queue's own fault. It reports whether it says something new of the platform.
func (b *Account) failedLocked(q *queue) (news bool) {
	if q.failures++; q.failures == 1 {
		q.answers = b.answers
	}
	q.odd = b.answers != q.answers //mutate:fails-alone
	return q.failures == 1         //mutate:fails-again
}

// streak is a row of failures without a success in between.
type streak struct {
	failures int
	last     *queue
	mixed    bool // they are of more than one queue
}

// heard notes what came of a call or a reading, before somebody else gets its slot.
func (b *Account) heard(q *queue, err error) {
	switch {
	case err == nil, isRefusal(err), errors.Is(err, errUntold), errors.Is(err, platform.ErrUnnamed):
		b.succeeded(q)
	case !errors.As(err, new(notAsked)):
		b.trouble(q, err)
	}
}

// unasked lets another call find out whether the platform is back when one that was to did not even ask.
func (b *Account) unasked(err error) {
	if errors.As(err, new(notAsked)) && !errors.Is(err, errOpen) { // who opened the breaker has seen to that
		b.mu.Lock()
		defer b.mu.Unlock()
		b.breaker.notify()
	}
}

// succeeded notes that the platform answered a call of a queue.
func (b *Account) succeeded(q *queue) {
	b.mu.Lock()
	b.streak = streak{}
	b.answers++
	q.failures, q.odd = 0, false
	told := false
	if b.breaker.close() {
		b.shut.Store(false)
		told, b.breaker.logged = b.breaker.logged, false
		b.freedLocked()
	}
	b.mu.Unlock()
	if told {
		b.dispatcher.cfg.Log.Info("the platform takes actions again", "account", b.cfg.Account)
	}
}

// Wake tells the account outbox that the platform answered a call of the account, whosever that was. It may be called at any time,
// and costs next to nothing while the platform takes actions.
func (b *Account) Wake() {
	if !b.shut.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.breaker.wake(time.Now())
	b.wakeLocked()
}

// admit waits until a call may leave: until the breaker is closed and there is a token for it. The item is
// nil for a call that only reads. It reports false when the account outbox ends first.
func (b *Account) admit(ctx context.Context, q *queue, it *delivery) bool {
	ticket := 0
	if it != nil {
		ticket, it.ticket = it.ticket, 0
	}
	defer b.stepBack(q)
	for departs := false; ; {
		b.yield(ctx, q)
		now := time.Now()
		b.mu.Lock()
		valid, closed := b.breaker.ticket(), b.breaker.closed()
		q.admitted = valid
		// The token was taken for this call already. One from before the breaker last opened is not good any more: others have waited since.
		if closed && ticket == valid {
			begun := b.breaker.clock(now)
			b.mu.Unlock()
			toll := time.Duration(0)
			// Once, however often the loop comes round: to wait for the breaker again is no second departure.
			if !departs {
				departs, toll = true, b.pace.depart(now)
			}
			if toll == 0 {
				return ctx.Err() == nil
			}
			if !b.pay(ctx, q, toll, begun) {
				return false
			}
			continue
		}
		ok, wait, changed := b.allowLocked(q, now)
		begun := b.breaker.clock(now)
		b.mu.Unlock()
		switch {
		case ok:
			ticket = valid
			toll := b.toll(it, now)
			if !departs {
				departs, toll = true, max(toll, b.pace.depart(now))
			}
			if !b.pay(ctx, q, toll, begun) {
				b.decline(closed)
				return false
			}
			if !closed { // this one is to find out
				return true
			}
		case lifecycle.Wait(ctx, wait, changed, b.workers.Stopping()) == lifecycle.Over:
			return false
		}
	}
}

// allowLocked asks the breaker to let a call of a queue through, and counts those that wait without having failed.
func (b *Account) allowLocked(q *queue, now time.Time) (ok bool, wait time.Duration, changed <-chan struct{}) {
	// A call without a clear answer is read back next: to read has not failed yet.
	failed := q.failures > 1 || q.failures == 1 && (len(q.items) == 0 || !q.items[0].inDoubt) //mutate:breaker-in-doubt
	ok, wait, changed = b.breaker.allow(now, failed)
	if waits := !ok && !failed; waits && !q.waits {
		b.breaker.untried++
		q.waits = true
	} else if !waits {
		b.unwaitLocked(q)
	}
	return ok, wait, changed
}

func (b *Account) unwaitLocked(q *queue) (did bool) {
	if q.waits {
		b.breaker.untried--
	}
	did, q.waits = q.waits, false
	return did
}

// stepBack takes a call that does not leave out of those that wait for the breaker: another one may find out.
func (b *Account) stepBack(q *queue) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unwaitLocked(q) && !b.breaker.halfOpen {
		b.breaker.notify()
	}
}

// pay waits for what a call costs, since a time on the clock of the breaker; false when the account outbox ends first.
func (b *Account) pay(ctx context.Context, q *queue, toll time.Duration, since time.Time) bool {
	slept := b.workers.Sleep(ctx, toll)
	if toll > 0 {
		b.excuse(q, since)
	}
	return slept
}

// excuse does not count for Config.HoldAfter what has passed since a time on the clock of the breaker: the pace kept the
// queue from asking.
func (b *Account) excuse(q *queue, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paced := b.breaker.clock(time.Now()).Sub(since) //mutate:pace-excused
	for _, it := range q.items {
		if it.failed.IsZero() { // nothing behind it has been tried
			return
		}
		it.failed = it.failed.Add(paced)
	}
}

// decline lets another call find out whether the platform is back, when the one that was to does not leave.
func (b *Account) decline(open bool) {
	if !open { //mutate:until-probe
		b.mu.Lock()
		defer b.mu.Unlock()
		b.breaker.notify()
	}
}

// toll takes a token for a call and returns how long to wait for it.
func (b *Account) toll(it *delivery, now time.Time) time.Duration {
	if it == nil {
		return b.pace.pay(nil, now)
	}
	return b.pace.pay(&it.Action, now)
}
