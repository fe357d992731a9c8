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
func (a *Account) owesLocked(ctx context.Context, d *delivery) {
	key, owed := d.Key, d.Verb == event.VerbRenew && d.ReconcileFrom != 0
	if _, watched := a.debts[key]; watched || !owed || a.workers.IsStopped() {
		if !owed {
			a.forgetDebtLocked(d)
		}
		return
	}
	if a.debts == nil {
		a.debts = map[string]*time.Timer{}
	}
	action := d.Action
	a.debts[key] = time.AfterFunc(owedFor(&action), func() { a.dun(ctx, &action) })
}

// owedFor returns how long to wait for the next look at what is owed: the clock may have been set, or have stood still.
func owedFor(a *event.Action) time.Duration {
	told := time.UnixMicro(max(a.ReconcileFrom, -a.ReconcileFrom)).Add(longOwed)
	return max(0, min(time.Until(told), time.Hour))
}

// dun tells of a repost that has been owed for long.
func (a *Account) dun(ctx context.Context, action *event.Action) {
	a.mu.Lock()
	timer := a.debts[action.Key]
	if timer == nil || ctx.Err() != nil || !a.workers.Begin() {
		a.mu.Unlock()
		return
	}
	defer a.workers.End()
	wait := owedFor(action)
	if wait > 0 {
		timer.Reset(wait)
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	a.dispatcher.yield(ctx, func() string { return "owed " + string(a.cfg.Account) })
	a.dispatcher.cfg.Log.Error("a repost that was taken back, or may have been, could not be made again for a day; it still will be",
		"account", a.cfg.Account, "action", action.Key, "post", int64(action.Post))
	a.dispatcher.cfg.Owed(*action) //mutate:owed-told
}

// forgetDebtLocked forgets what is owed no more.
func (a *Account) forgetDebtLocked(d *delivery) {
	if timer := a.debts[d.Key]; timer != nil {
		timer.Stop()
		delete(a.debts, d.Key)
	}
}
