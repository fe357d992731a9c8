package outbox

import (
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
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

// isUnreachable reports whether a call that failed says nothing of its action: it did not reach the platform, or that answers nobody.
func (a *Account) isUnreachable(err error) bool {
	return !reachedServer(err) || a.cfg.Chats.IsPlatformDown() //mutate:outage
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

// postFailure is an error of reading a post to see how a toggle stands. Where the platform refuses that, it is not there for us.
type postFailure struct {
	post platform.PostID
	err  error
}

func (e postFailure) Error() string {
	return fmt.Sprintf("read the state of post %d: %v", e.post, e.err)
}
func (e postFailure) Unwrap() error { return e.err }

// endRefused ends an item that the platform refuses.
func (d *delivery) endRefused(err error) {
	p, unseen := errors.AsType[postFailure](err)
	switch {
	case !unseen: //mutate:refused-unseen
		d.enterText(event.StateRefused, reason.Refused, err.Error())
	case OwesRepost(&d.Action): // what is said of the renewal is graver
		d.enterText(event.StateRefused, reason.Unseen, err.Error())
	default:
		d.enterText(event.StateRefused, reason.Unseen, fmt.Sprintf("post %d was deleted, or is hidden: %v", p.post, p.err))
	}
}

// notAsked is an error on our side: the platform has nothing to do with it.
type notAsked struct{ error }

func (e notAsked) Unwrap() error { return e.error }

// patience is how many failures in a row, of more than one queue, stop an account.
const patience = 5

// noteFailure counts failures. Too many in a row, or being told so, stop the account for a while, and lower its pace. A queue that fails
// for reasons of its own stops only itself: while it fails alone, and where others get answers meanwhile.
func (a *Account) noteFailure(q *queue, err error) {
	now := time.Now()
	wait, unreachable := platform.RetryAfter(err), a.isUnreachable(err)
	told := wait > 0 || errors.Is(err, platform.ErrRateLimited) || errors.Is(err, platform.ErrNoSession)
	a.mu.Lock()
	everybody := told || unreachable
	if everybody {
		a.pace.slowDown(now)
	} else if a.failedLocked(q) {
		a.pace.slowDownOnce(now)
	}
	if everybody || !q.alone {
		a.streak.failures++
		a.streak.mixed = a.streak.mixed || a.streak.last != nil && a.streak.last != q
		a.streak.last = q
	}
	// A post that nobody may answer fails for ever: one queue alone must not stop the account.
	many := a.streak.failures >= patience && a.streak.mixed
	if told || many || a.breaker.open {
		a.breaker.tripBreaker(now, wait, unreachable, errors.Is(err, platform.ErrRateLimited)) //mutate:breaker-unhealthy
		a.shut.Store(true)
	}
	// What is wrong with the session, its keeper tells, once for everybody.
	tell := a.breaker.open && !a.breaker.logged && !errors.Is(err, platform.ErrNoSession) && !errors.Is(err, platform.ErrUnsent)
	a.breaker.logged = a.breaker.logged || tell
	a.wakeLocked() // it may have to wait for longer
	a.mu.Unlock()
	if tell {
		a.dispatcher.cfg.Log.Warn("the platform takes no actions at the moment; they wait",
			"account", a.cfg.Account, "err", err)
	}
}

// failedLocked notes a failure that may be a queue's own fault. It reports whether it says something new of the platform.
func (a *Account) failedLocked(q *queue) (news bool) {
	if q.failures++; q.failures == 1 {
		q.answers = a.answers
	}
	q.alone = a.answers != q.answers //mutate:fails-alone
	return q.failures == 1           //mutate:fails-again
}

// streak is a row of failures without a success in between.
type streak struct {
	failures int
	last     *queue
	mixed    bool // they are of more than one queue
}

// noteAnswer notes what came of a call or a reading, before somebody else gets its slot.
func (a *Account) noteAnswer(q *queue, err error) {
	switch {
	case err == nil, isRefusal(err), errors.Is(err, errUntold), errors.Is(err, platform.ErrUnnamed):
		a.succeeded(q)
	case !errors.As(err, new(notAsked)):
		a.noteFailure(q, err)
	}
}

// letOthersProbe lets another call find out whether the platform is back when one that was to did not even ask.
func (a *Account) letOthersProbe(err error) {
	if errors.As(err, new(notAsked)) && !errors.Is(err, errOpen) { // who opened the breaker has seen to that
		a.freeProbe()
	}
}

// succeeded notes that the platform answered a call of a queue.
func (a *Account) succeeded(q *queue) {
	a.mu.Lock()
	a.streak = streak{}
	a.answers++
	q.failures, q.alone = 0, false
	told := false
	if a.breaker.close() {
		a.shut.Store(false)
		told, a.breaker.logged = a.breaker.logged, false
		a.freedLocked()
	}
	a.mu.Unlock()
	if told {
		a.dispatcher.cfg.Log.Info("the platform takes actions again", "account", a.cfg.Account)
	}
}

// WakeAfterAnswer tells the account outbox that the platform answered a call of the account, whosever that was. It may be called at any time,
// and costs next to nothing while the platform takes actions.
func (a *Account) WakeAfterAnswer() {
	if !a.shut.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.breaker.wake(time.Now())
	a.wakeLocked()
}

// An answer without a code that names nothing may be that of a platform that says so little, or a refusal: what it is about is looked for, as
// with an answer that got lost. Where that was there each time, no answer is doubted any more.

// unnamedTimes is how many such answers in a row have to have been true.
const unnamedTimes = 3

// createdError returns the error of a call that makes something: none where only its answer names nothing, as answers here never do.
func (a *Account) createdError(d *delivery, err error) error {
	d.unnamed = errors.Is(err, platform.ErrUnnamed)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil && d.Result != 0:
		delete(a.unnamed, d.Verb)
	case d.unnamed && a.unnamed[d.Verb] >= unnamedTimes: //mutate:codeless-learned
		return nil
	}
	return err
}

// sawUnnamed notes whether what an answer named nothing of was there.
func (a *Account) sawUnnamed(d *delivery, there bool) {
	if !d.unnamed {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unnamed == nil {
		a.unnamed = map[event.Verb]int{}
	}
	if a.unnamed[d.Verb]++; !there {
		delete(a.unnamed, d.Verb) //mutate:codeless-unlearned
	}
}
