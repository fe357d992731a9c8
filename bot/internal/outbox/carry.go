package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
	alonePause = 30 * time.Second // of what fails while others get answers: it takes few of their tokens
	// believe is how long the platform has to say something until that is taken for its answer: that a
	// call is not authorised, since the session may have ended at the wrong moment, or that a
	// conversation cannot be read where that is only needed to be quite sure.
	believe = time.Minute
)

// run works through a queue until it is empty.
func (a *Account) run(ctx context.Context, q *queue) {
	defer a.workers.End()
	ctx = a.yield(ctx, q)
	for {
		d := a.headItem(q)
		switch {
		case d == nil:
			return
		// What is over comes before the stop: its end is stored once more, or the next incarnation would look for it on the platform.
		case d.State.Final() || d.State == event.StateHeld:
			if !a.storeEnd(ctx, q, d) {
				a.abandonQueue(ctx, q)
				return
			}
		case ctx.Err() != nil || a.workers.IsStopped():
			a.abandonQueue(ctx, q)
			return
		case d.State == event.StateInDoubt:
			a.reconcile(ctx, q)
			if d.State == event.StateSending {
				a.clear(q)
			}
		default:
			a.carryHead(ctx, q, d)
		}
	}
}

// carryHead tries the head of a queue again and again, until it has a result: an end, or a doubt.
func (a *Account) carryHead(ctx context.Context, q *queue, d *delivery) {
	for pause := firstPause; ; pause = min(2*pause, a.longestPause(q)) {
		if v := a.waitUntilMayLeave(ctx, q, d); v.Then != Leave {
			a.obeyVerdict(ctx, q, d, v)
			return
		}
		// With each try anew: while it waited, others of the queue may have made something that looks like it.
		err := a.setBaselineFor(ctx, q, d)
		if err == nil {
			err = a.takeAge(ctx, d)
		}
		if err == nil {
			err = a.call(ctx, q, d)
		}
		a.noteResult(ctx, q, d, err)
		if d.State != event.StateSending {
			return
		}
		a.clear(q)
		if !errors.Is(err, errKept) && !a.workers.Sleep(ctx, pause) { // what is kept waits above, for what keeps it
			return
		}
	}
}

// longestPause returns how long a queue that fails waits at most until it tries again.
func (a *Account) longestPause(q *queue) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q.alone {
		return alonePause
	}
	return lastPause
}

// waitForSlot waits for a slot, which must be released. A call that was let through before the breaker opened has to go back.
func (a *Account) waitForSlot(ctx context.Context, q *queue) error {
	if err := a.cfg.Slots.Acquire(ctx); err != nil {
		return notAsked{err}
	}
	a.mu.Lock()
	opened := q.admitted != a.breaker.callTicket()
	a.mu.Unlock()
	switch {
	case a.workers.IsStopped():
		a.cfg.Slots.Release()
		return notAsked{errStopped}
	case opened: //mutate:opened
		a.cfg.Slots.Release()
		return notAsked{errOpen}
	}
	return nil
}

// call makes the request in one of the account's slots. With the slot in hand everything is asked once more: to wait for it may have taken minutes.
func (a *Account) call(ctx context.Context, q *queue, d *delivery) error {
	if err := a.waitForSlot(ctx, q); err != nil {
		return err
	}
	defer a.cfg.Slots.Release()
	if err := a.checkAnsweredByHand(ctx, q, d); err != nil {
		return err
	}
	a.mu.Lock()
	// Before the last look whether a person of ours has spoken: words that show up from now on may be this message.
	q.inFlight = true
	a.mu.Unlock()
	if a.mayLeave(ctx, d, inHand).Then != Leave {
		return notAsked{errKept}
	}
	left, waited := time.Now(), &atomic.Int64{}
	//mutate:permit
	asking := platform.WithPermit(ctx, func() error { return a.recordDeparture(ctx, d) }) // again when its request is about to leave
	err := a.request(platform.WithWaited(asking, waited), d)
	d.gaveUp = time.Now() //mutate:gave-up
	a.notePublicationResult(d, err)
	if why := unwantedReason(err); why != nil { // it waited for a session, or for another one
		return notAsked{why}
	}
	a.noteAnswer(q, err)
	if d.gaveUp.Sub(left)-time.Duration(waited.Load()) >= a.dispatcher.cfg.Deadline/5 { // answers get slow
		a.pace.slowDown(d.gaveUp)
	}
	return err
}

func (a *Account) request(ctx context.Context, d *delivery) error {
	var err error
	switch d.Verb {
	case event.VerbMessage:
		var m platform.Message
		m, err = a.cfg.Platform.SendMessage(ctx, platform.SendMessageParams{To: d.Peer, Text: d.Text})
		d.Result = int64(m.ID)
		a.noteRewritten(d.Text, m.Text)
	case event.VerbPost:
		var p platform.Post
		p, err = a.cfg.Platform.PublishPost(ctx, platform.PublishPostParams{Text: d.Text, Thread: d.Post})
		d.Result = int64(p.ID)
		a.noteRewritten(d.Text, p.Text)
	case event.VerbLike, event.VerbRepost, event.VerbFollow:
		return a.reachWish(ctx, d)
	case event.VerbRenew:
		return a.renewRepost(ctx, d)
	case event.VerbDeleteMessage, event.VerbDeletePost:
		return a.remove(ctx, d)
	default:
		// A newer version decided it. To wait would hold up all behind it in its queue, and nothing here will ever know it.
		d.enterText(event.StateDead, reason.UnknownVerb, "unknown verb "+string(d.Verb))
		return nil
	}
	if err = a.createdError(d, err); err == nil {
		d.changeState(event.StateDone, "")
		// It is remembered: what such an answer made has no id in the ledger, and would be taken for a later twin that was lost.
		if d.Result == 0 {
			a.nameless.Store(true)
		}
	}
	return err
}

