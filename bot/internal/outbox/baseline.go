package outbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
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
func (a *Account) setBaselineFor(ctx context.Context, q *queue, d *delivery) error {
	if !d.Verb.Makes() {
		return nil
	}
	if row, listed := a.snapshotRow(&d.Action); listed {
		return a.baselineOfRow(ctx, d, row)
	}
	a.mu.Lock()
	known, lowWater, blind, queue := q.known, q.lowWater, q.blind, q.items
	a.mu.Unlock()
	if d.ReconcileFrom != 0 && d.ReconcileFrom >= lowWater && !d.baselineUnknown && !blind { //mutate:baseline-late
		d.ReconcileFrom = max(d.ReconcileFrom, known) // what is stored is right, too; this is less to read
		return nil
	}
	known, read, unread, err := a.ground(ctx, q, d, known, lowWater, blind)
	if err != nil {
		return err
	}
	// Those behind it get the same one, in the same commit: what it makes is above it, and so is what they make. One that is in doubt keeps
	// its own: what it made may stand below.
	var weak []*delivery // those that wait behind it need not ask again
	var marks []Mark
	for _, x := range queue {
		if x == d || x.State != event.StateInDoubt && (x.baselineUnknown || x.ReconcileFrom < known) { //mutate:baseline-anew
			m := MarkOf(&x.Action)
			if m.ReconcileFrom = max(x.ReconcileFrom, known); unread || m.ReconcileFrom == 0 {
				m.ReconcileFrom = baselineUnread
			}
			weak, marks = append(weak, x), append(marks, m)
		}
	}
	// Before the request leaves, and not with the next commit: after a crash an action without a baseline has not left, and leaves.
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx, marks...); err != nil {
		return notAsked{fmt.Errorf("store the newest id before %s leaves: %w", d.Key, err)}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, x := range weak {
		x.ReconcileFrom, x.baselineUnknown = marks[i].ReconcileFrom, false
		x.from = x.ReconcileFrom
	}
	q.known, q.blind = known, blind && unread
	if read {
		q.lowWater = known
		a.boundHeldLocked(q.key, known)
	}
	return nil
}

// ground returns an id above which all is that an item may make: what is known of its queue, or the newest one on
// the platform. It reports whether that was read, and whether it could not be, after which an item leaves without.
func (a *Account) ground(ctx context.Context, q *queue, d *delivery, known, lowWater int64, blind bool) (id int64, read, unread bool, err error) {
	switch {
	case known != 0 && !blind:
		return known, false, false, nil
	case !blind && d.Verb == event.VerbPost && d.Post != 0 && d.ReconcileFrom == 0 && !a.isOddID(d.Verb, int64(d.Post)):
		//mutate:reply-low-water
		return max(int64(d.Post), lowWater), false, false, nil // replies are younger than what they answer
	}
	newest, err := a.newest(ctx, q, d)
	switch {
	case err == nil:
		return max(known, newest, unknown), newest != unknown, false, nil
	case a.tired(d, err):
		return cmp.Or(known, baselineUnread), false, true, nil
	default:
		return 0, false, false, err
	}
}

