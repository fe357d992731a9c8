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

// motion is what a list shows as a whole.
type motion struct {
	rests bool // a row that was there before did not move
	stale bool // a row went back to an older message: the list may be an old one
}

// alignRows brings the rows into the order of a list, with new ones where it has others. Those that it does not have are
// forgotten, unless the list was cut: then they stand behind it. If that changed anything, was tells where each
// row of the list stood before, -1 for new ones; otherwise it is nil.
func (in *inbox) alignRows(seen *listing) (was []int32) {
	rows := in.rows
	if inOrder(rows, seen) {
		return nil
	}
	hidden := 0
	if seen.cut != nil {
		hidden = max(0, len(rows)-seen.len())
	}
	aligned := make([]listRow, seen.len(), seen.len()+hidden)
	was = make([]int32, seen.len())
	for i := range aligned {
		g := &seen.glances[i]
		if was[i] = g.was; g.was < 0 {
			aligned[i] = listRow{peer: g.peer, state: rowNew}
		} else {
			aligned[i] = rows[g.was]
		}
	}
	// A list that was cut says nothing about the rest: to forget those rows would make all of them news with the next whole list.
	if in.rows = aligned; seen.cut == nil {
		return was
	}
	came := make([]bool, len(rows))
	for _, at := range was {
		if at >= 0 {
			came[at] = true
		}
	}
	for i := range rows {
		if !came[i] {
			in.rows = append(in.rows, rows[i])
		}
	}
	return was
}

func inOrder(rows []listRow, seen *listing) bool {
	if len(rows) != seen.len() && (seen.cut == nil || len(rows) < seen.len()) {
		return false
	}
	for i := range seen.glances {
		if seen.glances[i].was != int32(i) {
			return false
		}
	}
	return true
}

