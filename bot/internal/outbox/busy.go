package outbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// IsBusy reports whether a message to the peer is on its way or in doubt: what the platform shows as the
// account's own may then be it.
func (a *Account) IsBusy(peer platform.UserID) bool {
	return a.unconfirmed(orderingKey{event.VerbMessage, int64(peer)})
}

// AtWork reports whether something is on its way or in doubt, or comes due soon.
func (a *Account) AtWork(soon time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.queues) > 0 || !a.nextDue.IsZero() && time.Until(a.nextDue) < soon
}

// IsLeaving reports whether something may leave now or soon. What is in doubt has left.
func (a *Account) IsLeaving(soon time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queues {
		if len(q.items) > 0 && !q.isInDoubt() {
			return true
		}
	}
	return !a.nextDue.IsZero() && time.Until(a.nextDue) < soon
}

// isInDoubt reports whether the head of a queue is in doubt. That belongs to the queue's goroutine, so it is told by what others may see.
func (q *queue) isInDoubt() bool { return q.stuck && q.unclear }

// InDoubt reports whether it is not known of something whether it has happened.
func (a *Account) InDoubt() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queues {
		if len(q.items) > 0 && q.isInDoubt() {
			return true
		}
	}
	return false
}

// MadeBelow reports whether a reply of the bot to a post may be there that nobody knows: one is on its way, in doubt or held.
func (a *Account) MadeBelow(post platform.PostID) bool {
	k := orderingKey{event.VerbPost, int64(post)}
	if a.unconfirmed(k) {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.held[k]) > 0
}

func (a *Account) unconfirmed(k orderingKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.queues[k]
	return q != nil && q.unclear
}

// clearedLocked notes that nothing of a queue is on its way or in doubt, unless its head is, or nobody was told yet what became
// of it.
func (q *queue) clearedLocked() (now bool) {
	was := q.unclear
	q.unclear = len(q.items) > 0 && (q.items[0].inDoubt || q.items[0].State != event.StateSending)
	return was && !q.unclear
}

// clear tells whoever waits for it that nothing of a queue is on its way any more.
func (a *Account) clear(q *queue) {
	a.mu.Lock()
	now := q.clearedLocked()
	a.mu.Unlock()
	a.tellClear(q, now)
}

func (a *Account) tellClear(q *queue, now bool) {
	if now && q.key.verb == event.VerbMessage {
		a.cfg.NothingInFlight(platform.UserID(q.key.id))
	}
}

// waitWhileQuiet waits while nothing may leave in the conversation of an action, and takes back what must not leave any more. It
// reports false when the action is not to be carried now.
func (a *Account) waitWhileQuiet(ctx context.Context, q *queue, d *delivery) bool {
	if d.hasUndone() { // it owes what it has to make again
		return true
	}
	for quiet := a.cfg.QuietEnded(d.Peer); quiet != nil; quiet = a.cfg.QuietEnded(d.Peer) {
		a.mu.Lock()
		a.stickLocked(q)
		a.mu.Unlock()
		if !a.workers.WaitFor(ctx, quiet) {
			return false
		}
	}
	for {
		reason, err := a.cfg.RevokedReason(ctx, &d.Action, d.earlier)
		switch {
		case err != nil:
			if !a.workers.Sleep(ctx, time.Second) {
				return false
			}
		case reason != "":
			d.takenBack(reason)
			return false
		default:
			d.earlier = false
			return !a.tooOld(d) && !a.holdPaused(d)
		}
	}
}

// noteDeparture notes that the request of an action leaves now, unless it may not.
func (a *Account) noteDeparture(ctx context.Context, q *queue, d *delivery) error {
	a.mu.Lock()
	// Before the last look whether a person of ours has spoken: words that show up from now on may be this message.
	q.unclear = true
	alone := a.setsOutLocked(d)
	a.mu.Unlock()
	if !alone {
		a.clear(q)
		return notAsked{errCrowded}
	}
	if err := a.checkWanted(ctx, d); err != nil { // asked after that, or it could change in between
		a.clear(q)
		return err
	}
	return nil
}

// checkWanted tells by an error that an action must not leave now.
func (a *Account) checkWanted(ctx context.Context, d *delivery) error {
	if d.isLate() { //mutate:until-leave
		return notAsked{errLate}
	}
	//mutate:halted
	if !a.mayGo(d) || !d.hasUndone() && a.cfg.QuietEnded(d.Peer) != nil {
		return notAsked{errQuiet}
	}
	if d.hasUndone() {
		return nil
	}
	if reason, err := a.cfg.RevokedReason(ctx, &d.Action, false); err != nil || reason != "" || a.cfg.PauseReason(&d.Action) != "" {
		return notAsked{errQuiet}
	}
	return nil
}

// withPermit makes requests of an action ask, when they are about to leave, whether they may.
func (a *Account) withPermit(ctx context.Context, d *delivery) context.Context {
	//mutate:permit
	return platform.WithPermit(ctx, func() error { return a.recordDeparture(ctx, d) })
}

// permitOnce is withPermit for a call that undoes what is there already: it rests on what was read before. A session that is refused may have been
// stale when that was read, and was then answered as if none was sent; so the call is not repeated with another session, and all of it begins anew.
func (a *Account) permitOnce(ctx context.Context, d *delivery) context.Context {
	asked := false
	return platform.WithPermit(ctx, func() error {
		if asked { //mutate:toggle-once
			return notAsked{errReadAnew}
		}
		asked = true
		return a.recordDeparture(ctx, d)
	})
}

// errReadAnew is why something was not tried again.
var errReadAnew = errors.New("the session is another one than what was read before was read with")

// unwantedReason returns why nothing of an action has left, when that is since it must not leave now; nil otherwise.
func unwantedReason(err error) error {
	switch {
	case platform.InDoubt(err), errors.Is(err, errUnreconciled): // another request of it has left before
		return nil
	case errors.Is(err, errQuiet):
		return errQuiet
	case errors.Is(err, errLate):
		return errLate
	case errors.Is(err, errReadAnew):
		return errReadAnew
	}
	return nil
}

// errCrowded is why something was not even tried.
var errCrowded = errors.New("others are published too close to it, or too many")

// errQuiet is why something was not even tried.
var errQuiet = errors.New("it is not known whether a person of ours has spoken, or nothing of the account may leave")

// UnderWay returns the actions that may be leaving at this moment, by their keys: of each only what never changes.
func (a *Account) UnderWay() (all []event.Action) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.queues {
		if q.running && !q.stuck && len(q.items) > 0 {
			a := &q.items[0].Action
			all = append(all, event.Action{Account: a.Account, Key: a.Key, Verb: a.Verb, Peer: a.Peer, Post: a.Post})
		}
	}
	slices.SortFunc(all, func(x, y event.Action) int { return strings.Compare(x.Key, y.Key) })
	return all
}
