package inspect

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What an action that is held waits for.
const (
	HeldForApproval = "approval" // a rule on ask prepared it: a person approves or refuses it
	HeldForResume   = "resume"   // its rule is paused: it leaves when the rule goes on
	HeldForCheck    = "check"    // nobody knows whether it was done: a person looks at the platform
)

// Hold is what an action that is held waits for.
type Hold struct {
	For   string // HeldForApproval, HeldForResume or HeldForCheck; "" of an action that is not held
	Rule  string // that is paused
	Since time.Time
	Over  bool // nobody may approve it any more: its time is over, or that within which somebody had to
	// Overtaken says that somebody of ours wrote to the person after it was prepared: it leaves only when somebody insists.
	Overtaken bool
}

// HoldOf returns what an action waits for. p is what Reader.Approval says of it; the zero one when that was never said. wrote is when somebody of
// ours last wrote in its conversation; zero for never.
func HoldOf(a *event.Action, p *event.Approval, wrote, now time.Time) Hold {
	if a.State != event.StateHeld {
		return Hold{}
	}
	h := Hold{For: HeldForCheck, Since: a.EndedAt, Rule: reason.PausedRule(a)}
	switch {
	case h.Rule != "":
		h.For = HeldForResume
	case reason.OfAction(a).Code() == reason.NeedsApproval, p.Group != "" && p.Verdict.Ruling == "":
		h.For, h.Overtaken = HeldForApproval, store.IsOvertaken(a, wrote)
	}
	if h.Since.IsZero() {
		h.Since = a.DecidedAt
	}
	h.Over = p.Verdict.Ruling == "" && (p.Expired(now) || !a.Until.IsZero() && !now.Before(a.Until))
	return h
}
