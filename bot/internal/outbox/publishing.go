package outbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What an account publishes, own posts, reposts and renewals, may be limited. The commit counts it for the time at which it is to
// leave. What really leaves is decided here: by the fetcher, which leaves in the store what is too close or too much, with a reason,
// and again when a request is about to leave. Both go by what has left, in this incarnation or an earlier one, and what may have. What
// a renewal owes leaves in any case, and counts.

// Publishing is how much an account publishes at most; see bot.Publishing.
type Publishing struct {
	Most   int // 0: as much as it likes
	Within time.Duration
	Apart  time.Duration
}

// farthest is how far back distances are kept at least.
const farthest = 7 * 24 * time.Hour

// reach is how far back it is to be known what was published.
func (p *Publishing) reach() time.Duration { return max(p.Within, p.Apart, farthest) }

// LimitPublishing puts a limit in force, in the place of the one before; nil for none. It may be called at any time, also before
// Recover.
func (b *Account) LimitPublishing(p *Publishing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.limit.Swap(p)
	switch {
	case p == nil:
		b.space = space{}
	case before == nil || p.reach() > before.reach():
		b.space.known = false
	}
	b.freedLocked()
}

// limits reports whether an action is one of those whose publication is limited.
func (b *Account) limits(a *event.Action) bool { return b.limit.Load() != nil && a.Publishes() }

// survey finds out what was published before this incarnation, or before there was a limit, unless that is known.
func (b *Account) survey(ctx context.Context) error {
	limit := b.limit.Load()
	if limit == nil {
		return nil
	}
	b.mu.Lock()
	known := b.space.known
	b.mu.Unlock()
	if known {
		return nil
	}
	if err := b.dispatcher.cfg.Ledger.MarkNow(ctx); err != nil { // what is to be stored at some time
		return fmt.Errorf("store what has ended before reading what was published: %w", err)
	}
	now := time.Now()
	all, err := b.dispatcher.cfg.Ledger.Published(ctx, b.cfg.Account, now.Add(-limit.reach()))
	if err != nil {
		return fmt.Errorf("read what was published: %w", err)
	}
	posts, err := b.PostedSince(ctx)
	if err != nil {
		return fmt.Errorf("read what was published: %w", err)
	}
	all = append(all, b.copied.Load().published(posts)...)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit.Load() != limit {
		return nil // it is asked again
	}
	b.space.restore(all, now, now.Add(b.dispatcher.cfg.Deadline+b.dispatcher.cfg.Grace)) //mutate:publishing-restore
	b.space.known = true
	return nil
}

// spacedLocked reports whether a due action may be published now as far as others are concerned, and notes what has to wait for them, or
// waits in vain.
func (b *Account) spacedLocked(ps *scan, a *event.Action) bool {
	if !b.limits(a) {
		return true
	}
	at, why := b.space.next(b.limit.Load(), a, ps.now, false)
	if at.IsZero() {
		return true
	}
	switch wait := at.Sub(ps.now); {
	case why == reason.Crowd{}: // what is on its way has to come to its end
		wait = lookAgain
		fallthrough
	case !isLate(a, at):
		ps.crowd(a, wait)
		if waits := why.Waits(at); why != (reason.Crowd{}) && a.Why != waits {
			reason.Set(a, waits)
			ps.told = append(ps.told, *a)
		}
	default:
		reason.Set(a, why.InVain(at, a.Until))
		ps.vain = append(ps.vain, *a)
	}
	return false
}

// explain stores why actions of a scan wait for others, and withdraws those that wait in vain.
func (b *Account) explain(ctx context.Context, ps *scan) error {
	mark := func(a *event.Action) Mark {
		m := MarkOf(a)
		m.Waits = true
		return m
	}
	for i := range ps.told {
		b.dispatcher.cfg.Ledger.Mark(mark(&ps.told[i]))
	}
	for i := range ps.vain {
		a := &ps.vain[i]
		why := a.Why
		Enter(a, event.StateWithdrawn)
		a.Why, a.EndedAt = why, ps.now
	}
	gone, err := b.markThose(ctx, ps.vain, mark)
	for i := range gone {
		b.dispatcher.cfg.Ended(gone[i])
	}
	ps.told, ps.vain = nil, nil
	if err != nil {
		return fmt.Errorf("withdraw what comes too close to others: %w", err)
	}
	return nil
}

// notOutLocked takes those of chosen actions off their way that are not among those that are on it.
func (b *Account) notOutLocked(chosen, out []event.Action) {
	if b.limit.Load() == nil {
		return
	}
	for i := range chosen {
		if !slices.ContainsFunc(out, func(a event.Action) bool { return a.Key == chosen[i].Key }) {
			b.space.land(chosen[i].Key)
		}
	}
}

// hasSpace reports whether an item may be published now, asked before it waits for anything else.
func (b *Account) hasSpace(ctx context.Context, it *delivery) bool {
	if it.undone() || !b.limits(&it.Action) {
		return true
	}
	if !b.insist(ctx, func() error { return b.survey(ctx) }) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	limit := b.limit.Load()
	if limit == nil {
		return true
	}
	at, _ := b.space.next(limit, &it.Action, time.Now(), true)
	it.crowded = !at.IsZero()
	return !it.crowded
}

// setsOutLocked lets an item be the one that is published now; false when others are too close after all.
func (b *Account) setsOutLocked(it *delivery) bool {
	limit := b.limit.Load()
	if limit == nil || !it.Publishes() {
		return true
	}
	now := time.Now()
	if !it.undone() {
		if at, _ := b.space.next(limit, &it.Action, now, true); !at.IsZero() || !b.space.known {
			it.crowded = true
			return false
		}
	}
	it.LeftAt = now.Round(0)
	b.space.flight(&it.Action).out = true
	return true
}

// cameBack notes what became of a request of an item that set out.
func (b *Account) cameBack(it *delivery, err error) {
	if b.limit.Load() == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.space.out[it.Key]
	switch what := tryResultOf(err); {
	case f == nil:
	case what == nothing:
		f.out = false
	case what == inDoubt:
		f.out, f.left, f.until = false, true, it.gaveUp.Add(b.dispatcher.cfg.Grace)
	}
}

// published notes how an item ended, for those to come, and adds to its mark what the store is to count. b.mu is not held.
func (b *Account) published(it *delivery, m *Mark) {
	if !b.limits(&it.Action) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.space.out[it.Key]
	switch {
	case it.State == event.StateDone && it.Why.Code() == reason.WasSo:
		m.Idle = true //mutate:publishing-idle
	case it.State == event.StateDone, it.State == event.StateHeld && f != nil && f.left:
		m.Left = true
		at := time.Now()
		if last := it.gaveUp.Add(b.dispatcher.cfg.Grace); !it.gaveUp.IsZero() && last.Before(at) {
			at = last
		}
		b.space.add(departure{it.Key, at, it.Apart}, b.limit.Load().reach())
	}
}
