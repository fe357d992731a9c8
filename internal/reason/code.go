package reason

import (
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// The codes of actions, with their parameters. A code never changes once something was stored with it, and none begins with another one's text.
const (
	RulePaused    event.ReasonCode = "rule.paused"     // rule: which; what it decided waits for that, or was only recorded
	RuleOnWatch   event.ReasonCode = "rule.on_watch"   // rule: which; what it would have done is only recorded
	AccountPaused event.ReasonCode = "account.paused"  // what it would have done is only recorded
	PauseTooLong  event.ReasonCode = "pause.too_long"  // rule: which was paused until it was too late; none: the account
	Recorded      event.ReasonCode = "action.recorded" // a program only records it; the sentence is the program's
	Held          event.ReasonCode = "action.held"     // a program lets it wait for a person; the sentence is the program's
	Ended         event.ReasonCode = "action.ended"    // a program has taken it back; the sentence is the program's
	Dropped       event.ReasonCode = "action.dropped"  // by a person of ours
	TakenBack     event.ReasonCode = "action.taken_back"
	WasSo         event.ReasonCode = "action.was_so"       // it is done without a call: the platform showed the wished state
	Requested     event.ReasonCode = "action.requested"    // it is done as far as we can: the other person has to agree
	Overtaken     event.ReasonCode = "action.overtaken"    // a later wish took its place
	NotReposted   event.ReasonCode = "action.not_reposted" // the post is not reposted: there is nothing to renew
	Gone          event.ReasonCode = "action.gone"         // what was to be deleted was gone
	NotShown      event.ReasonCode = "action.not_shown"    // it is done: it was shown, and is not any more, but what left after it is
	Untold        event.ReasonCode = "platform.untold"     // the platform does not tell whether a post is reposted, so nothing was called; again: it was to be reposted anew
	Late          event.ReasonCode = "action.late"         // until: its latest departure; tried: a request had left; and what it waited for: most, within, apart
	Crowded       event.ReasonCode = "action.crowded"      // it waits for what else is published. until: for how long; most and within, or apart: for what
	TooCrowded    event.ReasonCode = "action.too_crowded"  // as Crowded, in vain. over: its latest departure
	Unreachable   event.ReasonCode = "person.unreachable"  // the person refused a message lately
	Silent        event.ReasonCode = "person.silent"       // the person has asked for silence. since: when
	NeverSpoke    event.ReasonCode = "person.never_spoke"  // the person has never done anything with the account, and did not ask for what a delivery would say
	Owned         event.ReasonCode = "conversation.owned"  // a person of ours has the conversation. owner: who
	Forgotten     event.ReasonCode = "person.forgotten"    // the person was forgotten
	Refused       event.ReasonCode = "platform.refused"    // the sentence is the platform's
	Unseen        event.ReasonCode = "platform.unseen"     // a post was deleted, or is hidden; the sentence is the platform's, behind that
	Unknown       event.ReasonCode = "platform.unknown"    // nobody knows whether it happened; the sentence says why
	UnknownVerb   event.ReasonCode = "action.unknown_verb" // of a later version
	Unread        event.ReasonCode = "platform.unread"     // it has not left, since the platform cannot be read; the sentence says why
	NeedsApproval event.ReasonCode = "approval.needed"
	NotApproved   event.ReasonCode = "approval.expired" // until: when it expired; within: in how many seconds, when that was said
	LimitUsed     event.ReasonCode = "limit.used"       // limit: which is used up
	Unanswered    event.ReasonCode = "turn.unanswered"  // outcome: of a turn that nobody was to answer; what middleware decided beside is only recorded
	KeyLost       event.ReasonCode = "text.key_lost"    // its text is sealed with a key that is lost
	CopyUnread    event.ReasonCode = "copy.unreadable"  // what a copy of the database wanted, and the platform cannot show
	CopySpoken    event.ReasonCode = "copy.spoken"      // message: the account's last one, which came after the copy
	CopyRenewed   event.ReasonCode = "copy.renewed"     // post: which may have been renewed since the copy
	CopyPosted    event.ReasonCode = "copy.posted"      // post: which was published since the copy
)

// The codes of turns in which a person decided something.
const (
	Edited event.ReasonCode = "approval.edited" // action: which left with another text
	Erased event.ReasonCode = "person.erased"   // what was kept of somebody is erased
)

// Set gives an action a reason, and the sentence that says so.
func Set(a *event.Action, why event.Reason) { a.Why, a.Reason = why, SentenceOf(why) }

// SetText gives an action a reason with a sentence that is not ours: a program's, or the platform's.
func SetText(a *event.Action, code event.ReasonCode, text string) {
	a.Why, a.Reason = event.Because(code), text
}

// PausedBy is the reason of what a paused rule decided; with "" the account is paused.
func PausedBy(rule string) event.Reason {
	if rule == "" {
		return event.Because(AccountPaused)
	}
	return event.Because(RulePaused, "rule", rule)
}

// WatchedBy is the reason of what a rule on watch would have done.
func WatchedBy(rule string) event.Reason { return event.Because(RuleOnWatch, "rule", rule) }

// LapsedPause is the reason of what was too late at the end of a rule's pause; of the account's with "".
func LapsedPause(rule string) event.Reason {
	if rule == "" {
		return event.Because(PauseTooLong)
	}
	return event.Because(PauseTooLong, "rule", rule)
}

// TooLate is the reason of what has not left by its latest departure.
func TooLate(until time.Time) event.Reason { return event.Because(Late, "until", timeStamp(until)) }

// TooLateAgain is TooLate of what had left before in vain.
func TooLateAgain(until time.Time) event.Reason {
	return event.Because(Late, "until", timeStamp(until), "tried", "1")
}

// UsedUp is the reason of what a limit does not let leave.
func UsedUp(limit string) event.Reason { return event.Because(LimitUsed, "limit", limit) }

// ExpiredApproval is the reason of what nobody has approved in time.
func ExpiredApproval(p *event.Approval) event.Reason {
	if p.Within <= 0 {
		return event.Because(NotApproved, "until", timeStamp(p.Expires))
	}
	return event.Because(NotApproved, "within", secondsText(p.Within))
}

func timeStamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func secondsText(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}
