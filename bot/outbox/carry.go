package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// carry drives the head of a chain to its end, or makes it a suspect when its request left and the
// answer did not arrive.
func (b *Box) carry(ctx context.Context, ch *chain, it *item) {
	for pause := firstPause; it.State == event.StateSending && !it.suspect; pause = min(2*pause, lastPause) {
		if !b.waitGate(ctx) {
			return
		}
		err := b.call(ctx, it)
		if err == nil {
			b.passed()
			return
		}
		if ctx.Err() != nil && !platform.Unsure(err) {
			return
		}
		b.failed(ch, it, err)
		if it.State == event.StateSending && !b.courier.sleep(ctx, pause) {
			return
		}
	}
}

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// call makes the request in one of the account's slots.
func (b *Box) call(ctx context.Context, it *item) error {
	if err := b.cfg.Slots.Acquire(ctx); err != nil {
		return err
	}
	defer b.cfg.Slots.Release()
	it.left = time.Now()
	it.Tries++
	switch it.Verb {
	case event.VerbMessage:
		m, err := b.cfg.Platform.SendMessage(ctx, platform.SendMessageParams{To: it.Peer, Text: it.Text})
		return it.done(int64(m.ID), err)
	case event.VerbPost:
		p, err := b.cfg.Platform.PublishPost(ctx, platform.PublishPostParams{Text: it.Text, Thread: it.Post})
		return it.done(int64(p.ID), err)
	case event.VerbLike, event.VerbRepost, event.VerbFollow:
		return b.toggle(ctx, it)
	}
	it.State, it.Reason = event.StateDead, "unknown verb "+string(it.Verb)
	return nil
}

func (it *item) done(id int64, err error) error {
	if err == nil {
		it.State, it.Result, it.Reason = event.StateDone, id, ""
	}
	return err
}

// failed decides what an error means for an item: not handled (again later), unsure (look), refused
// (the end).
func (b *Box) failed(ch *chain, it *item, err error) {
	now := time.Now()
	var refused *platform.Refused
	var read readFailure
	switch unread := errors.As(err, &read); {
	case errors.Is(err, errUnsettled), platform.Unsure(err) && !unread:
		b.doubt(ch, it, now)
		b.trouble(now, err)
	case errors.As(err, &refused) && !platform.Unsure(err) &&
		!errors.Is(err, platform.ErrUnauthorized) && !errors.Is(err, platform.ErrRateLimited):
		b.passed()
		it.State, it.Reason = event.StateRefused, refused.Error()
	default: // nothing happened: it did not leave, there is no session, or the state could not be read
		b.trouble(now, err)
	}
}

// doubt makes an item a suspect: from here on only reading the platform tells what happened.
func (b *Box) doubt(ch *chain, it *item, now time.Time) {
	it.suspect = true
	if it.doubt.IsZero() {
		it.doubt = now
	}
	it.State = event.StateUnsure
	b.courier.cfg.Ledger.Mark(MarkOf(&it.Action))
	b.mu.Lock()
	ch.stuck = true
	b.mu.Unlock()
}

// trouble counts failures. Too many in a row, or being told so, stop the account for a while; each
// lowers its pace.
func (b *Box) trouble(now time.Time, err error) {
	asked := retryAfter(err)
	limited := errors.Is(err, platform.ErrRateLimited)
	b.pace.slow(now, 0)
	b.mu.Lock()
	b.streak++
	first := (limited || asked > 0 || b.streak >= patience) && b.gate.fail(now, asked)
	b.mu.Unlock()
	if first {
		b.courier.cfg.Log.Warn("the platform takes no actions at the moment; they wait",
			"account", b.cfg.Account, "err", err)
	}
}

// patience is how many failures in a row stop an account.
const patience = 5

func (b *Box) passed() {
	b.mu.Lock()
	b.streak = 0
	had := b.gate.pass()
	b.mu.Unlock()
	if had {
		b.courier.cfg.Log.Info("the platform takes actions again", "account", b.cfg.Account)
	}
}

// waitGate waits until the account may act; it reports false when the courier stops first.
func (b *Box) waitGate(ctx context.Context) bool {
	for {
		now := time.Now()
		b.mu.Lock()
		wait := max(b.gate.until.Sub(now), b.pace.wait(now))
		b.mu.Unlock()
		if wait <= 0 {
			return ctx.Err() == nil
		}
		if !b.courier.sleep(ctx, wait) {
			return false
		}
	}
}

// retryAfter returns how long the error itself asks to wait.
func retryAfter(err error) time.Duration {
	var refused *platform.Refused
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	var unreadable *platform.Unreadable
	if errors.As(err, &unreadable) {
		return unreadable.RetryAfter
	}
	return 0
}
