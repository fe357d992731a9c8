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
	surfaced        // it is new, and stood behind a cut of the lists before
)

// motion is what a list shows as a whole.
type motion struct {
	rests bool // a row that was there before did not move
	stale bool // a row went back to an older message: the list may be an old one
}

// alignRows brings the rows into the order of a list, and tells where they stood before; see align of rows.
func (in *inbox) alignRows(seen *listing) (was []int32) {
	in.rows, was = alignRows(in.rows, seen)
	return was
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
