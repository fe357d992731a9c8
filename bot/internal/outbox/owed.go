package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// A repost that was taken back, or may have been, is owed until it is made again, whatever keeps it: a halt, a session that is gone, a platform
// that shows something else each time. After a day people are told, once in each incarnation; whoever hears it tells them once.

// longOwed is after what time it is told that a repost is still owed.
const longOwed = 24 * time.Hour

// owesLocked watches a repost that is owed.
func (b *Account) owesLocked(ctx context.Context, it *delivery) {
	key, owed := it.Key, it.Verb == event.VerbRenew && it.ReconcileFrom != 0
	if _, watched := b.debts[key]; watched || !owed || b.workers.Stopped() {
		if !owed {
			b.forgetDebtLocked(it)
		}
		return
	}
	if b.debts == nil {
		b.debts = map[string]*time.Timer{}
	}
	action := it.Action
	b.debts[key] = time.AfterFunc(owedFor(&action), func() { b.dun(ctx, &action) })
}

// owedFor returns how long to wait for the next look at what is owed: the clock may have been set, or have stood still.
func owedFor(a *event.Action) time.Duration {
	told := time.UnixMicro(max(a.ReconcileFrom, -a.ReconcileFrom)).Add(longOwed)
	return max(0, min(time.Until(told), time.Hour))
}

// dun tells of a repost that has been owed for long.
func (b *Account) dun(ctx context.Context, a *event.Action) {
	b.mu.Lock()
	timer := b.debts[a.Key]
	if timer == nil || ctx.Err() != nil || !b.workers.Begin() {
		b.mu.Unlock()
		return
	}
	defer b.workers.End()
	wait := owedFor(a)
	if wait > 0 {
		timer.Reset(wait)
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	b.dispatcher.yield(ctx, func() string { return "owed " + string(b.cfg.Account) })
	b.dispatcher.cfg.Log.Error("a repost that was taken back, or may have been, could not be made again for a day; it still will be",
		"account", b.cfg.Account, "action", a.Key, "post", int64(a.Post))
	b.dispatcher.cfg.Owed(*a) //mutate:owed-told
}

// forgetDebtLocked forgets what is owed no more.
func (b *Account) forgetDebtLocked(it *delivery) {
	if timer := b.debts[it.Key]; timer != nil {
		timer.Stop()
		delete(b.debts, it.Key)
	}
}
