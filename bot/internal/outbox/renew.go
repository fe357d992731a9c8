package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// A renewal takes a repost back and reposts the post again, so that it is shown anew. Its call is a toggle, so each step has to
// be known before the next one leaves, and what is known is stored before that. Once the repost is known to be taken back it is
// owed: neither a latest departure nor a pause stops it.
//
// The answer of a call decides. What is only read may be old: another call follows from it when an earlier one cannot be under
// way any more, and two readings say the same.

// renewal is how far a renewal has come, and since when. Stored it is a number, in the place of the id from which messages and posts are reconciled.
type renewal struct {
	step  renewalStep
	since time.Time // of notBegun: not known
}

// renewalStep is a step of a renewal.
type renewalStep uint8

const (
	notBegun   renewalStep = iota // nothing of it has left
	takingBack                    // the call that takes the repost back may have left
	takenBack                     // the repost is known to be taken back
)

// renewalOf reads how far a renewal has come.
func renewalOf(a *event.Action) renewal {
	switch at := a.ReconcileFrom; {
	case at > 0:
		return renewal{takenBack, time.UnixMicro(at)}
	case at < 0:
		return renewal{takingBack, time.UnixMicro(-at)}
	default:
		return renewal{}
	}
}

// stored returns the number that stands for it: microseconds since 1970, with a minus before it is known whether the repost is taken back.
func (r renewal) stored() int64 {
	switch at := max(r.since.UnixMicro(), 1); r.step {
	case takenBack:
		return at
	case takingBack:
		return -at
	default:
		return 0
	}
}

// OwesRepost reports whether an action is a renewal that has taken its repost back, or may have, and is to make it again.
func OwesRepost(a *event.Action) bool {
	return a.Verb == event.VerbRenew && renewalOf(a).step != notBegun
}

// hasUndone reports whether an item has taken back what it has to make again.
func (d *delivery) hasUndone() bool {
	return d.Verb == event.VerbRenew && renewalOf(&d.Action).step == takenBack
}

// renewRepost takes a repost back, unless that has happened, and makes it again.
func (a *Account) renewRepost(ctx context.Context, d *delivery) error {
	if !d.hasUndone() {
		if err := a.takeRepostBack(ctx, d); err != nil || !d.hasUndone() {
			return err
		}
		return a.repostAnew(ctx, d)
	}
	now, err := a.readToggle(ctx, d) // time has passed since
	switch {
	case err != nil:
		return cannotRenew(d, err)
	case now == isOff:
		return a.repostAnew(ctx, d)
	case time.Since(d.undoneAt) < a.dispatcher.cfg.Deadline+a.dispatcher.cfg.Grace:
		return fmt.Errorf("%w: the platform may show what was there before", errUnreconciled)
	}
	d.noteReached(now, "somebody had reposted it")
	return nil
}

// takeRepostBack makes the first call of a renewal, and stores what came of it.
func (a *Account) takeRepostBack(ctx context.Context, d *delivery) error {
	now, err := a.readToggle(ctx, d)
	if err == nil && now == isOff {
		now, err = a.stateOfAccount(ctx, d)
	}
	switch {
	case errors.Is(err, errUntold):
		d.decideUncertain()
		return nil
	case err != nil:
		return err
	case now == isOff:
		d.changeState(event.StateWithdrawn, event.Because(reason.NotReposted))
		return nil
	}
	// Stored before the call: after a crash the next incarnation must know that the repost may be gone, or it would find nothing to renew.
	if !a.storeStep(ctx, d, takingBack) { //mutate:renew-begins
		return notAsked{errStopped}
	}
	after, known, err := a.flipToggle(ctx, d)
	switch {
	case err != nil && !mayHaveLeft(err):
		// Nothing has left, so nothing is owed: it may be paused, and become too late, like any other.
		if !a.storeStep(ctx, d, notBegun) {
			return notAsked{errStopped}
		}
		return err
	case err != nil:
		return err
	case !known:
		return fmt.Errorf("%w: the answer does not tell whether the repost is there", errUnreconciled)
	case after == isOn:
		d.noteReached(after, "somebody had taken the repost back: it was made again")
		return nil
	}
	if !a.storeStep(ctx, d, takenBack) { //mutate:renew-undone
		return fmt.Errorf("%w: %w", errUnreconciled, errStopped)
	}
	d.undoneAt = time.Now()
	return nil
}

// mayHaveLeft reports whether a call that failed may have been handled.
func mayHaveLeft(err error) bool { return tryResultOf(err) == inDoubt }

// repostAnew makes the repost again, and reads that it is there.
func (a *Account) repostAnew(ctx context.Context, d *delivery) error {
	for range 2 {
		after, known, err := a.flipToggle(ctx, d)
		switch {
		case err != nil:
			return cannotRenew(d, err)
		case known && after == isOff:
			continue // somebody had reposted it meanwhile, and that was taken back
		}
		now, err := a.readToggle(ctx, d)
		switch {
		case err == nil && now == isOff, err != nil && !known:
			return fmt.Errorf("%w: the repost is not shown", errUnreconciled)
		}
		d.noteReached(isOn, "")
		return nil
	}
	a.warnToggle(d)
	return fmt.Errorf("%w: the repost was taken back in two calls", errUnreconciled)
}

