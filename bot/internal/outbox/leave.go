package outbox

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// May an action leave? When it is decided, mayQueueLocked lets it be queued at once, or leaves it to the store. At the head of its queue it may wait,
// or come to its end. With the slot in hand, and again before each of its requests, everything is asked once more. Whether there is a token, and a
// platform that answers, is another question: see waitForToken.

// moment is when it is asked whether an action may leave.
type moment uint8

const (
	atHead moment = iota // it is the head of its queue
	inHand               // its slot is taken: its request leaves next
)

// Then is what becomes of an action by a verdict.
type Then uint8

// What becomes of an action.
const (
	Leave    Then = iota // its request may leave
	Wait                 // it stays at the head of its queue, and it is asked again
	PutBack              // it waits in the store, as due
	Hold                 // it waits for a person
	Withdraw             // it never leaves
)

// Verdict answers whether an action may leave now. The zero value says that it may.
type Verdict struct {
	Then    Then
	Why     event.Reason    // why not, for who reads of it later
	Text    string          // the sentence of Why, where somebody else has written it
	Changed <-chan struct{} // of what waits: closed when it is time to ask again; nil: soon
}

// People says what must not leave since people of ours have decided something: the account's bot knows. Nothing of it may block, but what has a context.
type People interface {
	// MayLeave says whether an action may leave: not while it is not known whether a person of ours has spoken in its conversation, not after
	// somebody has taken it back, and not while its rule is paused. earlier tells that an earlier incarnation began it; only then the store has
	// to be asked.
	MayLeave(ctx context.Context, a *event.Action, earlier bool) Verdict
	// RevokedReason says why an action was taken back; "" when it was not. It is asked before an action is put back into the store.
	RevokedReason(ctx context.Context, a *event.Action, earlier bool) (reason string, err error)
	// AnsweredByHand reads whether a person of ours has answered by hand what a public reply answers, and says why the reply must not
	// leave then; "" when it may. It is asked before one leaves that was not decided just now, or, fresh, that may have been
	// released just now; it is called in one of the slots.
	AnsweredByHand(ctx context.Context, a *event.Action, fresh bool) (reason string, err error)
	// OutdatedReason says why an action must not be done any more that a copy of the database wanted which was put back; "" when it may.
	OutdatedReason(a *event.Action) event.Reason
}

// Chats is what others know of the account's conversations, and of its platform. Nothing of it may block.
type Chats interface {
	// SnapshotRow returns what the chat list last said of the conversation with peer, and whether it shows text; false where messages can be read.
	SnapshotRow(peer platform.UserID, text string) (SnapshotRow, bool)
	// BelievedMessageID returns the highest message id that is known and believed, and whether an id may be one that the
	// platform has given out by now.
	BelievedMessageID(id platform.MessageID) (top platform.MessageID, ok bool)
	// IsPlatformDown reports whether the platform answers nothing of the account at the moment, as far as others know. Such a time does not
	// count for Config.HoldAfter.
	IsPlatformDown() bool
	// NothingInFlight is told when no message to peer is on its way or in doubt any more; see Account.IsBusy.
	NothingInFlight(peer platform.UserID)
}

// mayLeave says whether an action may leave now. It stands at the head of its queue.
func (a *Account) mayLeave(ctx context.Context, d *delivery, when moment) Verdict {
	owes := d.hasUndone() // what it has taken back it makes again, also when people say no
	switch {
	case a.halted.Load() && (!owes || a.strict.Load()): //mutate:halted
		if owes {
			return Verdict{Then: Wait}
		}
		return Verdict{Then: PutBack, Why: event.Because(reason.AccountPaused)}
	case d.crowded:
		return Verdict{Then: PutBack, Why: event.Because(reason.Crowded)}
	case when == atHead && d.Verb.Toggle() && !owes && a.isOvertaken(d):
		return Verdict{Then: Withdraw, Why: event.Because(reason.Overtaken)}
	case d.isLate(): //mutate:until-leave
		return Verdict{Then: Withdraw, Why: d.lateReason()}
	}
	if !owes {
		if v := a.cfg.People.MayLeave(ctx, &d.Action, d.earlier); v.Then != Leave {
			return v
		}
		d.earlier = false
	}
	return a.mayPublish(ctx, d, when)
}

