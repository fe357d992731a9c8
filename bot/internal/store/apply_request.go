package store

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// takeRequest deletes a request while its turn is stored; false when that happened before. A turn that no request
// started has none.
func (a *applier) takeRequest(r *event.Request) (bool, error) {
	if r == nil {
		return true, nil
	}
	n, err := a.answer.key(r.Key.Account).int(r.Number).runUsual()
	return n > 0, err
}

// storeHeld stores what a person decided about an action that is held. What it may have made is remembered.
func (a *applier) storeHeld(x *record.Action, limitUses string, at time.Time) error {
	if err := a.stray.at(at).key(x.Account).str(x.Key).do(); err != nil { //mutate:stray
		return err
	}
	if x.State == event.StateDue { //mutate:known-released
		if err := a.regroupAction(x.Account, x.Key); err != nil {
			return err
		}
	}
	m := outbox.MarkOf(&x.Action)
	// With the time of the release: what a person has released is no more taken back by what was said before, also not for an
	// incarnation that finds it on its way.
	//mutate:released-at
	n, err := a.held.addChange(&m).addSecret(seal.OfMark(&m), x.Text).str(limitUses).at(x.DecidedAt).key(x.Account).str(x.Key).runUsual()
	switch {
	case err == nil && n == 0:
		return ErrStale
	case err == nil && isFailed(x.State):
		err = a.giveLimitUsesBack(x.Account, x.Key)
	}
	if err != nil {
		return err
	}
	return a.storeVerdict(x)
}

// storeTakenBack stores that a person has taken back an action that was due.
func (a *applier) storeTakenBack(x *event.Action) error {
	n, err := a.takeBack.str(x.Reason).str(string(x.Why)).at(x.EndedAt).key(x.Account).str(x.Key).runUsual()
	switch {
	case err != nil:
		return err
	case n == 0:
		return ErrStale
	}
	return a.giveLimitUsesBack(x.Account, x.Key)
}

// storeRetries lets what is quarantined wait for its turn again.
func (a *applier) storeRetries(t *Turn) error {
	retried := func(id string, n int64, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("let %s wait again: %w", id, err)
		case n == 0:
			// Not quarantined any more: somebody else has let it go on, or it was forgotten. The turn runs again, and says what it finds then.
			return ErrStale
		}
		return nil
	}
	for i := range t.Retry {
		e := &t.Retry[i]
		n, err := a.retry.key(e.Account).int(int64(e.ID.Source)).int(e.ID.Number).runUsual()
		if err := retried(e.ID.String(), n, err); err != nil {
			return err
		}
	}
	for i := range t.RetryTimers {
		x := &t.RetryTimers[i]
		n, err := a.retryTimer.addOccurrence(x).runUsual()
		if err := retried(x.ID(), n, err); err != nil {
			return err
		}
	}
	return nil
}
