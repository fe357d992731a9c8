package bot

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// Before sets the latest departure of the action: a request that has not left by then never does, whatever kept it, and
// the action is withdrawn, also one that is held. What may have left is reconciled, and not sent again. With the zero time it
// may leave at any time.
func Before(until time.Time) Option {
	return func(_ *Turn, a *record.Action) { a.Until = onTheWall(until) }
}

// onTheWall returns a time as the store has it: steady clocks stand still while a machine sleeps.
func onTheWall(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.UnixMicro(t.UnixMicro())
}

// isOver reports whether a latest departure is over at a time.
func isOver(until, now time.Time) bool { return !until.IsZero() && !now.Before(until) }

// firstUntil returns the first latest departure of actions that are decided about together: then the bundle cannot leave
// as a whole any more. Zero when none has one.
func firstUntil(held []record.Held) (first time.Time) {
	for i := range held {
		if u := held[i].Until; !u.IsZero() && (first.IsZero() || u.Before(first)) {
			first = u
		}
	}
	return first
}

// nextExpiry returns when it is to be looked again whether actions wait for an approval in vain. One of them has a time
// for that.
func nextExpiry(held []record.Held) (next time.Time) {
	for i := range held {
		if due := approvalExpiry(&held[i].Action, &held[i].Approval); !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	return next
}

// End withdraws an action of the conversation that has not begun to leave: one that is due, or one that is held, with all
// that waits for an approval with it. What it used of limits is given back as it is for others that are withdrawn. It is false for what
// is on its way or over, and for what is held since nobody knows whether it left: a person has to look. The error says that
// nobody knows yet: the turn has to be tried again.
func (t *Turn) End(ctx context.Context, key, text string) (ended bool, err error) {
	if slices.ContainsFunc(t.actions, func(a record.Action) bool { return a.Key == key && (a.TakenBack || a.Held && a.State.Final()) }) {
		return false, nil
	}
	a, ok, err := t.ActionState(ctx, key)
	if err != nil || !ok || a.Peer != t.Trigger.Key.Peer || a.State != event.StateHeld && a.State != event.StateDue {
		return false, err
	}
	stored, ok, err := t.reader.store.Action(ctx, t.Trigger.Key.Account, key)
	switch {
	case err != nil:
		return false, storeError{err}
	case !ok || stored.State != a.State: // what decided it is on its way into the store
		return false, waitError{endPause}
	case stored.State == event.StateDue:
		outbox.ChangeState(&stored, event.StateWithdrawn)
		reason.SetText(&stored, reason.Ended, text)
		stored.EndedAt = t.Now
		t.actions = append(t.actions, record.Action{Action: stored, TakenBack: true})
		return true, nil
	}
	held, err := heldWith(ctx, t.reader.store, &stored)
	if err != nil {
		return false, err
	}
	if p := &held[0].Approval; (p.Group == "" || p.Verdict.Ruling != "") && !stored.LeftAt.IsZero() {
		return false, nil
	}
	t.endAll(held, event.Because(reason.Ended), text, event.Verdict{Ruling: event.Dropped, At: t.Now})
	return true, nil
}

// endPause is when a turn looks again that ends what is on its way into the store.
const endPause = 100 * time.Millisecond
