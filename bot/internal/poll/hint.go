package poll

import "context"

// reason says why a row is looked at.
type reason uint8

const (
	unmoved  reason = iota
	appeared        // it is new in the list
	changed         // something in it changed, beside its time
	younger         // its age fell
	unseen          // its messages were read, and should be seen by now
	passed          // it overtook another one
	unproved        // after a restart, nothing proves that it was read
	surfaced        // it is new, and stood behind a cut of the lists before
)

// verdict says what follows from a hint.
type verdict uint8

const (
	readNow verdict = iota
	sweepNow
	sweepLater
)

// follow finds the chats that moved since the last list.
func (in *inbox) follow(ctx context.Context, c *cycle, seen *listing) error {
	var risen []int
	was, m := in.hints(c, seen, func(i int, why reason) {
		if why == surfaced {
			risen = append(risen, i)
			return
		}
		in.notice(c, seen, i, why)
	})
	overtook(was, func(i int) { in.notice(c, seen, i, passed) })
	if seen.cut != nil && !m.rests {
		in.cutOff(c.began).doubt(in.polledAt)
	}
	if m.stale {
		in.staleAt = seen.began.UnixMilli()
	}
	in.forget(ctx, c, seen)
	return in.surface(ctx, c, seen, risen)
}

// motion is what a list shows as a whole.
type motion struct {
	rests bool // a row that was there before did not move
	stale bool // a row went back to an older message: the list may be an old one
}

// hints brings the rows into the order of a new list and calls f for each one that gives a hint. If
// the order changed, was tells where the other rows stood before.
func (in *inbox) hints(c *cycle, seen *listing, f func(i int, why reason)) (was []int32, m motion) {
	before := len(in.rows)
	in.rows, was = align(in.rows, seen)
	in.reindex(was, before, seen.cut != nil)
	// The list is in the order of the last messages: below a row that did not move, none did. Should
	// it have another order, all ages are compared now and then.
	ages, all := true, seen.began.Sub(in.agedAt) >= c.cfg.SweepAfter
	if all {
		in.agedAt = seen.began
	}
	_, seeing := in.server.known()
	proofs := sweepsAtOnce
	for i := range seen.glances {
		r := &in.rows[i]
		why := r.hint(seen, i, ages || all, seeing)
		switch {
		case why == unmoved && r.state&rowUnproved != 0 && proofs > 0:
			why = unproved
			proofs--
		case why == appeared && (in.wasCut && m.rests || r.state&rowSurfaced != 0):
			r.state |= rowSurfaced
			why = surfaced
		case why == changed:
			m.stale = m.stale || r.older(&seen.glances[i], seen.ended)
		}
		if why == unmoved {
			ages, m.rests = false, true
			continue
		}
		if was != nil {
			was[i] = -1
		}
		f(i, why)
	}
	in.wasCut = seen.cut != nil
	return was, m
}

// reindex notes where the rows of chats stand now. Behind a list that was cut, the others stand in their old order.
func (in *inbox) reindex(was []int32, before int, cut bool) {
	if was == nil || len(in.chats) == 0 {
		return
	}
	now := make([]int32, before) // counted from 1; 0 for nowhere
	for i, at := range was {
		if at >= 0 {
			now[at] = int32(i) + 1
		}
	}
	for i, next := 0, int32(len(was)); cut && i < before; i++ {
		if now[i] == 0 {
			next++
			now[i] = next
		}
	}
	for _, ch := range in.chats {
		if ch.index >= 0 && ch.index < before {
			ch.index = int(now[ch.index]) - 1
		}
	}
}

// hint compares a row with what is remembered of it.
func (r *row) hint(seen *listing, i int, ages bool, seeing seeing) reason {
	g := &seen.glances[i]
	switch {
	case r.state&rowNew != 0:
		return appeared
	case r.digest != g.digest:
		return changed
	case ages && r.aged(g, seen.began, seen.ended):
		return younger
	case r.unread > 0 && r.state&rowRead != 0 && seeing != keepsUnseen:
		return unseen
	default:
		return unmoved
	}
}

// notice takes a row that gives a hint, and sees to it that its chat is read, now or later.
func (in *inbox) notice(c *cycle, seen *listing, i int, why reason) {
	r := &in.rows[i]
	before := *r
	ch := in.chat(r.peer)
	in.heard.hint(r.peer)
	shown := seen.brief(i)
	in.know(ch, shown)
	r.take(seen, i)
	ch.digest, ch.index = r.digest, i
	switch in.judge(c, ch, before, *r, shown, why) {
	case readNow:
		ch.verify = before.state&rowRead != 0 && r.unread > 0
		ch.counted = ch.counted || r.unread > before.unread
		ch.moved(in.lists)
		ch.news = ch.news || why == appeared || before.text != r.text || r.unread > before.unread
		in.pend(ch)
	case sweepNow:
		ch.hinted = true
		in.sweep(ch, c.began)
	case sweepLater:
		in.sweep(ch, c.began.Add(c.cfg.SweepAfter))
	}
}

// take remembers a row as it is now.
func (r *row) take(seen *listing, i int) {
	g := &seen.glances[i]
	if r.digest != g.digest {
		r.digest = g.digest
		r.text, r.age, r.born = 0, 0, 0
		r.aged(g, seen.began, seen.ended)
	}
	if shown := seen.brief(i); shown != nil {
		r.text = shown.text
	}
	r.unread = g.unread
	r.state &^= rowNew | rowRead | rowUnproved | rowYounger | rowSurfaced
}

// judge decides what follows from a hint. What it cannot explain is read.
func (in *inbox) judge(c *cycle, ch *chat, before, now row, shown *brief, why reason) verdict {
	switch {
	case why == passed || why == unproved:
		return sweepNow
	case why == unseen:
		return readNow
	case why != younger && before.text == now.text && now.text != 0:
		return in.judgeCount(before, now)
	}
	// Our own messages do not raise the unread count. Where reading does not lower it either, it says
	// nothing if it stays.
	_, seeing := in.server.known()
	if (now.unread == 0 || now.unread == before.unread && seeing == keepsUnseen) &&
		shown != nil && c.sends.explains(ch.peer, shown.last, ch.cursor, true) {
		return sweepLater
	}
	return readNow
}

// judgeCount decides about a row that shows the same text as before, and no more unread messages.
func (in *inbox) judgeCount(before, now row) verdict {
	switch {
	case now.unread == before.unread:
		return sweepNow // a name or a picture
	case now.unread > 0:
		return readNow
	}
	// The messages were seen, by our reading or on the owner's phone.
	if before.state&rowRead != 0 {
		in.server.learnSeeing(marksSeen)
	}
	return sweepLater
}