// obeyVerdict does with an item what a verdict says that does not let it leave.
func (a *Account) obeyVerdict(ctx context.Context, q *queue, d *delivery, v Verdict) {
	switch {
	case v.Then == PutBack:
		a.putQueueBack(ctx, q)
	case v.Then == Hold:
		d.changeState(event.StateHeld, v.Why)
		d.ReconcileFrom, d.LeftAt = 0, time.Time{} // nothing of it can be on the platform, of an earlier try neither
	case v.Then == Withdraw && v.Text != "":
		d.enterText(event.StateWithdrawn, v.Why.Code(), v.Text)
	case v.Then == Withdraw:
		d.changeState(event.StateWithdrawn, v.Why)
	}
}

// waitUntilMayLeave waits until an item may leave. Of one that is not to be carried now it says what becomes of it; Wait when the waiting was cut short.
func (a *Account) waitUntilMayLeave(ctx context.Context, q *queue, d *delivery) Verdict {
	if d.hasLatestDeparture() { //mutate:until-bounded
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Until(d.Until), errKept) // by a steady clock: the queue looks again
		defer cancel()
	}
	v := a.mayLeave(ctx, d, atHead)
	for v.Then == Wait && a.waitForChange(ctx, q, v.Changed) {
		v = a.mayLeave(ctx, d, atHead)
	}
	if v.Then != Leave {
		return v
	}
	if isDeletion(d.Verb) && !a.afterMakers(ctx, q, d) || !a.waitForToken(ctx, q, d) { //mutate:deletion-waits
		return Verdict{Then: Wait}
	}
	return v
}

// waitForChange waits until it may be worthwhile to ask again whether the head of a queue may leave; false when the waiting ends first.
func (a *Account) waitForChange(ctx context.Context, q *queue, changed <-chan struct{}) bool {
	if changed == nil {
		return a.workers.Sleep(ctx, lookAgain)
	}
	a.mu.Lock()
	a.stickLocked(q)
	a.mu.Unlock()
	return a.workers.WaitFor(ctx, changed)
}

// waitForToken waits until the breaker is closed and there is a token for a call. The item is
// nil for a call that only reads. It reports false when the account outbox ends first.
func (a *Account) waitForToken(ctx context.Context, q *queue, d *delivery) bool {
	ticket, action := 0, (*event.Action)(nil)
	if d != nil {
		ticket, action, d.ticket = d.ticket, &d.Action, 0
	}
	defer a.stepBack(q)
	for departs := false; ; {
		a.yield(ctx, q)
		now := time.Now()
		a.mu.Lock()
		valid, closed := a.breaker.callTicket(), !a.breaker.open
		q.admitted = valid
		// The token was taken for this call already. One from before the breaker last opened is not good any more: others have waited since.
		if closed && ticket == valid {
			begun := a.breaker.askableTime(now)
			a.mu.Unlock()
			toll := time.Duration(0)
			// Once, however often the loop comes round: to wait for the breaker again is no second departure.
			if !departs {
				departs, toll = true, a.pace.payDeparture(now)
			}
			if toll == 0 {
				return ctx.Err() == nil
			}
			if !a.pay(ctx, q, toll, begun) {
				return false
			}
			continue
		}
		ok, wait, changed := a.allowLocked(q, now)
		begun := a.breaker.askableTime(now)
		a.mu.Unlock()
		switch {
		case ok:
			ticket = valid
			toll := a.pace.payToken(action, now)
			if !departs {
				departs, toll = true, max(toll, a.pace.payDeparture(now))
			}
			if !a.pay(ctx, q, toll, begun) {
				if !closed { //mutate:until-probe
					a.freeProbe()
				}
				return false
			}
			if !closed { // this one is to find out
				return true
			}
		case lifecycle.Wait(ctx, wait, changed, a.workers.Stopping()) == lifecycle.Over:
			return false
		}
	}
}

