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

// after returns the pause after a reading that failed with err, and makes the next one longer, unless the platform had no part in it or wants
// fewer calls: what the whole account waits for then is enough.
func (r *retry) after(err error) time.Duration {
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
func (b *Account) reconcile(ctx context.Context, q *queue) {
	inDoubtItems := b.allInDoubt(q)
	if inDoubtItems[0].Verb == event.VerbRenew {
		b.reconcileRenewal(ctx, q, inDoubtItems[0])
		return
	}
	late := b.reconciledFrom(inDoubtItems...)
	pause, failing, misses := b.dispatcher.cfg.FirstLook, retry(0), 0
	//mutate:earlier-wish
	if inDoubtItems[0].Verb.Toggle() && len(inDoubtItems) > 1 { // an earlier wish may still arrive, and undo the last one
		pause = max(pause, time.Until(late))
	}
	for {
		if _, listed := b.row(&inDoubtItems[0].Action); listed { //mutate:reconcile-by-row
			b.reconcileByRow(ctx, inDoubtItems[0])
			return
		}
		if !b.workers.Sleep(ctx, pause) || !b.admit(ctx, q, nil) {
			return
		}
		begun := time.Now()
		found, strange, err := b.look(ctx, q, inDoubtItems)
		inDoubtItems = inDoubtItems[found:]
		switch {
		case len(inDoubtItems) == 0:
			return
		case err != nil:
			if !begun.Before(late) && b.leaveUntold(err, inDoubtItems) || b.unread(inDoubtItems, err, late) {
				return
			}
			if pause = failing.after(err); errors.Is(err, errUntold) {
				pause = max(leastRetry, time.Until(late))
			}
			continue
		// Only a reading that began after the grace counts, since the request may arrive while it is under way; and it takes two: platforms
		// answer reads from copies that are some seconds behind.
		case !begun.Before(late): //mutate:second-look
			misses++
		}
		if failing = 0; misses == 2 {
			b.again(inDoubtItems, strange)
			return
		}
		pause = b.dispatcher.cfg.SecondLook
		// A look before that finds what has arrived, and never proves that nothing will. So the next one waits for the time from which it can.
		if misses == 0 {
			pause = max(pause, time.Until(late))
		}
	}
}

// reconciledFrom returns from when on what is not shown of items did not happen, and will not: the platform may work
// on a request for the grace after it was given up.
func (b *Account) reconciledFrom(items ...*delivery) time.Time {
	last := items[0].gaveUp
	for _, it := range items {
		if it.gaveUp.After(last) {
			last = it.gaveUp
		}
	}
	return last.Add(b.dispatcher.cfg.Grace)
}

// allInDoubt returns the leading items in doubt of a queue.
func (b *Account) allInDoubt(q *queue) []*delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for n < len(q.items) && q.items[n].inDoubt {
		n++
	}
	return q.items[:n:n]
}

// look reads the platform once and marks the items in doubt it shows as done. It returns how many of the
// first ones that are, and what else of the account's own is there that nobody knows.
func (b *Account) look(ctx context.Context, q *queue, inDoubtItems []*delivery) (found int, strange []product, err error) {
	if err := b.slot(ctx, q); err != nil {
		return 0, nil, err
	}
	defer b.cfg.Slots.Release()
	defer func() { b.heard(q, err) }()
	// Posts can be read without a session, too, and then as a stranger sees them: what is not shown would be taken for what did not happen.
	verb := inDoubtItems[0].Verb
	if verb != event.VerbMessage && verb != event.VerbDeleteMessage {
		if err := b.vouch(ctx); err != nil {
			return 0, nil, err
		}
	}
	switch {
	case verb.Toggle():
		found, err = b.lookToggle(ctx, inDoubtItems)
		return found, nil, err
	case deletes(verb):
		found, err = b.lookRemoved(ctx, inDoubtItems)
		return found, nil, err
	}
	shown, err := b.products(ctx, inDoubtItems)
	if err != nil {
		return 0, nil, err
	}
	found, strange = b.match(inDoubtItems, shown)
	return found, strange, nil
}

