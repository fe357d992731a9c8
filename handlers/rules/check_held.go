package rules

import "slices"

// heldBack checks a rule for what was held back, and that the reasons which it waits for can come about.
func (c *checker) heldBack(r *Rule) {
	held := slices.Contains(r.When, OnHeldBack)
	switch {
	case !held && len(r.Reason) > 0:
		c.add(r.At, "reason belongs to when: held_back")
		return
	case held && len(r.When) > 1:
		c.add(r.At, "when: held_back stands alone: make another rule of the rest")
		return
	}
	seen := map[HeldReason]bool{}
	for _, reason := range r.Reason {
		if seen[reason] {
			c.add(r.At, "reason: %s is there twice", reason)
		}
		seen[reason] = true
		if what := c.neverHeld(reason); what != "" && !c.cut && !c.anySpoiled() {
			c.hint(r.At, "reason: %s never happens here: %s", reason, what)
		}
	}
}

// neverHeld says why nothing is ever held back for a reason; "" when something may be.
func (c *checker) neverHeld(reason HeldReason) string {
	any := func(holds func(f *File, r *Rule) bool) bool {
		return slices.ContainsFunc(c.files, func(f *File) bool {
			return slices.ContainsFunc(f.Rules, func(r Rule) bool { return holds(f, &r) })
		})
	}
	switch reason {
	case HeldTooMany:
		if !any(func(_ *File, r *Rule) bool { return r.IfTooMany != nil }) {
			return "no rule has if_too_many"
		}
	case HeldHours:
		if !slices.ContainsFunc(c.files, func(f *File) bool {
			quiet, then := c.quiet(f)
			return quiet != nil && then == Drop
		}) {
			return "nothing is dropped in quiet hours (in_quiet_hours: drop)"
		}
	case HeldLimit, HeldCeiling, HeldPaused: // what writes to people has a limit, and the others are not of the files
	}
	return ""
}

// testsHeld checks what a test says to be held back.
func (c *checker) testHeld(t *Test) {
	switch t.HeldBack {
	case "", HeldCeiling, HeldPaused:
	case HeldHours:
		c.add(t.At, "held_back: hours is written with a time in quiet hours, for example at: \"Sat 23:00\"")
	case HeldLimit, HeldTooMany:
		c.add(t.At, "held_back: %s is written with again: true, as often as it takes", t.HeldBack)
	}
}