// allowLocked asks the breaker to let a call of a queue through, and counts those that wait without having failed.
func (a *Account) allowLocked(q *queue, now time.Time) (ok bool, wait time.Duration, changed <-chan struct{}) {
	// A call without a clear answer is read back next: to read has not failed yet.
	failed := q.failures > 1 || q.failures == 1 && (len(q.items) == 0 || q.items[0].State != event.StateInDoubt) //mutate:breaker-in-doubt
	ok, wait, changed = a.breaker.allow(now, failed)
	if waits := !ok && !failed; waits && !q.waits {
		a.breaker.untried++
		q.waits = true
	} else if !waits {
		a.unwaitLocked(q)
	}
	return ok, wait, changed
}

func (a *Account) unwaitLocked(q *queue) (did bool) {
	if q.waits {
		a.breaker.untried--
	}
	did, q.waits = q.waits, false
	return did
}

// stepBack takes a call that does not leave out of those that wait for the breaker: another one may find out.
func (a *Account) stepBack(q *queue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unwaitLocked(q) && !a.breaker.halfOpen {
		a.breaker.notify()
	}
}

// pay waits for what a call costs, since a time on the clock of the breaker; false when the account outbox ends first.
func (a *Account) pay(ctx context.Context, q *queue, toll time.Duration, since time.Time) bool {
	slept := a.workers.Sleep(ctx, toll)
	if toll > 0 {
		a.excuse(q, since)
	}
	return slept
}

// excuse does not count for Config.HoldAfter what has passed since a time on the clock of the breaker: the pace kept the
// queue from asking.
func (a *Account) excuse(q *queue, since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	paced := a.breaker.askableTime(time.Now()).Sub(since) //mutate:pace-excused
	for _, d := range q.items {
		if d.failed.IsZero() { // nothing behind it has been tried
			return
		}
		d.failed = d.failed.Add(paced)
	}
}

// freeProbe lets another call find out whether the platform is back, when the one that was to does not leave.
func (a *Account) freeProbe() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.breaker.notify()
}

// errKept is why the request of an action has not left: it must not leave now. What becomes of it is asked anew.
var errKept = errors.New("it must not leave now: its time is over, others are too close to it, or people keep it back")

// permitOnce lets a call ask, when it is about to leave, whether it may, as request does, for a call that undoes what is there already: it rests on what was read before. A session that is refused may have been
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
	case errors.Is(err, errKept):
		return errKept
	case errors.Is(err, errReadAnew):
		return errReadAnew
	}
	return nil
}

// NoBot keeps nothing back, and knows nothing. What has less to say than People, Chats or a Listener embeds it.
type NoBot struct{}

// MayLeave lets everything leave.
func (NoBot) MayLeave(context.Context, *event.Action, bool) Verdict { return Verdict{} }

// RevokedReason has none.
func (NoBot) RevokedReason(context.Context, *event.Action, bool) (string, error) { return "", nil }

// AnsweredByHand knows of no answer.
func (NoBot) AnsweredByHand(context.Context, *event.Action, bool) (string, error) { return "", nil }

// OutdatedReason has none.
func (NoBot) OutdatedReason(*event.Action) event.Reason { return "" }

// SnapshotRow knows of no row: messages can be read.
func (NoBot) SnapshotRow(platform.UserID, string) (SnapshotRow, bool) { return SnapshotRow{}, false }

// BelievedMessageID believes what a platform can have got to.
func (NoBot) BelievedMessageID(id platform.MessageID) (platform.MessageID, bool) {
	return 0, !leap.IsLeap(0, int64(id))
}

// IsPlatformDown returns false.
func (NoBot) IsPlatformDown() bool { return false }

// NothingInFlight does nothing.
func (NoBot) NothingInFlight(platform.UserID) {}

// ActionEnded does nothing.
func (NoBot) ActionEnded(event.Action) {}

// RepostOwed does nothing.
func (NoBot) RepostOwed(event.Action) {}

// PublicationWarned does nothing.
func (NoBot) PublicationWarned(event.Action, event.WarningKind, string) {}