// vouch makes sure of the session: posts and people can be read without one, but then not as the account sees them.
func (b *Account) vouch(ctx context.Context) error {
	if _, err := b.cfg.Platform.Feed(ctx, platform.PageParams{PageSize: 1}); err != nil {
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
func (b *Account) match(inDoubtItems []*delivery, shown []product) (done int, strange []product) {
	// What was sent in an order is shown in that order, so the search for one begins behind what the one before it has got, and whoever finds
	// something vouches for all before it.
	for i, it := range inDoubtItems {
		//mutate:match-above
		n := slices.IndexFunc(shown, func(p product) bool { return p.id > it.ReconcileFrom && sameText(it.Text, p.text) })
		if n < 0 || it.ReconcileFrom == baselineUnread { //mutate:match-vague
			continue
		}
		//mutate:missing-becomes
		if missing := inDoubtItems[done:i]; len(missing) > n && b.becomes(missing[n:], shown[n]) {
			break
		}
		for k, changed := range inDoubtItems[done:i] {
			if k < n {
				changed.Result = shown[k].id
			}
		}
		it.Result, shown, done = shown[n].id, shown[n+1:], i+1
	}
	for _, it := range inDoubtItems[:done] {
		it.enter(event.StateDone, "")
		it.inDoubt = false
		if it.Result == 0 {
			reason.Set(&it.Action, event.Because(reason.NotShown))
			continue
		}
		b.sawUnnamed(it, true)
	}
	if done > 0 { // what the others produced, if anything, came later: a twin must not be found again
		for _, it := range inDoubtItems[done:] {
			it.ReconcileFrom = max(it.ReconcileFrom, b.believed(it.Verb, inDoubtItems[done-1].Result))
		}
	}
	return done, shown
}

// becomes reports whether a product may be what the platform made of one of some items.
func (b *Account) becomes(items []*delivery, p product) bool {
	return slices.ContainsFunc(items, func(it *delivery) bool {
		//mutate:becomes
		return p.id > it.ReconcileFrom && (sameText(it.Text, p.text) || b.rewrites.Load() || alike(it.Text, p.text))
	})
}

// unread decides what happens after a reading that failed. When the items in doubt cannot be reconciled for
// too long, and cannot arrive any more since late, they are held, and the rest of the conversation goes on.
func (b *Account) unread(inDoubtItems []*delivery, err error, late time.Time) (held bool) {
	b.unasked(err)
	if b.waits(inDoubtItems[0], err) < b.dispatcher.cfg.HoldAfter || time.Now().Before(late) { //mutate:held-early
		return false
	}
	b.hold(reason.Unknown, "nobody knows whether it happened, and the platform cannot be read: "+err.Error(), inDoubtItems...)
	return true
}

// again frees items in doubt that were proven not to have happened. Nothing is proven of one that the platform
// may have changed beyond recognition: it is held, with what may be it. One that has been tried for too
// long makes room for the rest of the conversation.
func (b *Account) again(inDoubtItems []*delivery, strange []product) {
	var taken []product
	for _, it := range inDoubtItems {
		it.inDoubt = false //mutate:until-again
		b.sawUnnamed(it, false)
		b.unrecord(it)
		Enter(&it.Action, event.StateSending)
		if b.tooOld(it) {
			continue
		}
		n := slices.IndexFunc(strange, func(p product) bool { return b.becomes([]*delivery{it}, p) })
		switch {
		case n >= 0:
			it.Result, taken, strange = strange[n].id, append(taken, strange[n]), strange[n+1:]
			b.hold(reason.Unknown, "nobody knows whether it happened: the platform shows another text of the account's own, which may be it", it)
		case slices.ContainsFunc(taken, func(p product) bool { return sameText(it.Text, p.text) }):
			b.hold(reason.Unknown, "nobody knows whether it happened: the platform shows its text, which may be what became of another one", it)
		}
	}
	first := inDoubtItems[0]
	if first.State != event.StateSending {
		return
	}
	if b.waits(first, nil) >= b.dispatcher.cfg.HoldAfter {
		b.hold(reason.Unknown, "the platform does not answer to it, and does not show it", first)
	}
}

// deletes tells whether the verb's call takes something away: repeated, it finds nothing.
func deletes(v event.Verb) bool { return v == event.VerbDeleteMessage || v == event.VerbDeletePost }
