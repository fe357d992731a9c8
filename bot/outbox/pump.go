package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// pump moves stored due actions into the chains as fast as room and pace allow.
type pump struct {
	wake chan struct{}
}

func (p *pump) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// startPump starts the account's pump, or wakes it. b.mu is held.
func (b *Box) startPump(ctx context.Context) {
	if b.pump == nil {
		b.pump = &pump{wake: make(chan struct{}, 1)}
		b.courier.running.Add(1)
		go b.runPump(ctx, b.pump)
		return
	}
	b.pump.poke()
}

// runPump runs until nothing is stored as due.
func (b *Box) runPump(ctx context.Context, p *pump) {
	defer b.courier.running.Done()
	failing := false
	for {
		wait, more, err := b.pumpOnce(ctx)
		switch {
		case ctx.Err() != nil || b.courier.draining.Load():
			return
		case err != nil && !failing:
			failing = true
			b.courier.cfg.Log.Error("cannot take due actions from the store; trying again",
				"account", b.cfg.Account, "err", err)
		case err == nil:
			failing = false
		}
		if !more && b.stopPump(p) {
			return
		}
		if !p.wait(ctx, b.courier.stop, wait) {
			return
		}
	}
}

// wait waits for d or for a poke; d < 0 waits for a poke alone.
func (p *pump) wait(ctx context.Context, stop <-chan struct{}, d time.Duration) bool {
	if d == 0 {
		return true
	}
	var alarm <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		alarm = t.C
	}
	select {
	case <-alarm:
		return true
	case <-p.wake:
		return true
	case <-stop:
	case <-ctx.Done():
	}
	return false
}

// stopPump ends the pump unless something came due meanwhile.
func (b *Box) stopPump(p *pump) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.nextDue.IsZero() {
		return false
	}
	b.pump = nil
	return p != nil
}

// pumpOnce moves one batch. It returns how long to wait before the next (below 0: until something
// changes) and whether anything is left to move.
func (b *Box) pumpOnce(ctx context.Context) (wait time.Duration, more bool, err error) {
	now := time.Now()
	b.mu.Lock()
	room, except, next := b.room-b.sending, b.stuckPeers(), b.nextDue
	shut := max(b.gate.until.Sub(now), b.pace.wait(now))
	b.nextDue = time.Time{} // what comes due from here on sets it again
	b.mu.Unlock()
	switch {
	case next.IsZero():
		return 0, false, nil
	case next.After(now):
		return b.later(next, next.Sub(now)), true, nil
	case shut > 0:
		return b.later(next, shut), true, nil
	case room <= 0:
		return b.later(next, -1), true, nil
	}
	limit := min(room, b.courier.cfg.Window)
	due, err := b.courier.cfg.Ledger.Due(ctx, b.cfg.Account, now, except, limit)
	if err != nil {
		return b.later(next, time.Second), true, fmt.Errorf("read due actions: %w", err)
	}
	wait, err = b.release(ctx, due, now)
	if err != nil {
		return b.later(next, time.Second), true, err
	}
	if len(due) == limit || wait > 0 {
		return b.later(next, wait), true, nil
	}
	return b.rest(ctx, next, len(except) > 0)
}

// later notes that something is still due at t, and returns wait.
func (b *Box) later(t time.Time, wait time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dueAt(t)
	return wait
}

// rest finds out what is left after everything that is due was taken, but for the stuck ones.
func (b *Box) rest(ctx context.Context, was time.Time, stuck bool) (time.Duration, bool, error) {
	next, err := b.courier.cfg.Ledger.NextDue(ctx, b.cfg.Account)
	if err != nil {
		return b.later(was, time.Second), true, fmt.Errorf("read the next due action: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !next.IsZero() {
		b.dueAt(next)
	}
	wait := time.Until(b.nextDue)
	if (b.nextDue.IsZero() || wait > 0) && b.writing == 0 {
		b.caughtUp()
	}
	switch {
	case b.nextDue.IsZero():
		return 0, false, nil
	case wait > 0:
		return wait, true, nil
	case stuck && !next.After(time.Now()):
		return -1, true, nil // all that is due waits behind something unsure
	default:
		return 0, true, nil
	}
}

// caughtUp notes that nothing stored is due. b.mu is held.
func (b *Box) caughtUp() {
	b.backlog = false
	clear(b.waiting)
}

// release takes tokens, marks what got one as sending in one commit, and hands it to the chains. It
// returns how long to wait for the next token when they ran out.
func (b *Box) release(ctx context.Context, due []event.Action, now time.Time) (time.Duration, error) {
	var wait time.Duration
	var out []event.Action
	var marks []Mark
	late := map[chainKey]bool{} // an action without a token holds back those behind it
	for i := range due {
		a := due[i]
		k := keyOf(&a)
		if late[k] {
			continue
		}
		d, ok := b.pace.take(&a, now)
		if !ok {
			late[k] = true
			if wait == 0 || d < wait {
				wait = d
			}
			continue
		}
		if err := b.anchor(ctx, &a); err != nil {
			if ctx.Err() != nil {
				return 0, err
			}
			b.trouble(now, err) // it did not leave; the others may
			late[k], wait = true, max(wait, firstPause)
			continue
		}
		if a.State == event.StateDue {
			a.State, a.LeftAt, a.Position = event.StateSending, now, b.courier.cfg.Ledger.Position()
		}
		out, marks = append(out, a), append(marks, MarkOf(&a))
	}
	if len(out) == 0 {
		return wait, nil
	}
	if err := b.courier.cfg.Ledger.MarkNow(ctx, marks...); err != nil {
		return 0, fmt.Errorf("mark due actions as sending: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range out {
		b.push(ctx, &item{Action: out[i]})
		if !b.backlog {
			b.released(out[i].Peer)
		}
	}
	return wait, nil
}
