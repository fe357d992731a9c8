package outbox

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
	oddPause   = 30 * time.Second // of what fails while others get answers: it takes few of their tokens
	// believe is how long the platform has to say something until that is taken for its answer: that a
	// call is not authorised, since the session may have ended at the wrong moment, or that a
	// conversation cannot be read where that is only needed to be quite sure.
	believe = time.Minute
)

// carry drives the head of a queue to its end, or makes it in doubt when its request left and the
// answer did not arrive.
func (b *Account) carry(ctx context.Context, q *queue, it *delivery) {
	for pause := firstPause; b.mayGo(it) && !it.crowded; pause = min(2*pause, b.longestPause(q)) {
		if it.Verb.Toggle() && !it.undone() && b.overtaken(q) {
			it.enter(event.StateWithdrawn, event.Because(reason.Overtaken))
			return
		}
		if it.lapse() || !b.ready(ctx, q, it) {
			return
		}
		// With each try anew: while it waited, others of the queue may have made something that looks like it.
		err := b.setBaselineFor(ctx, q, it)
		if err == nil {
			err = b.takeAge(ctx, it)
		}
		if err == nil {
			err = b.call(ctx, q, it)
		}
		b.judge(ctx, q, it, err)
		if it.State == event.StateSending && !it.inDoubt {
			b.clear(q)
		}
		if (errors.Is(err, errQuiet) || errors.Is(err, errLate) || errors.Is(err, errCrowded)) && it.State == event.StateSending && !it.inDoubt {
			continue // there is something to wait for
		}
		if it.State != event.StateSending || it.inDoubt || !b.workers.Sleep(ctx, pause) {
			return
		}
	}
}

// longestPause returns how long a queue that fails waits at most until it tries again.
func (b *Account) longestPause(q *queue) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q.odd {
		return oddPause
	}
	return lastPause
}

// ready waits until an item may leave. It reports false when it is not to be carried now, or its time is over.
func (b *Account) ready(ctx context.Context, q *queue, it *delivery) bool {
	if it.expires() { //mutate:until-bounded
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Until(it.Until), errLate) // by a steady clock: whoever waits looks again
		defer cancel()
	}
	if !b.hush(ctx, q, it) || !b.hasSpace(ctx, it) {
		return false
	}
	if deletes(it.Verb) && !b.afterMakers(ctx, q, it) || !b.admit(ctx, q, it) { //mutate:deletion-waits
		return false
	}
	return true
}

// call makes the request in one of the account's slots.
func (b *Account) call(ctx context.Context, q *queue, it *delivery) error {
	if err := b.slot(ctx, q); err != nil {
		return err
	}
	defer b.cfg.Slots.Release()
	if err := b.unanswered(ctx, q, it); err != nil {
		return err
	}
	// Looked at again with the slot in hand: to wait for it may have taken minutes, in which somebody paused the account, or spoke.
	if err := b.leave(ctx, q, it); err != nil {
		return err
	}
	left, waited := time.Now(), &atomic.Int64{}
	err := b.request(platform.WithWaited(b.permit(ctx, it), waited), it)
	it.gaveUp = time.Now() //mutate:gave-up
	b.cameBack(it, err)
	if why := unwanted(err); why != nil { // it waited for a session, or for another one
		return notAsked{why}
	}
	b.heard(q, err)
	if it.gaveUp.Sub(left)-time.Duration(waited.Load()) >= b.dispatcher.cfg.Deadline/5 { // answers get slow
		b.pace.slow(it.gaveUp)
	}
	return err
}