// eachHint calls f for each row that gives a hint, in the order of seen. The place where it stood before becomes -1: that it moved
// up tells nothing more.
func (in *inbox) eachHint(c *cycle, seen *listing, was []int32, marks seeing, f func(i int, why reason)) (m motion) {
	// The list is in the order of the last messages: below a row that did not move, none did. Should
	// it have another order, all ages are compared now and then.
	ages, all := true, seen.began.Sub(in.agedAt) >= c.cfg.SweepAfter
	if all {
		in.agedAt = seen.began
	}
	proofs := sweepsAtOnce
	for i := range seen.glances {
		r := &in.rows[i]
		why := r.hintOf(seen, i, ages || all, marks)
		switch {
		case why == unmoved && r.state&rowUnproved != 0 && proofs > 0:
			why = unproved
			proofs--
		// Behind a cut it may have stood there for ever, so only its stored cursor tells whether it moved. Above a row at rest it would have moved.
		case why == appeared && (in.wasCut && m.rests || r.state&rowSurfaced != 0):
			r.state |= rowSurfaced
			why = surfaced
		case why == changed:
			m.stale = m.stale || r.isOlder(&seen.glances[i], seen.ended)
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
	return m
}

// hintOf compares a row with what is remembered of it.
func (r *listRow) hintOf(seen *listing, i int, ages bool, seeing seeing) reason {
	g := &seen.glances[i]
	switch {
	case r.state&rowNew != 0:
		return appeared
	case r.digest != g.digest:
		return changed
	case ages && r.takeAge(g, seen.began, seen.ended):
		return younger
	case r.unread > 0 && r.state&rowRead != 0 && seeing != keepsUnseen:
		return unseen
	default:
		return unmoved
	}
}

// takeRow remembers a row as it is now.
func (r *listRow) takeRow(seen *listing, i int) {
	g := &seen.glances[i]
	if r.digest != g.digest {
		r.digest = g.digest
		// The digest is of all that a row shows but its age: another one may be another message, and what was known of the last one's age goes.
		r.text, r.age, r.born = 0, 0, 0
		r.takeAge(g, seen.began, seen.ended)
	}
	if shown := seen.briefOf(i); shown != nil {
		r.text = shown.text
	}
	r.unread = g.unread
	r.state &^= rowNew | rowRead | rowUnproved | rowYounger | rowSurfaced
}

// hintUse says what follows from a hint.
type hintUse uint8

const (
	readNow hintUse = iota
	sweepNow
	sweepLater
)

// readFollowing finds the chats that moved since the last list.
func (cr *chatReader) readFollowing(ctx context.Context, c *cycle, seen *listing) error {
	var risen []int
	before := len(cr.in.rows)
	was := cr.in.alignRows(seen)
	// Right behind align, before anybody goes by an index: the chats still say where their rows stood in the last list.
	cr.reindex(was, before, seen.cut != nil)
	_, seeing := cr.server.knownOrder()
	m := cr.in.eachHint(c, seen, was, seeing, func(i int, why reason) {
		if why == surfaced {
			risen = append(risen, i)
			return
		}
		cr.notice(c, seen, i, why)
	})
	eachOvertaking(was, func(i int) { cr.notice(c, seen, i, passed) })
	// Rows that moved stand above those that did not. So one row at rest speaks for all that the cut hides; without it, nothing
	// does, since the last list.
	if seen.cut != nil && !m.rests {
		cr.cutOff(c.began).noteMoved(cr.in.polledAt)
	}
	if m.stale {
		cr.staleAt = seen.began.UnixMilli()
	}
	cr.forgetVanished(ctx, c, seen)
	return cr.readSurfaced(ctx, c, seen, risen)
}

// reindex notes where the rows of chats stand now. Behind a list that was cut, the others stand in their old order.
func (cr *chatReader) reindex(was []int32, before int, cut bool) {
	if was == nil || len(cr.chats) == 0 {
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
	for _, ch := range cr.chats {
		if ch.index >= 0 && ch.index < before {
			ch.index = int(now[ch.index]) - 1
		}
	}
}

// notice takes a row that gives a hint, and sees to it that its chat is read, now or later.
func (cr *chatReader) notice(c *cycle, seen *listing, i int, why reason) {
	r := &cr.in.rows[i]
	before := *r
	ch := cr.activeChat(r.peer)
	cr.in.heard.noteHint(r.peer)
	shown := seen.briefOf(i)
	cr.noteName(ch, shown)
	// Only after the copy: judge needs the row as it was, and the next list is compared with what this one shows.
	r.takeRow(seen, i)
	ch.digest, ch.index = r.digest, i
	switch cr.judge(c, ch, before, *r, shown, why) {
	case readNow:
		ch.verify = before.state&rowRead != 0 && r.unread > 0
		ch.counted = ch.counted || r.unread > before.unread
		ch.retrySoon(cr.in.lists)
		ch.news = ch.news || why == appeared || before.text != r.text || r.unread > before.unread
		cr.queueChat(ch)
	case sweepNow:
		ch.hinted = true
		cr.planSweep(ch, c.began)
	case sweepLater:
		cr.planSweep(ch, c.began.Add(c.cfg.SweepAfter))
	}
}

// judge decides what follows from a hint. What it cannot explain is read.
func (cr *chatReader) judge(c *cycle, ch *chat, before, now listRow, shown *brief, why reason) hintUse {
	switch {
	case why == passed || why == unproved:
		return sweepNow
	case why == unseen:
		return readNow
	case why != younger && before.text == now.text && now.text != 0:
		return cr.judgeCount(before, now)
	}
	// Our own messages do not raise the unread count. Where reading does not lower it either, it says
	// nothing if it stays.
	_, seeing := cr.server.knownOrder()
	if (now.unread == 0 || now.unread == before.unread && seeing == keepsUnseen) &&
		shown != nil && c.sends.explainsRow(ch.peer, shown.last, ch.cursor, true) {
		return sweepLater
	}
	return readNow
}

// judgeCount decides about a row that shows the same text as before, and no more unread messages.
func (cr *chatReader) judgeCount(before, now listRow) hintUse {
	switch {
	case now.unread == before.unread:
		return sweepNow // a name or a picture
	case now.unread > 0:
		return readNow
	}
	// The messages were seen, by our reading or on the owner's phone.
	// It was read by us since it last changed, and now nothing is unread: so reading marks messages as seen here.
	if before.state&rowRead != 0 {
		cr.server.learnSeeing(marksSeen)
	}
	return sweepLater
}
