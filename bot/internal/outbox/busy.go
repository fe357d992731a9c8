package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Busy reports whether a message to the peer is on its way or in doubt: what the platform shows as the
// account's own may then be it.
func (b *Account) Busy(peer platform.UserID) bool {
	return b.unclear(orderingKey{event.VerbMessage, int64(peer)})
}

// AtWork reports whether something is on its way or in doubt, or comes due soon.
func (b *Account) AtWork(soon time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queues) > 0 || !b.nextDue.IsZero() && time.Until(b.nextDue) < soon
}

// Leaving reports whether something may leave now or soon. What is in doubt has left.
func (b *Account) Leaving(soon time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, q := range b.queues {
		if len(q.items) > 0 && !q.isInDoubt() {
			return true
		}
	}
	return !b.nextDue.IsZero() && time.Until(b.nextDue) < soon
}

// isInDoubt reports whether the head of a queue is in doubt. That belongs to the queue's goroutine, so it is told by what others may see.
func (q *queue) isInDoubt() bool { return q.stuck && q.unclear }

// InDoubt reports whether it is not known of something whether it has happened.
func (b *Account) InDoubt() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, q := range b.queues {
		if len(q.items) > 0 && q.isInDoubt() {
			return true
		}
	}
	return false
}

// MadeBelow reports whether a reply of the bot to a post may be there that nobody knows: one is on its way, in doubt or held.
func (b *Account) MadeBelow(post platform.PostID) bool {
	k := orderingKey{event.VerbPost, int64(post)}
	if b.unclear(k) {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.held[k]) > 0
}

func (b *Account) unclear(k orderingKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := b.queues[k]
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
func (b *Account) clear(q *queue) {
	b.mu.Lock()
	now := q.clearedLocked()
	b.mu.Unlock()
	b.tellClear(q, now)
}

func (b *Account) tellClear(q *queue, now bool) {
	if now && q.key.verb == event.VerbMessage {
		b.cfg.Clear(platform.UserID(q.key.id))
	}
}

// hush waits while nothing may leave in the conversation of an action, and takes back what must not leave any more. It
// reports false when the action is not to be carried now.
func (b *Account) hush(ctx context.Context, q *queue, it *delivery) bool {
	if it.undone() { // it owes what it has to make again
		return true
	}
	for quiet := b.cfg.Quiet(it.Peer); quiet != nil; quiet = b.cfg.Quiet(it.Peer) {
		b.mu.Lock()
		b.stickLocked(q)
		b.mu.Unlock()
		if !b.workers.Until(ctx, quiet) {
			return false
		}
	}
	for {
		reason, err := b.cfg.Revoked(ctx, &it.Action, it.earlier)
		switch {
		case err != nil:
			if !b.workers.Sleep(ctx, time.Second) {
				return false
			}
		case reason != "":
			it.takenBack(reason)
			return false
		default:
			it.earlier = false
			return !b.tooOld(it) && !b.aside(it)
		}
	}
}

// leave notes that the request of an action leaves now, unless it may not.
func (b *Account) leave(ctx context.Context, q *queue, it *delivery) error {
	b.mu.Lock()
	// Before the last look whether a person of ours has spoken: words that show up from now on may be this message.
	q.unclear = true
	alone := b.setsOutLocked(it)
	b.mu.Unlock()
	if !alone {
		b.clear(q)
		return notAsked{errCrowded}
	}
	if err := b.wanted(ctx, it); err != nil { // asked after that, or it could change in between
		b.clear(q)
		return err
	}
	return nil
}

// wanted tells by an error that an action must not leave now.
func (b *Account) wanted(ctx context.Context, it *delivery) error {
	if it.isLate() { //mutate:until-leave
		return notAsked{errLate}
	}
	//mutate:halted
	if !b.mayGo(it) || !it.undone() && b.cfg.Quiet(it.Peer) != nil {
		return notAsked{errQuiet}
	}
	if it.undone() {
		return nil
	}
	if reason, err := b.cfg.Revoked(ctx, &it.Action, false); err != nil || reason != "" || b.cfg.Aside(&it.Action) != "" {
		return notAsked{errQuiet}
	}
	return nil
}

// permit makes requests of an action ask, when they are about to leave, whether they may.
func (b *Account) permit(ctx context.Context, it *delivery) context.Context {
	//mutate:permit
	return platform.WithPermit(ctx, func() error { return b.departs(ctx, it) })
}

// permitOnce is permit for a call that undoes what is there already: it rests on what was read before. A session that is refused may have been
// stale when that was read, and was then answered as if none was sent; so the call is not repeated with another session, and all of it begins anew.
func (b *Account) permitOnce(ctx context.Context, it *delivery) context.Context {
	asked := false
	return platform.WithPermit(ctx, func() error {
		if asked { //mutate:toggle-once
			return notAsked{errReadAnew}
		}
		asked = true
		return b.departs(ctx, it)
	})
}

// errReadAnew is why something was not tried again.
var errReadAnew = errors.New("the session is another one than what was read before was read with")

// unwanted returns why nothing of an action has left, when that is since it must not leave now; nil otherwise.
func unwanted(err error) error {
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
