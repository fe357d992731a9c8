package checker

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// heldBack checks a rule for what was held back, and that the reasons which it waits for can come about.
func (c *checker) heldBack(r *grammar.Rule) {
	held := slices.Contains(r.When, grammar.OnHeldBack)
	switch {
	case !held && len(r.Reason) > 0:
		c.add(r.At, "reason belongs to when: held_back")
		return
	case held && len(r.When) > 1:
		c.add(r.At, "when: held_back stands alone: make another rule of the rest")
		return
	}
	seen := map[grammar.HeldReason]bool{}
	for _, reason := range r.Reason {
		if seen[reason] {
			c.add(r.At, "reason: %s is there twice", reason)
		}
		seen[reason] = true
		if what := c.neverHeld(reason); what != "" && !c.Cut && !c.AnySpoiled() {
			c.noteHint(r.At, "reason: %s never happens here: %s", reason, what)
		}
	}
}

// neverHeld says why nothing is ever held back for a reason; "" when something may be.
func (c *checker) neverHeld(reason grammar.HeldReason) string {
	any := func(holds func(f *grammar.File, r *grammar.Rule) bool) bool {
		return slices.ContainsFunc(c.Files, func(f *grammar.File) bool {
			return slices.ContainsFunc(f.Rules, func(r grammar.Rule) bool { return holds(f, &r) })
		})
	}
	switch reason {
	case grammar.HeldTooMany:
		if !any(func(_ *grammar.File, r *grammar.Rule) bool { return r.IfTooMany != nil }) {
			return "no rule has if_too_many"
		}
	case grammar.HeldHours:
		if !slices.ContainsFunc(c.Files, func(f *grammar.File) bool {
			quiet, then := c.QuietHours(f)
			return quiet != nil && then == grammar.Drop
		}) {
			return "nothing is dropped in quiet hours (in_quiet_hours: drop)"
		}
	case grammar.HeldLimit, grammar.HeldCeiling, grammar.HeldPaused: // what writes to people has a limit, and the others are not of the files
	}
	return ""
}

// testsHeld checks what a test says to be held back.
func (c *checker) testHeld(t *grammar.Test) {
	switch t.HeldBack {
	case "", grammar.HeldCeiling, grammar.HeldPaused:
	case grammar.HeldHours:
		c.add(t.At, "held_back: hours is written with a time in quiet hours, for example at: \"Sat 23:00\"")
	case grammar.HeldLimit, grammar.HeldTooMany:
		c.add(t.At, "held_back: %s is written with again: true, as often as it takes", t.HeldBack)
	}
}
