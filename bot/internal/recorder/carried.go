package recorder

import "slices"

// Carried is a trigger that was interrupted in an earlier incarnation, and has not run since.
type Carried struct {
	Entry

	Slot Slot
}

// Carried returns the triggers that were interrupted, those begun last first. They are in the file from the start, so that a death before they run
// does not hide them.
func (r *Recorder) Carried() []Carried {
	if r == nil {
		return nil
	}
	return r.carried
}

// carryOver takes over what the last incarnation has left: all that ran when it died, and what had not run again before.
func (r *Recorder) carryOver(last *Report) {
	if last == nil {
		return
	}
	for _, e := range slices.Backward(last.Entries) {
		if last.Clean && e.State != Interrupted {
			continue
		}
		state := Interrupted
		if e.State == Alone && !last.Clean {
			state = Alone // until that is counted
		}
		if slot := r.Begin(state, e.Account, e.ID); slot != 0 {
			r.carried = append(r.carried, Carried{e, slot})
		}
	}
	slices.Reverse(r.carried)
}

// deathsAfter returns how many incarnations in a row have died while triggers waited to run alone, or did, after the last one.
func deathsAfter(last *Report) int {
	if last == nil || !slices.ContainsFunc(last.Entries, func(e Entry) bool { return e.State != Running }) {
		return 0
	}
	if last.Clean {
		return last.Deaths
	}
	return last.Deaths + 1
}

// DeathCount is how many incarnations in a row have died while triggers waited to run alone, or did.
func (r *Recorder) DeathCount() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head.Deaths
}
