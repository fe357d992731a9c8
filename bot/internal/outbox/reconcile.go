package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

const (
	leastRetry = time.Second // between readings that fail
	mostRetry  = 30 * time.Second
)

// retry is how long it takes until the next reading when another one fails. The zero value begins.
type retry time.Duration

// nextPause returns the pause after a reading that failed with err, and makes the next one longer, unless the platform had no part in it or wants
// fewer calls: what the whole account waits for then is enough.
func (r *retry) nextPause(err error) time.Duration {
	pause := max(time.Duration(*r), leastRetry)
	if !errors.As(err, new(notAsked)) && !errors.Is(err, platform.ErrNoSession) && !errors.Is(err, platform.ErrRateLimited) {
		*r = retry(min(2*pause, mostRetry))
	}
	return pause
}

// reconcile finds out what became of the items in doubt at the head of a queue. They left one after another,
// so those that happened are its first ones. Afterwards each is done, held, or free to be sent again.
//
// What is not found is looked for twice, no earlier than the request could still be running, some
// seconds apart. Until then nothing is held, either: what comes behind it may be called, and undone.
func (a *Account) reconcile(ctx context.Context, q *queue) {
	inDoubtItems := a.allInDoubt(q)
	if inDoubtItems[0].Verb == event.VerbRenew {
		a.reconcileRenewal(ctx, q, inDoubtItems[0])
		return
	}
	late := a.reconciledFrom(inDoubtItems...)
	pause, failing, misses := a.dispatcher.cfg.FirstLook, retry(0), 0
	//mutate:earlier-wish
	if inDoubtItems[0].Verb.Toggle() && len(inDoubtItems) > 1 { // an earlier wish may still arrive, and undo the last one
		pause = max(pause, time.Until(late))
	}
	for {
		if _, listed := a.snapshotRow(&inDoubtItems[0].Action); listed { //mutate:reconcile-by-row
			a.reconcileByRow(ctx, inDoubtItems[0])
			return
		}
		if !a.workers.Sleep(ctx, pause) || !a.waitForToken(ctx, q, nil) {
			return
		}
		begun := time.Now()
		found, strange, err := a.look(ctx, q, inDoubtItems)
		inDoubtItems = inDoubtItems[found:]
		switch {
		case len(inDoubtItems) == 0:
			return
		case err != nil:
			if !begun.Before(late) && a.leaveUntold(err, inDoubtItems) || a.unread(inDoubtItems, err, late) {
				return
			}
			if pause = failing.nextPause(err); errors.Is(err, errUntold) {
				pause = max(leastRetry, time.Until(late))
			}
			continue
		// Only a reading that began after the grace counts, since the request may arrive while it is under way; and it takes two: platforms
		// answer reads from copies that are some seconds behind.
		case !begun.Before(late): //mutate:second-look
			misses++
		}
		if failing = 0; misses == 2 {
			a.freeUnproven(inDoubtItems, strange)
			return
		}
		pause = a.dispatcher.cfg.SecondLook
		// A look before that finds what has arrived, and never proves that nothing will. So the next one waits for the time from which it can.
		if misses == 0 {
			pause = max(pause, time.Until(late))
		}
	}
}

// reconciledFrom returns from when on what is not shown of items did not happen, and will not: the platform may work
// on a request for the grace after it was given up.
func (a *Account) reconciledFrom(items ...*delivery) time.Time {
	last := items[0].gaveUp
	for _, d := range items {
		if d.gaveUp.After(last) {
			last = d.gaveUp
		}
	}
	return last.Add(a.dispatcher.cfg.Grace)
}

// allInDoubt returns the leading items in doubt of a queue.
func (a *Account) allInDoubt(q *queue) []*delivery {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for n < len(q.items) && q.items[n].State == event.StateInDoubt {
		n++
	}
	return q.items[:n:n]
}

// look reads the platform once and marks the items in doubt it shows as done. It returns how many of the
// first ones that are, and what else of the account's own is there that nobody knows.
func (a *Account) look(ctx context.Context, q *queue, inDoubtItems []*delivery) (found int, strange []product, err error) {
	if err := a.waitForSlot(ctx, q); err != nil {
		return 0, nil, err
	}
	defer a.cfg.Slots.Release()
	defer func() { a.noteAnswer(q, err) }()
	// Posts can be read without a session, too, and then as a stranger sees them: what is not shown would be taken for what did not happen.
	verb := inDoubtItems[0].Verb
	if verb != event.VerbMessage && verb != event.VerbDeleteMessage {
		if err := a.verifySession(ctx); err != nil {
			return 0, nil, err
		}
	}
	switch {
	case verb.Toggle():
		found, err = a.lookToggle(ctx, inDoubtItems)
		return found, nil, err
	case isDeletion(verb):
		found, err = a.lookRemoved(ctx, inDoubtItems)
		return found, nil, err
	}
	shown, err := a.readProducts(ctx, inDoubtItems)
	if err != nil {
		return 0, nil, err
	}
	found, strange = a.match(inDoubtItems, shown)
	return found, strange, nil
}