// dropBaseline makes those behind the head of a queue that have not left be given a baseline anew: the head may have
// made something whose id nobody knows, and that may look like theirs. It returns their marks, which belong
// into one commit with the head's end, or a crash in between would take it for theirs.
func (a *Account) dropBaseline(q *queue) []Mark {
	a.mu.Lock()
	behind := q.items[1:]
	a.mu.Unlock()
	var marks []Mark
	for _, x := range behind {
		if x.State == event.StateSending && x.Verb.Makes() {
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
func (a *Account) setBaselineLocked(q *queue, action *event.Action) {
	if !action.Verb.Makes() {
		return
	}
	if row, listed := a.snapshotRow(action); listed {
		action.ReconcileFrom = -row.Mark
		if q != nil && len(q.items)+q.reserved+q.fetched > 0 { // the row is looked at when its turn comes
			action.ReconcileFrom = 0
		}
		return
	}
	action.ReconcileFrom = a.believedID(action.Verb, action.ReconcileFrom)
	var known, lowWater int64
	var blind bool
	if q == nil {
		lowWater, blind = a.beginningLocked(keyOf(action))
	} else {
		known, lowWater, blind = q.known, q.lowWater, q.blind || q.stuck
	}
	switch {
	case blind:
		action.ReconcileFrom = 0
	case action.ReconcileFrom == 0:
		action.ReconcileFrom = known
	default:
		action.ReconcileFrom = max(action.ReconcileFrom, known, lowWater)
	}
}

// beginningLocked returns the low-water mark of a new queue, the highest id that its held ones may have made, and whether it begins blind.
func (a *Account) beginningLocked(k orderingKey) (lowWater int64, blind bool) {
	blind = a.nameless.Load()
	for i := range a.held[k] {
		h := &a.held[k][i]
		lowWater, blind = max(lowWater, h.upto), blind || h.upto == 0
	}
	return lowWater, blind //mutate:new-low-water
}

// tired reports whether an item has waited long enough for a reading that failed: for long when there is
// no other id to be reconciled from.
func (a *Account) tired(d *delivery, err error) bool {
	patience := believe
	if d.ReconcileFrom == 0 {
		patience = a.dispatcher.cfg.HoldAfter
	}
	return a.noteWaiting(d, err) >= patience
}

// newest reads the newest id that may be mistaken for what it produces. Where that cannot be read at
// all, nothing can be reconciled either: then what is in doubt is left to a person.
func (a *Account) newest(ctx context.Context, q *queue, d *delivery) (int64, error) {
	if err := a.waitForSlot(ctx, q); err != nil {
		return 0, err
	}
	defer a.cfg.Slots.Release()
	newest, err := a.readNewest(ctx, d)
	switch {
	case err == nil:
		a.noteAnswer(q, nil)
		return newest, nil
	case isRefusal(err) || platform.NoEndpoint(err):
		return unknown, nil
	default:
		a.noteAnswer(q, err)
		return 0, readFailure{fmt.Errorf("read the newest id before %s leaves: %w", d.Key, err)}
	}
}

func (a *Account) readNewest(ctx context.Context, d *delivery) (int64, error) {
	var newest int64
	switch {
	case d.Verb == event.VerbMessage:
		ms, err := a.cfg.Platform.Messages(ctx, platform.MessagesParams{Peer: d.Peer})
		for i := range ms {
			if id := int64(ms[i].ID); !a.isOddID(d.Verb, id) {
				newest = max(newest, id)
			}
		}
		return newest, err
	case d.Post == 0: // any post's id will do, also another person's
		me, err := a.ownID(ctx)
		if err != nil {
			return 0, err
		}
		posts, err := a.cfg.Platform.ProfilePosts(ctx, platform.ProfilePostsParams{ID: me})
		ids := make([]int64, len(posts))
		for i := range posts {
			ids[i] = int64(posts[i].ID)
		}
		return a.newestPost(ids), err
	default:
		own, err := a.ownReplies(ctx, d.Post, d.ReconcileFrom)
		ids := make([]int64, len(own))
		for i, p := range own {
			ids[i] = p.id
		}
		return a.newestPost(ids), err
	}
}

// newestPost returns the highest of some ids of posts that is believed, 0 for none.
func (a *Account) newestPost(ids []int64) (newest int64) {
	a.sawPosts(ids...)
	for _, id := range ids {
		if !a.isOddID(event.VerbPost, id) {
			newest = max(newest, id)
		}
	}
	return newest
}

// What an action makes has a higher id than all that was there before: that is where it is looked for. A row that
// shows an absurd id must not become such a mark, or nothing would ever be found above it, and be sent again.

// believedID returns the highest id up to an id of messages or posts that the platform may have given out by now; 0
// when none is known. An id of 0 or less is none, or a row of the chat list.
func (a *Account) believedID(v event.Verb, id int64) int64 {
	if id <= 0 { //mutate:baseline-believed
		return id
	}
	if v == event.VerbMessage {
		if top, ok := a.cfg.Chats.BelievedMessageID(platform.MessageID(id)); !ok {
			return int64(top)
		}
		return id
	}
	a.posts.Lock()
	defer a.posts.Unlock()
	if top := a.posts.ids.TopID(); leap.IsLeap(top, id) {
		return top
	}
	return id
}

// isOddID reports whether the platform may not have given out an id by now.
func (a *Account) isOddID(v event.Verb, id int64) bool { return id > 0 && a.believedID(v, id) != id }

// sawPosts notes the ids of posts that were read, or made.
func (a *Account) sawPosts(ids ...int64) {
	a.posts.Lock()
	defer a.posts.Unlock()
	now := time.Now()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		a.posts.ids.NoteID(now, id)
	}
}
