package poll

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
)

// verdict says what follows from a hint.
type verdict uint8

const (
	readNow verdict = iota
	sweepNow
	sweepLater
)

// follow finds the chats that moved since the last list.
func (in *inbox) follow(c *cycle, seen listing) {
	was := in.hints(c, seen, func(i int, why reason) { in.notice(c, seen, i, why) })
	overtook(was, func(i int) { in.notice(c, seen, i, passed) })
}

// hints brings the rows into the order of a new list and calls f for each one that gives a hint. If
// the order changed, was tells where the other rows stood before.
func (in *inbox) hints(c *cycle, seen listing, f func(i int, why reason)) (was []int32) {
	in.rows, was = align(in.rows, seen.ChatRows)
	// The list is in the order of the last messages: below a row that did not move, none did. Should
	// it have another order, all ages are compared now and then.
	ages, all := true, seen.began.Sub(in.agedAt) >= c.cfg.SweepAfter
	if all {
		in.agedAt = seen.began
	}
	_, seeing := in.server.known()
	proofs := sweepsAtOnce
	for i := range in.rows {
		why := in.rows[i].hint(seen, i, ages || all, seeing)
		if why == unmoved && in.rows[i].state&rowUnproved != 0 && proofs > 0 {
			why = unproved
			proofs--
		}
		if why == unmoved {
			ages = false
			continue
		}
		if was != nil {
			was[i] = -1
		}
		f(i, why)
	}
	return was
}

// hint compares a row with what is remembered of it.
func (r *row) hint(seen listing, i int, ages bool, seeing seeing) reason {
	switch {
	case r.state&rowNew != 0:
		return appeared
	case r.digest != seen.Digest(i):
		return changed
	case ages && r.aged(seen.Time(i), seen.began, seen.ended):
		return younger
	case r.unread > 0 && r.state&rowRead != 0 && seeing != keepsUnseen:
		return unseen
	default:
		return unmoved
	}
}

// notice takes a row that gives a hint, and sees to it that its chat is read, now or later.
func (in *inbox) notice(c *cycle, seen listing, i int, why reason) {
	r := &in.rows[i]
	before := *r
	ch := in.chat(r.peer)
	in.heard.hint(r.peer)
	shown, err := seen.Decode(i)
	if err == nil {
		ch.name, ch.user = shown.Name, shown.Username
	}
	r.take(seen, i, shown.Last)
	ch.digest, ch.index = r.digest, i
	switch in.judge(c, ch, before, *r, shown.Last, why) {
	case readNow:
		ch.verify = before.state&rowRead != 0 && r.unread > 0
		ch.counted = ch.counted || r.unread > before.unread
		in.pend(ch)
	case sweepNow:
		ch.hinted = true
		in.sweep(ch, c.began)
	case sweepLater:
		in.sweep(ch, c.began.Add(c.cfg.SweepAfter))
	}
}

// take remembers a row as it is now.
func (r *row) take(seen listing, i int, last string) {
	if r.digest != seen.Digest(i) {
		r.digest = seen.Digest(i)
		r.age, r.born = 0, 0
		r.aged(seen.Time(i), seen.began, seen.ended)
	}
	r.text, r.unread = textHash(last), clampUnread(seen.Unread(i))
	r.state &^= rowNew | rowRead | rowUnproved | rowYounger
}

// judge decides what follows from a hint. What it cannot explain is read.
func (in *inbox) judge(c *cycle, ch *chat, before, now row, last string, why reason) verdict {
	switch {
	case why == passed || why == unproved:
		return sweepNow
	case why == unseen:
		return readNow
	case why != younger && before.text == now.text:
		return in.judgeCount(before, now)
	}
	// Our own messages do not raise the unread count. Where reading does not lower it either, it says
	// nothing if it stays.
	_, seeing := in.server.known()
	if (now.unread == 0 || now.unread == before.unread && seeing == keepsUnseen) &&
		c.sends.explains(ch.peer, last, ch.cursor, true) {
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