// cannotRenew explains an error of a renewal whose repost was taken back, or may have been.
func cannotRenew(d *delivery, err error) error {
	switch {
	case !isRefusal(err):
		return err
	case d.hasUndone():
		return fmt.Errorf("the repost was taken back, and cannot be made again: %w", err)
	}
	return fmt.Errorf("the repost may have been taken back, and cannot be made again: %w", err)
}

// storeStep stores how far a renewal has come now. It reports false when the account outbox ends first.
func (a *Account) storeStep(ctx context.Context, d *delivery, step renewalStep) bool {
	m := MarkOf(&d.Action)
	m.ReconcileFrom = renewal{step, time.Now()}.stored()
	if !a.markNow(ctx, m) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	d.ReconcileFrom = m.ReconcileFrom
	a.owesLocked(ctx, d)
	return true
}

// reconcileRenewal finds out what became of a renewal one of whose calls had no clear answer: two readings that say the same, both
// later than that call could still be running. It goes on for as long as it takes: somebody has to make the repost again.
func (a *Account) reconcileRenewal(ctx context.Context, q *queue, d *delivery) {
	late, pause, failing := a.reconciledFrom(d), a.dispatcher.cfg.FirstLook, retry(0)
	var before *wish
	for {
		if !a.workers.Sleep(ctx, max(pause, time.Until(late))) || !a.waitForToken(ctx, q, nil) { //mutate:renew-late
			return
		}
		now, err := a.lookRenewal(ctx, q, d)
		switch {
		case err != nil && isRefusal(err):
			d.endRefused(cannotRenew(d, err))
			return
		case err != nil:
			a.letOthersProbe(err)
			before, pause = nil, failing.nextPause(err)
			continue
		case before == nil || *before != now:
			before, pause, failing = &now, a.dispatcher.cfg.SecondLook, 0
			continue
		}
		a.concludeRenewal(ctx, d, now)
		return
	}
}

// concludeRenewal goes on with a renewal of which is known how its post stands, and that nothing is under way.
func (a *Account) concludeRenewal(ctx context.Context, d *delivery, now wish) {
	d.undoneAt = time.Time{} // nothing is under way: renew believes at once what the platform shows, and does not wait for the grace again
	known := true
	switch {
	case d.hasUndone() && now == isOn:
		d.noteReached(now, "")
		return
	case d.hasUndone(): // it is made once more
	case now == isOn: // the first call did not arrive
		known = a.storeStep(ctx, d, notBegun)
	default: // it did
		known = a.storeStep(ctx, d, takenBack)
	}
	if known {
		ChangeState(&d.Action, event.StateSending)
	}
}

// lookRenewal reads once how the post of a renewal stands.
func (a *Account) lookRenewal(ctx context.Context, q *queue, d *delivery) (now wish, err error) {
	if err := a.waitForSlot(ctx, q); err != nil {
		return isOff, err
	}
	defer a.cfg.Slots.Release()
	defer func() { a.noteAnswer(q, err) }()
	if err := a.verifySession(ctx); err != nil {
		return isOff, err
	}
	return a.readToggle(ctx, d)
}

// A repost that was taken back, or may have been, is owed until it is made again, also over a halt, a session that is gone, a platform
// that shows something else each time. After a day people are told, once in each incarnation.

// longOwed is after what time it is told that a repost is still owed.
const longOwed = 24 * time.Hour

// owesLocked watches a repost that is owed.
func (a *Account) owesLocked(ctx context.Context, d *delivery) {
	key, owed := d.Key, OwesRepost(&d.Action)
	if _, watched := a.debts[key]; watched || !owed || a.workers.IsStopped() {
		if !owed {
			a.forgetDebtLocked(d)
		}
		return
	}
	if a.debts == nil {
		a.debts = map[string]*time.Timer{}
	}
	action := d.Action
	a.debts[key] = time.AfterFunc(owedFor(&action), func() { a.dun(ctx, &action) })
}

// owedFor returns how long to wait for the next look at what is owed: the clock may have been set, or have stood still.
func owedFor(a *event.Action) time.Duration {
	return max(0, min(time.Until(renewalOf(a).since.Add(longOwed)), time.Hour))
}

// dun tells of a repost that has been owed for long.
func (a *Account) dun(ctx context.Context, action *event.Action) {
	a.mu.Lock()
	timer := a.debts[action.Key]
	if timer == nil || ctx.Err() != nil || !a.workers.Begin() {
		a.mu.Unlock()
		return
	}
	defer a.workers.End()
	wait := owedFor(action)
	if wait > 0 {
		timer.Reset(wait)
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	a.dispatcher.yield(ctx, func() string { return "owed " + string(a.cfg.Account) })
	a.dispatcher.cfg.Log.Error("a repost that was taken back, or may have been, could not be made again for a day; it still will be",
		"account", a.cfg.Account, "action", action.Key, "post", int64(action.Post))
	a.dispatcher.cfg.Listener.RepostOwed(*action) //mutate:owed-told
}

// forgetDebtLocked forgets what is owed no more.
func (a *Account) forgetDebtLocked(d *delivery) {
	if timer := a.debts[d.Key]; timer != nil {
		timer.Stop()
		delete(a.debts, d.Key)
	}
}
