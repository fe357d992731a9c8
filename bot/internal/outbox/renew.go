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
// be known before the next one leaves, and what is known is stored before that, in ReconcileFrom: 0 while nothing of it has left,
// below 0 once the call that takes the repost back may have, above 0 once that is known to have happened. From there on the
// repost is owed: neither a latest departure nor a pause stops it.
//
// The answer of a call decides. What is only read may be old: another call follows from it when an earlier one cannot be under
// way any more, and two readings say the same.

// undone reports whether an item has taken back what it has to make again.
func (it *delivery) undone() bool { return it.Verb == event.VerbRenew && it.ReconcileFrom > 0 }

// renew takes a repost back, unless that has happened, and makes it again.
func (b *Account) renew(ctx context.Context, it *delivery) error {
	if !it.undone() {
		if err := b.takeRepostBack(ctx, it); err != nil || !it.undone() {
			return err
		}
		return b.repostAnew(ctx, it)
	}
	now, err := b.state(ctx, it) // time has passed since
	switch {
	case err != nil:
		return cannotRenew(it, err)
	case now == isOff:
		return b.repostAnew(ctx, it)
	case time.Since(it.undoneAt) < b.dispatcher.cfg.Deadline+b.dispatcher.cfg.Grace:
		return fmt.Errorf("%w: the platform may show what was there before", errUnreconciled)
	}
	it.reached(now, "somebody had reposted it")
	return nil
}

// takeRepostBack makes the first call of a renewal, and stores what came of it.
func (b *Account) takeRepostBack(ctx context.Context, it *delivery) error {
	now, err := b.state(ctx, it)
	if err == nil && now == isOff {
		now, err = b.stateOfAccount(ctx, it)
	}
	switch {
	case errors.Is(err, errUntold):
		it.uncertain()
		return nil
	case err != nil:
		return err
	case now == isOff:
		it.enter(event.StateWithdrawn, event.Because(reason.NotReposted))
		return nil
	}
	// Stored before the call: after a crash the next incarnation must know that the repost may be gone, or it would find nothing to renew.
	if !b.step(ctx, it, -max(time.Now().UnixMicro(), 1)) { //mutate:renew-begins
		return notAsked{errStopped}
	}
	after, known, err := b.flip(ctx, it)
	switch {
	case err != nil && !mayHaveLeft(err):
		// Nothing has left, so nothing is owed: it may be paused, and become too late, like any other.
		if !b.step(ctx, it, 0) {
			return notAsked{errStopped}
		}
		return err
	case err != nil:
		return err
	case !known:
		return fmt.Errorf("%w: the answer does not tell whether the repost is there", errUnreconciled)
	case after == isOn:
		it.reached(after, "somebody had taken the repost back: it was made again")
		return nil
	}
	if !b.step(ctx, it, time.Now().UnixMicro()) { //mutate:renew-undone
		return fmt.Errorf("%w: %w", errUnreconciled, errStopped)
	}
	it.undoneAt = time.Now()
	return nil
}

// mayHaveLeft reports whether a call that failed may have been handled.
func mayHaveLeft(err error) bool { return tryResultOf(err) == inDoubt }

// repostAnew makes the repost again, and reads that it is there.
func (b *Account) repostAnew(ctx context.Context, it *delivery) error {
	for range 2 {
		after, known, err := b.flip(ctx, it)
		switch {
		case err != nil:
			return cannotRenew(it, err)
		case known && after == isOff:
			continue // somebody had reposted it meanwhile, and that was taken back
		}
		now, err := b.state(ctx, it)
		switch {
		case err == nil && now == isOff, err != nil && !known:
			return fmt.Errorf("%w: the repost is not shown", errUnreconciled)
		}
		it.reached(isOn, "")
		return nil
	}
	b.warnToggle(it)
	return fmt.Errorf("%w: the repost was taken back in two calls", errUnreconciled)
}

// cannotRenew explains an error of a renewal whose repost was taken back, or may have been.
func cannotRenew(it *delivery, err error) error {
	switch {
	case !isRefusal(err):
		return err
	case it.undone():
		return fmt.Errorf("the repost was taken back, and cannot be made again: %w", err)
	}
	return fmt.Errorf("the repost may have been taken back, and cannot be made again: %w", err)
}

// step stores how far a renewal has come. It reports false when the account outbox ends first.
func (b *Account) step(ctx context.Context, it *delivery, from int64) bool {
	m := MarkOf(&it.Action)
	m.ReconcileFrom = from
	if !b.markNow(ctx, m) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	it.ReconcileFrom = from
	b.owesLocked(ctx, it)
	return true
}

// reconcileRenewal finds out what became of a renewal one of whose calls had no clear answer: two readings that say the same, both
// later than that call could still be running. It goes on for as long as it takes: somebody has to make the repost again.
func (b *Account) reconcileRenewal(ctx context.Context, q *queue, it *delivery) {
	late, pause, failing := b.reconciledFrom(it), b.dispatcher.cfg.FirstLook, retry(0)
	var before *wish
	for {
		if !b.workers.Sleep(ctx, max(pause, time.Until(late))) || !b.admit(ctx, q, nil) { //mutate:renew-late
			return
		}
		now, err := b.lookRenewal(ctx, q, it)
		switch {
		case err != nil && isRefusal(err):
			it.enterText(event.StateRefused, reason.Refused, cannotRenew(it, err).Error())
			it.inDoubt = false
			return
		case err != nil:
			b.unasked(err)
			before, pause = nil, failing.after(err)
			continue
		case before == nil || *before != now:
			before, pause, failing = &now, b.dispatcher.cfg.SecondLook, 0
			continue
		}
		b.concludeRenewal(ctx, it, now)
		return
	}
}

// concludeRenewal goes on with a renewal of which is known how its post stands, and that nothing is under way.
func (b *Account) concludeRenewal(ctx context.Context, it *delivery, now wish) {
	it.undoneAt = time.Time{} // nothing is under way: renew believes at once what the platform shows, and does not wait for the grace again
	switch {
	case it.ReconcileFrom > 0 && now == isOn:
		it.inDoubt = false
		it.reached(now, "")
	case it.ReconcileFrom > 0: // once more
		it.inDoubt = false
		Enter(&it.Action, event.StateSending)
	case now == isOn: // the first call did not arrive
		if b.step(ctx, it, 0) {
			it.inDoubt = false
			Enter(&it.Action, event.StateSending)
		}
	case b.step(ctx, it, max(time.Now().UnixMicro(), 1)): // it did
		it.inDoubt = false
		Enter(&it.Action, event.StateSending)
	}
}

// lookRenewal reads once how the post of a renewal stands.
func (b *Account) lookRenewal(ctx context.Context, q *queue, it *delivery) (now wish, err error) {
	if err := b.slot(ctx, q); err != nil {
		return isOff, err
	}
	defer b.cfg.Slots.Release()
	defer func() { b.heard(q, err) }()
	if err := b.vouch(ctx); err != nil {
		return isOff, err
	}
	return b.state(ctx, it)
}