func (b *Account) request(ctx context.Context, it *delivery) error {
	var err error
	switch it.Verb {
	case event.VerbMessage:
		var m platform.Message
		m, err = b.cfg.Platform.SendMessage(ctx, platform.SendMessageParams{To: it.Peer, Text: it.Text})
		it.Result = int64(m.ID)
		b.learn(it.Text, m.Text)
	case event.VerbPost:
		var p platform.Post
		p, err = b.cfg.Platform.PublishPost(ctx, platform.PublishPostParams{Text: it.Text, Thread: it.Post})
		it.Result = int64(p.ID)
		b.learn(it.Text, p.Text)
	case event.VerbLike, event.VerbRepost, event.VerbFollow:
		return b.toggle(ctx, it)
	case event.VerbRenew:
		return b.renew(ctx, it)
	case event.VerbDeleteMessage, event.VerbDeletePost:
		return b.remove(ctx, it)
	default:
		// A newer version decided it. To wait would hold up all behind it in its queue, and nothing here will ever know it.
		it.enterText(event.StateDead, reason.UnknownVerb, "unknown verb "+string(it.Verb))
		return nil
	}
	if err = b.proven(it, err); err == nil {
		it.enter(event.StateDone, "")
		// It is remembered: what such an answer made has no id in the ledger, and would be taken for a later twin that was lost.
		if it.Result == 0 {
			b.nameless.Store(true)
		}
	}
	return err
}

// slot waits for a slot, which must be released. Whoever was let through before the breaker opened has to go
// back.
func (b *Account) slot(ctx context.Context, q *queue) error {
	if err := b.cfg.Slots.Acquire(ctx); err != nil {
		return notAsked{err}
	}
	b.mu.Lock()
	opened := q.admitted != b.breaker.ticket()
	b.mu.Unlock()
	switch {
	case b.workers.Stopped():
		b.cfg.Slots.Release()
		return notAsked{errStopped}
	case opened: //mutate:opened
		b.cfg.Slots.Release()
		return notAsked{errOpen}
	}
	return nil
}

// judge decides what came of a try: an end, a doubt, or nothing, so that it is tried again.
func (b *Account) judge(ctx context.Context, q *queue, it *delivery, err error) {
	switch tryResultOf(err) {
	case happened:
		it.Tries++
	case refused:
		it.Tries++
		it.enterText(event.StateRefused, reason.Refused, err.Error())
		b.warnRefused(it, err)
	case inDoubt:
		it.Tries++
		b.doubt(ctx, q, it, err)
	case nothing:
		b.unrecord(it)
		b.mu.Lock()
		b.stickLocked(q)
		b.mu.Unlock()
		b.unasked(err)
		switch waited := b.waits(it, err); {
		case it.denied && waited-it.allowed >= believe: //mutate:one-denial
			it.enterText(event.StateRefused, reason.Refused, err.Error())
		// A renewal that has taken its repost back is never left to a person: until it is made again the post is not shown.
		case waited >= b.dispatcher.cfg.HoldAfter && !it.undone():
			b.hold(reason.Unread, "it has not left, because the platform cannot be read: "+err.Error(), it)
		}
	}
}

// waits notes that the item does not get on because of err, and returns for how long that has been so
// although the platform could be asked. A time ends with each failure, and counts unless the platform was not
// reached then, or answered nobody: that is no fault of the item's, and nothing behind it could get on either.
// For such a failure it returns 0.
func (b *Account) waits(it *delivery, err error) time.Duration {
	b.mu.Lock()
	now := b.breaker.clock(time.Now())
	b.mu.Unlock()
	counts, denied := reachedServer(err) && !b.cfg.Out(), errors.Is(err, platform.ErrUnauthorized)
	if counts && !it.failed.IsZero() {
		it.waited += now.Sub(it.failed)
	}
	if !denied || !it.denied {
		it.allowed = it.waited
	}
	it.failed, it.denied = now, denied
	if !counts { //mutate:patience
		return 0
	}
	return it.waited
}

// doubt puts an item in doubt: from here on only reading the platform tells what happened.
func (b *Account) doubt(ctx context.Context, q *queue, it *delivery, err error) {
	it.inDoubt, it.Result = true, 0
	Enter(&it.Action, event.StateInDoubt)
	b.waits(it, err)
	b.dispatcher.cfg.Ledger.Mark(MarkOf(&it.Action))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ageLocked(ctx, it, ageEvery) // most are found before that
	b.stickLocked(q)
}

// hold leaves items to a person, for a reason that the text tells.
func (b *Account) hold(code event.ReasonCode, text string, items ...*delivery) {
	for _, it := range items {
		it.enterText(event.StateHeld, code, text)
		it.inDoubt = false
	}
	b.dispatcher.cfg.Log.Error("actions are held: look at the platform, then release or drop them",
		"account", b.cfg.Account, "first", items[0].Key, "actions", len(items), "reason", text)
}
