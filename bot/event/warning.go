package event

// Warning says that a platform does not take what an account does, for a reason that is the account's own.
type Warning struct {
	Kind WarningKind
	Why  string // a sentence without a full stop
}

// WarningKind is a kind of warning.
type WarningKind string

// The kinds of warnings. Their values are stored; they never change.
const (
	WarnedBusy    WarningKind = "busy"    // asked for fewer calls (429)
	WarnedSession WarningKind = "session" // the session is parked, or a sign-in was refused
	WarnedRefusal WarningKind = "refusal" // a publication was refused, and not for what it was about
	WarnedToggle  WarningKind = "toggle"  // a repost did not take
)