// verifySession makes sure of the session: posts and people can be read without one, but then not as the account sees them.
func (a *Account) verifySession(ctx context.Context) error {
	if _, err := a.cfg.Platform.Feed(ctx, platform.PageParams{PageSize: 1}); err != nil {
		return fmt.Errorf("make sure of the session before reading back: %w", err)
	}
	return nil
}

// HasNoFeed reports whether reading the feed failed in a way that says nothing of the session: this deployment has none, or not for this
// account. What the platform calls invalid may be the session.
func HasNoFeed(err error) bool {
	return platform.NoEndpoint(err) || platform.Final(err) && !errors.Is(err, platform.ErrInvalid) //mutate:no-feed
}

// match gives each item in doubt the first product that is its own, in order, and returns how many are
// done, and the products behind theirs. One that is not shown although a later one is has been changed
// or deleted since: they left one after another. But where what looks like the later one may be what the
// platform made of the earlier, neither is done.
func (a *Account) match(inDoubtItems []*delivery, shown []product) (done int, strange []product) {
	// What was sent in an order is shown in that order, so the search for one begins behind what the one before it has got, and one that finds
	// something vouches for all before it.
	for i, d := range inDoubtItems {
		//mutate:match-above
		n := slices.IndexFunc(shown, func(p product) bool { return p.id > d.ReconcileFrom && sameText(d.Text, p.text) })
		if n < 0 || d.ReconcileFrom == baselineUnread { //mutate:match-vague
			continue
		}
		//mutate:missing-becomes
		if missing := inDoubtItems[done:i]; len(missing) > n && a.becomes(missing[n:], shown[n]) {
			break
		}
		for k, changed := range inDoubtItems[done:i] {
			if k < n {
				changed.Result = shown[k].id
			}
		}
		d.Result, shown, done = shown[n].id, shown[n+1:], i+1
	}
	for _, d := range inDoubtItems[:done] {
		d.changeState(event.StateDone, "")
		if d.Result == 0 {
			reason.Set(&d.Action, event.Because(reason.NotShown))
			continue
		}
		a.sawUnnamed(d, true)
	}
	if done > 0 { // what the others produced, if anything, came later: a twin must not be found again
		for _, d := range inDoubtItems[done:] {
			d.ReconcileFrom = max(d.ReconcileFrom, a.believedID(d.Verb, inDoubtItems[done-1].Result))
		}
	}
	return done, shown
}

// becomes reports whether a product may be what the platform made of one of some items.
func (a *Account) becomes(items []*delivery, p product) bool {
	return slices.ContainsFunc(items, func(d *delivery) bool {
		//mutate:becomes
		return p.id > d.ReconcileFrom && (sameText(d.Text, p.text) || a.rewrites.Load() || isAlike(d.Text, p.text))
	})
}

// unread decides what happens after a reading that failed. When the items in doubt cannot be reconciled for
// too long, and cannot arrive any more since late, they are held, and the rest of the conversation goes on.
func (a *Account) unread(inDoubtItems []*delivery, err error, late time.Time) (held bool) {
	a.letOthersProbe(err)
	if a.noteWaiting(inDoubtItems[0], err) < a.dispatcher.cfg.HoldAfter || time.Now().Before(late) { //mutate:held-early
		return false
	}
	a.holdItems(reason.Unknown, "nobody knows whether it happened, and the platform cannot be read: "+err.Error(), inDoubtItems...)
	return true
}

// freeUnproven frees items in doubt that were proven not to have happened. Nothing is proven of one that the platform
// may have changed beyond recognition: it is held, with what may be it. One that has been tried for too
// long makes room for the rest of the conversation.
func (a *Account) freeUnproven(inDoubtItems []*delivery, strange []product) {
	var taken []product
	for _, d := range inDoubtItems {
		a.sawUnnamed(d, false)
		a.recordNoRequest(d)
		ChangeState(&d.Action, event.StateSending) //mutate:until-again
		if a.tooOld(d) {
			continue
		}
		n := slices.IndexFunc(strange, func(p product) bool { return a.becomes([]*delivery{d}, p) })
		switch {
		case n >= 0:
			d.Result, taken, strange = strange[n].id, append(taken, strange[n]), strange[n+1:]
			a.holdItems(reason.Unknown, "nobody knows whether it happened: the platform shows another text of the account's own, which may be it", d)
		case slices.ContainsFunc(taken, func(p product) bool { return sameText(d.Text, p.text) }):
			a.holdItems(reason.Unknown, "nobody knows whether it happened: the platform shows its text, which may be what became of another one", d)
		}
	}
	first := inDoubtItems[0]
	if first.State != event.StateSending {
		return
	}
	if a.noteWaiting(first, nil) >= a.dispatcher.cfg.HoldAfter {
		a.holdItems(reason.Unknown, "the platform does not answer to it, and does not show it", first)
	}
}

// isDeletion tells whether the verb's call takes something away: repeated, it finds nothing.
func isDeletion(v event.Verb) bool { return v == event.VerbDeleteMessage || v == event.VerbDeletePost }
