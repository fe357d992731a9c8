package outbox

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const (
	// unknown is what an action is reconciled from that has no better id: everything that is there.
	unknown = 1
	// baselineUnread is what an action is reconciled from that left although nobody could read what was there before it: that
	// something looks like it proves nothing.
	baselineUnread = -1
)

// setBaselineFor makes sure that the last id known on the platform is stored before a message or post leaves:
// what it produces has a higher one. As long as an action's ReconcileFrom is 0, it has not left. When
// that has been tried for too long, it leaves without.
func (b *Account) setBaselineFor(ctx context.Context, q *queue, it *delivery) error {
	if !it.Verb.Makes() {
		return nil
	}
	if row, listed := b.row(&it.Action); listed {
		return b.baselineOfRow(ctx, it, row)
	}
	b.mu.Lock()
	known, lowWater, blind, queue := q.known, q.lowWater, q.blind, q.items
	b.mu.Unlock()
	if it.ReconcileFrom != 0 && it.ReconcileFrom >= lowWater && !it.baselineUnknown && !blind { //mutate:baseline-late
		it.ReconcileFrom = max(it.ReconcileFrom, known) // what is stored is right, too; this is less to read
		return nil
	}
	known, read, unread, err := b.ground(ctx, q, it, known, lowWater, blind)
	if err != nil {
		return err
	}
	// Those behind it get the same one, in the same commit: what it makes is above it, and so is what they make. One that is in doubt keeps
	// its own: what it made may stand below.
	var weak []*delivery // those that wait behind it need not ask again
	var marks []Mark
	for _, x := range queue {
		if x == it || !x.inDoubt && (x.baselineUnknown || x.ReconcileFrom < known) { //mutate:baseline-anew
			m := MarkOf(&x.Action)
			if m.ReconcileFrom = max(x.ReconcileFrom, known); unread || m.ReconcileFrom == 0 {
				m.ReconcileFrom = baselineUnread
			}
			weak, marks = append(weak, x), append(marks, m)
		}
	}
	// Before the request leaves, and not with the next commit: after a crash an action without a baseline has not left, and leaves.
	if err := b.dispatcher.cfg.Ledger.MarkNow(ctx, marks...); err != nil {
		return notAsked{fmt.Errorf("store the newest id before %s leaves: %w", it.Key, err)}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, x := range weak {
		x.ReconcileFrom, x.baselineUnknown = marks[i].ReconcileFrom, false
		x.from = x.ReconcileFrom
	}
	q.known, q.blind = known, blind && unread
	if read {
		q.lowWater = known
		b.boundHeldLocked(q.key, known)
	}
	return nil
}

// ground returns an id above which all is that an item may make: what is known of its queue, or the newest one on
// the platform. It reports whether that was read, and whether it could not be, after which an item leaves without.
func (b *Account) ground(ctx context.Context, q *queue, it *delivery, known, lowWater int64, blind bool) (id int64, read, unread bool, err error) {
	switch {
	case known != 0 && !blind:
		return known, false, false, nil
	case !blind && it.Verb == event.VerbPost && it.Post != 0 && it.ReconcileFrom == 0 && !b.odd(it.Verb, int64(it.Post)):
		//mutate:reply-low-water
		return max(int64(it.Post), lowWater), false, false, nil // replies are younger than what they answer
	}
	newest, err := b.newest(ctx, q, it)
	switch {
	case err == nil:
		return max(known, newest, unknown), newest != unknown, false, nil
	case b.tired(it, err):
		return cmp.Or(known, baselineUnread), false, true, nil
	default:
		return 0, false, false, err
	}
}

// dropBaseline makes those behind the head of a queue that have not left be given a baseline anew: the head may have
// made something whose id nobody knows, and that may look like theirs. It returns their marks, which belong
// into one commit with the head's end, or a crash in between would take it for theirs.
func (b *Account) dropBaseline(q *queue) []Mark {
	b.mu.Lock()
	behind := q.items[1:]
	b.mu.Unlock()
	var marks []Mark
	for _, x := range behind {
		if x.State == event.StateSending && !x.inDoubt && x.Verb.Makes() {
			x.baselineUnknown = true
			m := MarkOf(&x.Action)
			m.ReconcileFrom = 0 //mutate:head-copy
			marks = append(marks, m)
		}
	}
	return marks
}

// setBaselineLocked sets what is known of where an action is reconciled from that comes into a queue, nil for a new one;
// 0 where something may have been made whose id is not known.
func (b *Account) setBaselineLocked(q *queue, a *event.Action) {
	if !a.Verb.Makes() {
		return
	}
	if row, listed := b.row(a); listed {
		a.ReconcileFrom = -row.Mark
		if q != nil && len(q.items)+q.reserved+q.released > 0 { // the row is looked at when its turn comes
			a.ReconcileFrom = 0
		}
		return
	}
	a.ReconcileFrom = b.believed(a.Verb, a.ReconcileFrom)
	var known, lowWater int64
	var blind bool
	if q == nil {
		lowWater, blind = b.beginningLocked(keyOf(a))
	} else {
		known, lowWater, blind = q.known, q.lowWater, q.blind || q.stuck
	}
	switch {
	case blind:
		a.ReconcileFrom = 0
	case a.ReconcileFrom == 0:
		a.ReconcileFrom = known
	default:
		a.ReconcileFrom = max(a.ReconcileFrom, known, lowWater)
	}
}

// beginningLocked returns the low-water mark of a new queue, and whether it begins blind.
func (b *Account) beginningLocked(k orderingKey) (lowWater int64, blind bool) {
	lowWater, blind = b.afterHeldLocked(k)
	return lowWater, blind || b.nameless.Load() //mutate:new-low-water
}

// tired reports whether an item has waited long enough for a reading that failed: for long when there is
// no other id to be reconciled from.
func (b *Account) tired(it *delivery, err error) bool {
	patience := believe
	if it.ReconcileFrom == 0 {
		patience = b.dispatcher.cfg.HoldAfter
	}
	return b.waits(it, err) >= patience
}

// newest reads the newest id that may be mistaken for what it produces. Where that cannot be read at
// all, nothing can be reconciled either: then what is in doubt is left to a person.
func (b *Account) newest(ctx context.Context, q *queue, it *delivery) (int64, error) {
	if err := b.slot(ctx, q); err != nil {
		return 0, err
	}
	defer b.cfg.Slots.Release()
	newest, err := b.readNewest(ctx, it)
	switch {
	case err == nil:
		b.heard(q, nil)
		return newest, nil
	case isRefusal(err) || platform.NoEndpoint(err):
		return unknown, nil
	default:
		b.heard(q, err)
		return 0, readFailure{fmt.Errorf("read the newest id before %s leaves: %w", it.Key, err)}
	}
}

func (b *Account) readNewest(ctx context.Context, it *delivery) (int64, error) {
	var newest int64
	switch {
	case it.Verb == event.VerbMessage:
		ms, err := b.cfg.Platform.Messages(ctx, platform.MessagesParams{Peer: it.Peer})
		for i := range ms {
			if id := int64(ms[i].ID); !b.odd(it.Verb, id) {
				newest = max(newest, id)
			}
		}
		return newest, err
	case it.Post == 0: // any post's id will do, whoever wrote it
		me, err := b.me(ctx)
		if err != nil {
			return 0, err
		}
		posts, err := b.cfg.Platform.ProfilePosts(ctx, platform.ProfilePostsParams{ID: me})
		ids := make([]int64, len(posts))
		for i := range posts {
			ids[i] = int64(posts[i].ID)
		}
		return b.newestPost(ids), err
	default:
		own, err := b.ownReplies(ctx, it.Post, it.ReconcileFrom)
		ids := make([]int64, len(own))
		for i, p := range own {
			ids[i] = p.id
		}
		return b.newestPost(ids), err
	}
}

// newestPost returns the highest of some ids of posts that is believed, 0 for none.
func (b *Account) newestPost(ids []int64) (newest int64) {
	b.sawPosts(ids...)
	for _, id := range ids {
		if !b.odd(event.VerbPost, id) {
			newest = max(newest, id)
		}
	}
	return newest
}
