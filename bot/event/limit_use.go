package event

import "time"

// LimitUse is a use of a limit, granted or denied inside the commit by its one writer. A limit use that is
// denied drops the action that needs it.
type LimitUse struct {
	Limit  string        // the limit's name within the account: "welcome/ever"
	Scope  string        // who or what is counted: a peer, a post, or "" for the account
	Max    int           // uses allowed within Within
	Within time.Duration // 0: ever
	// GiveBack: the use does not count any more when the action that has it ends refused, withdrawn or
	// dead.
	GiveBack bool
	// At is when the limit is used, where that is not in the turn itself: the use counts at that time, and is denied when it would lie
	// in any span of length Within that has Max uses already. Zero: with the turn.
	At time.Time
	// Ahead is when others are to come that have the first right to the limit, by time; nil for none. The use is denied when it would leave them no
	// room. It is a use of OthersLimit, which then counts those of PublishingLimit, the action's own included.
	Ahead []time.Time
	// AheadOf is how the keys of those others begin: one that has its use already counts once.
	AheadOf string
	// Of is the key of the action that the use belongs to, where that is not the one that the limit use stands at; "" for that one.
	Of string
}
