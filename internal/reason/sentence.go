package reason

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// SentenceOf says a reason to people; "" for one with a sentence that is not ours, see SetText.
func SentenceOf(r event.Reason) string {
	if text, ok := plain[r.Code()]; ok {
		return text
	}
	switch r.Code() { //nolint:exhaustive // codes of others have their sentences elsewhere
	case RulePaused:
		return "the rule " + r.Param("rule") + " is paused"
	case RuleOnWatch:
		return "the rule " + r.Param("rule") + " is on watch"
	case PauseTooLong:
		return "it had become too late for it while " + SentenceOf(PausedBy(r.Param("rule")))
	case LimitUsed:
		if r.Param("limit") == event.OthersLimit {
			return "slots of campaigns have what is left of what the account may publish"
		}
		return "the limit " + r.Param("limit") + " is used up"
	case Late:
		return late(r)
	case Crowded, TooCrowded:
		return crowded(r)
	case NotApproved:
		if within := spanOf(r, "within"); within > 0 {
			return "nobody approved it within " + shortly(within)
		}
		return "nobody approved it by " + minute(r, "until")
	case Owned:
		return r.Param("owner") + " has the conversation"
	case Unanswered:
		return "nobody was to answer that: the turn's outcome is \"" + r.Param("outcome") + "\""
	case Untold:
		if r.Param("again") != "" {
			return "this platform does not tell whether a post is reposted: nothing is reposted anew there"
		}
		return "nothing shows that it is there, and this platform does not tell: nothing was called"
	case CopySpoken:
		return "the account has spoken in this conversation with the message " + r.Param("message") + sinceCopy
	case CopyRenewed:
		return "nobody knows whether it was renewed" + sinceCopy
	case CopyPosted:
		return "it was published as the post " + r.Param("post") + sinceCopy
	}
	return ""
}

// sinceCopy ends what people read of a copy of the database.
const sinceCopy = ": what the bot keeps is a copy that was put back, and older than that"

// plain are the sentences of codes without parameters.
var plain = map[event.ReasonCode]string{
	AccountPaused: "the account is paused",
	Dropped:       "dropped by a person",
	WasSo:         "it was so already",
	Requested:     "requested: the other person has to agree",
	Overtaken:     "a later wish took its place",
	NotReposted:   "the post is not reposted: there is nothing to renew",
	Gone:          "it was gone already",
	NotShown:      "not shown any more, but what left after it is",
	Unreachable:   "the peer refused a message lately",
	Silent:        "the person has asked for silence",
	NeverSpoke:    "the person has never done anything with the account, and did not ask for it",
	Forgotten:     "the person was forgotten",
	NeedsApproval: event.NeedsApproval,
	KeyLost:       "what it says was encrypted with a key that is lost",
	CopyUnread:    "a copy of the database was put back, and nobody can tell whether this was sent since the copy",
}

func late(r event.Reason) string {
	text := "its time was over at " + minute(r, "until")
	if r.Param("tried") != "" {
		text += "; a request had left before, and did not arrive"
	}
	if c, ok := crowdOf(r); ok {
		text += "; it waited: " + c.String()
	}
	return text
}

func crowded(r event.Reason) string {
	c, _ := crowdOf(r)
	text := c.String() + ", until " + clock(r, "until")
	if r.Code() == TooCrowded {
		return text + ": its time is over at " + clock(r, "over")
	}
	return "waits: " + text
}

// minute writes a time that a reason names to the minute.
func minute(r event.Reason, name string) string { return written(r, name, "2006-01-02 15:04 UTC") }

// clock writes a time that a reason names to the second.
func clock(r event.Reason, name string) string { return written(r, name, "2006-01-02 15:04:05 UTC") }

func written(r event.Reason, name, layout string) string {
	t, err := time.Parse(time.RFC3339, r.Param(name))
	if err != nil {
		return r.Param(name)
	}
	return t.UTC().Format(layout)
}

// shortly writes a length of time without what is zero at its end: 6h, not 6h0m0s.
func shortly(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