// noteResult does with an item what its try came to: an end, a doubt, or nothing, so that it is tried again.
func (a *Account) noteResult(ctx context.Context, q *queue, d *delivery, err error) {
	switch tryResultOf(err) {
	case happened:
		d.Tries++
	case refused:
		d.Tries++
		d.endRefused(err)
		a.warnRefused(d, err)
	case inDoubt:
		d.Tries++
		a.putInDoubt(ctx, q, d, err)
	case nothing:
		a.recordNoRequest(d)
		a.mu.Lock()
		a.stickLocked(q)
		a.mu.Unlock()
		a.letOthersProbe(err)
		switch waited := a.noteWaiting(d, err); {
		case d.denied && waited-d.allowed >= believe: //mutate:one-denial
			d.endRefused(err)
		// A renewal that has taken its repost back is never left to a person: until it is made again the post is not shown.
		case waited >= a.dispatcher.cfg.HoldAfter && !d.hasUndone():
			a.holdItems(reason.Unread, "it has not left, because the platform cannot be read: "+err.Error(), d)
		}
	}
}

// storeEnd stores how an item ended, or that it is held, tells of it, and takes it out of its queue. Done is stored lazily: after a crash it is found
// again by reading. Any other end must be known before the next action of the queue leaves. It reports false when the account outbox ends first.
func (a *Account) storeEnd(ctx context.Context, q *queue, d *delivery) bool {
	d.EndedAt = time.Now()
	marks := []Mark{a.markOf(d)}
	marks[0].Recorded = d.slot
	a.notePublished(d, &marks[0])
	left := d.ReconcileFrom > 0 || d.ReconcileFrom == baselineUnread
	odd := a.isOddID(d.Verb, d.Result) // it is there, and nobody knows under which id
	if d.Verb == event.VerbPost && d.Result > 0 {
		a.sawPosts(d.Result)
	}
	blind := left && (d.State == event.StateHeld || d.State == event.StateDone && (d.Result == 0 || odd)) //mutate:guess
	if blind {
		marks = append(marks, a.dropBaseline(q)...)
	}
	if d.State == event.StateDone {
		// With its marks behind it: the copy of the head may be found by what follows, unless that gets another baseline in the same commit.
		a.dispatcher.cfg.Ledger.QueueMarks(marks...)
	} else if !a.markNow(ctx, marks...) {
		return false
	}
	if !a.storeLearned(ctx) {
		return false
	}
	//mutate:ended-told
	a.dispatcher.cfg.Listener.ActionEnded(d.Action) // before IsBusy says that it is over
	a.mu.Lock()
	a.popLocked(q)
	a.forgetDebtLocked(d)
	if d.State == event.StateHeld && !d.Until.IsZero() {
		a.dateAtLocked(ctx, d.Until)
	}
	a.keepHeldLocked(&d.Action)
	if !odd {
		q.known = max(q.known, d.Result)
	}
	// Something of the account's own is there under an id that nobody knows, and may look like what comes into this queue next.
	q.blind = q.blind || blind
	a.mu.Unlock()
	a.clear(q)
	return true
}

// noteWaiting notes that the item does not get on because of err, and returns for how long that has been so
// although the platform could be asked. A time ends with each failure, and counts unless the platform was not
// reached then, or answered nobody: that is no fault of the item's, and nothing behind it could get on either.
// For such a failure it returns 0.
func (a *Account) noteWaiting(d *delivery, err error) time.Duration {
	a.mu.Lock()
	now := a.breaker.askableTime(time.Now())
	a.mu.Unlock()
	counts, denied := !a.isUnreachable(err), errors.Is(err, platform.ErrUnauthorized)
	if counts && !d.failed.IsZero() {
		d.waited += now.Sub(d.failed)
	}
	if !denied || !d.denied {
		d.allowed = d.waited
	}
	d.failed, d.denied = now, denied
	if !counts { //mutate:patience
		return 0
	}
	return d.waited
}

// putInDoubt puts an item in doubt: from here on only reading the platform tells what happened.
func (a *Account) putInDoubt(ctx context.Context, q *queue, d *delivery, err error) {
	d.Result = 0
	ChangeState(&d.Action, event.StateInDoubt)
	a.noteWaiting(d, err)
	a.dispatcher.cfg.Ledger.QueueMarks(MarkOf(&d.Action))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ageLocked(ctx, d, ageEvery) // most are found before that
	a.stickLocked(q)
}

// holdItems leaves items to a person, for a reason that the text tells.
func (a *Account) holdItems(code event.ReasonCode, text string, items ...*delivery) {
	for _, d := range items {
		d.enterText(event.StateHeld, code, text)
	}
	a.dispatcher.cfg.Log.Error("actions are held: look at the platform, then release or drop them",
		"account", a.cfg.Account, "first", items[0].Key, "actions", len(items), "reason", text)
}

// warnRefused tells of a publication that was refused, unless what it was about could not be read, or is not there: that is no
// fault of the account's.
func (a *Account) warnRefused(d *delivery, err error) {
	if !d.Publishes() || errors.As(err, new(readFailure)) || platform.Classify(err) == platform.Gone { //mutate:warned-target
		return
	}
	a.dispatcher.cfg.Listener.PublicationWarned(d.Action, event.WarnedRefusal, fmt.Sprintf("the platform refused a publication: %v", err))
}

// warnToggle tells of a repost that did not take.
func (a *Account) warnToggle(d *delivery) {
	if d.Publishes() {
		a.dispatcher.cfg.Listener.PublicationWarned(d.Action, event.WarnedToggle, fmt.Sprintf("the platform did not take the repost of %d", d.Post))
	}
}
