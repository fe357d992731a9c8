package reason

import "github.com/nectar-bot/nectar/bot/event"

// IsWatched reports whether a rule on watch would have done an action.
func IsWatched(a *event.Action) bool {
	return a.State == event.StateWithdrawn && OfAction(a).Code() == RuleOnWatch
}

// IsRecorded reports whether an action was only recorded: its rule is on watch, or it or its account is paused.
func IsRecorded(a *event.Action) bool {
	switch code := OfAction(a).Code(); code {
	case RuleOnWatch, RulePaused, AccountPaused:
		return a.State == event.StateWithdrawn
	default:
		return false
	}
}

// PausedRule returns the rule that is paused and so holds an action; "" for none.
func PausedRule(a *event.Action) string {
	if r := OfAction(a); r.Code() == RulePaused {
		return r.Param("rule")
	}
	return ""
}

// IsNeedless reports whether somebody's words or deeds have made an action needless, so that nobody waits for it.
func IsNeedless(why event.Reason) bool {
	switch why.Code() {
	case TakenBack, CopyUnread, CopySpoken, CopyRenewed, CopyPosted:
		return true
	default:
		return false
	}
}
