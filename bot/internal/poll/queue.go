package poll

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"
)

const (
	readsAtOnce   = 512 // chats that one cycle reads at most, because of a hint
	sweepsAtOnce  = 32  // and those that gave none
	retriesAtOnce = 8   // and those that the platform refused to show before
	oldestEach    = 4   // every so many readings, it is the turn of the hint that has waited longest
	readFor       = 5 * time.Second
	unlistedTimes = 2 // whole lists in a row
	staleFor      = time.Minute
)

// nextJobs returns the chats to read in this cycle, in their order. The newest hints come first: those of the last list, from its
// top. Every fourth reading is the one that has waited longest: behind Q others, a hint
// waits for no more than 4·(Q+1) readings, however much comes meanwhile. A chat whose reading failed goes to the end.
func (cr *chatReader) nextJobs(c *cycle) []*chat {
	var due, refused []*chat
	for _, ch := range cr.queue {
		switch {
		case ch.retryAt.After(c.began):
		case ch.unlisted > 0 && ch.unlistedIn == cr.in.lists && !ch.isHalfRead(): // the next list tells
		case ch.refusals > 0:
			refused = append(refused, ch)
		default:
			due = append(due, ch)
		}
	}
	if len(due) > readsAtOnce {
		c.more.Store(true)
	}
	swept := cr.dueSweeps(c)
	return weave(turns(due, readsAtOnce), turns(refused, retriesAtOnce), swept, cr.behind.next(cr, c, swept))
}

// turns returns at most n chats of a queue in the order in which they are read: the newest, and every fourth time the one
// that has waited longest.
func turns(queue []*chat, n int) []*chat {
	n = min(n, len(queue))
	if n <= 1 {
		return queue[:n]
	}
	order, taken := make([]*chat, 0, n), make(map[*chat]bool, n)
	take := func(from []*chat) []*chat {
		for taken[from[0]] {
			from = from[1:]
		}
		taken[from[0]] = true
		order = append(order, from[0])
		return from[1:]
	}
	// Both from one queue, and a chat that the one has taken is passed over by the other: the chat that waits for longest may be the newest, too.
	newest := newestOf(queue, n)
	for len(order) < n {
		if len(order)%oldestEach == oldestEach-1 { //mutate:oldest-each
			queue = take(queue)
		} else {
			newest = take(newest)
		}
	}
	return order
}

// newestOf returns the n chats with the newest hints, those of one list in its order.
func newestOf(queue []*chat, n int) []*chat {
	best := make([]*chat, 0, min(2*n, len(queue)))
	sort := func() {
		slices.SortFunc(best, func(a, b *chat) int {
			return cmp.Or(cmp.Compare(b.since, a.since), cmp.Compare(uint(a.index), uint(b.index)), cmp.Compare(a.peer, b.peer)) // -1 is the highest
		})
		best = best[:min(n, len(best))]
	}
	for _, ch := range queue {
		if best = append(best, ch); len(best) == 2*n {
			sort()
		}
	}
	sort()
	return best
}

// weave puts the others between the first chats, one after every fourth.
func weave(first []*chat, others ...[]*chat) []*chat {
	rest := slices.Concat(others...)
	if len(rest) == 0 {
		return first
	}
	jobs := make([]*chat, 0, len(first)+len(rest))
	for i, ch := range first {
		jobs = append(jobs, ch)
		if i%oldestEach == oldestEach-1 && len(rest) > 0 {
			jobs, rest = append(jobs, rest[0]), rest[1:]
		}
	}
	return append(jobs, rest...)
}

// dueSweeps returns the chats whose sweep is due.
func (cr *chatReader) dueSweeps(c *cycle) []*chat {
	if cr.nextSweep.IsZero() || cr.nextSweep.After(c.began) { //mutate:sweep
		return nil
	}
	var due []*chat
	cr.nextSweep = time.Time{}
	for _, ch := range cr.chats {
		switch {
		case ch.sweepAt.IsZero() || ch.pending:
		case ch.sweepAt.After(c.began) || ch.retryAt.After(c.began):
			cr.planSweep(ch, ch.sweepAt)
		default:
			due = append(due, ch)
		}
	}
	slices.SortFunc(due, func(a, b *chat) int {
		return cmp.Or(a.sweepAt.Compare(b.sweepAt), cmp.Compare(a.peer, b.peer))
	})
	if len(due) > sweepsAtOnce {
		cr.nextSweep = c.began
		due = due[:sweepsAtOnce]
	}
	return due
}

// forgetVanished takes chats out of the queue that two whole lists in a row do not show. Should one of them come back, it is a new
// row, and read from where its cursor stands. A list that was cut, or is empty, proves nothing, and neither does one within
// a minute of a list that went back to what was there before.
func (cr *chatReader) forgetVanished(ctx context.Context, c *cycle, seen *listing) {
	if seen.cut != nil || seen.len() == 0 || seen.began.Sub(timeOfMilli(cr.staleAt)) < staleFor { //mutate:forget
		return
	}
	forgotten := 0
	find := finder{rows: cr.in.rows}
	cr.queue = slices.DeleteFunc(cr.queue, func(ch *chat) bool {
		// Rows move: where it stood in the list before says nothing about this one.
		if cr.listedRow(ch) == nil {
			ch.index = int(find.rowOf(ch.peer))
		}
		if ch.index >= 0 {
			ch.unlisted = 0
			return false
		}
		// One that was read in part stays: what is new in it is known to be there, and only reading on brings it.
		ch.unlistedIn = cr.in.lists
		if ch.unlisted++; ch.unlisted < unlistedTimes || ch.isHalfRead() {
			return false
		}
		ch.pending, ch.verify, ch.counted = false, false, false
		// Who waits for it to be heard waits no more: there is nothing to hear.
		cr.in.heard.close(ch.peer, seen.began)
		if ch.sweepAt.IsZero() {
			cr.dropChat(ch)
		}
		forgotten++
		return true
	})
	if forgotten > 0 {
		c.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "chats are not read any more: the chat list does not show them",
			slog.String("account", string(c.cfg.Account)), slog.Int("times", forgotten))
	}
}

// isHalfRead reports whether a part of what is new in a chat has been read.
func (ch *chat) isHalfRead() bool {
	return ch.fails == 0 && (ch.descent != nil || ch.doubted || ch.again)
}
