package notify

import (
	"github.com/nectar-bot/nectar/bot/event"
)

// The kinds of notices: what people are called for.
const (
	KindHandoff     = event.CallHandoff    // a conversation was given to a team
	KindRule        = "notify"             // a rule says so
	KindWaiting     = event.CallWaiting    // nobody has answered a person
	KindApproval    = "approval"           // an answer waits for approval
	KindCampaign    = "campaign"           // an edit waits, a report, the end of a campaign, a post that is out
	KindHeld        = "held"               // an action has waited for a person for more than an hour
	KindQuarantine  = event.CallQuarantine // something could not be handled
	KindParked      = "parked"             // an account cannot sign in any more
	KindUnhealthy   = "deaf"               // a source is not heard
	KindReading     = "reading"            // a reading comes to no end
	KindLate        = "late"               // what is due waits for long, and longer and longer
	KindSecondBot   = event.CallSecondBot  // another bot answers on an account
	KindRestored    = event.CallRestored   // a copy of the database was put back
	KindCrashed     = event.CallCrashed    // the process had ended without being stopped
	KindPaused      = "paused"             // a rule has stopped itself
	KindRules       = "rules"              // rules do not load
	KindDisk        = "disk"               // the store takes no writes
	KindUndelivered = "undelivered"        // an address was given up
	KindTest        = "test"               // of nectar notices test
)

// kind is what people read about a kind.
type kind struct{ name, one, many string }

var kinds = []kind{
	{KindHandoff, "Somebody needs a person", "people need a person"},
	{KindRule, "A rule tells you", "notices of rules"},
	{KindWaiting, "Somebody still waits for an answer", "people still wait for an answer"},
	{KindApproval, "An answer waits for your approval", "answers wait for approval"},
	{KindCampaign, "A campaign tells you", "notices of campaigns"},
	{KindHeld, "Something waits for one of you for more than an hour", "things wait for one of you for more than an hour"},
	{KindQuarantine, "Something could not be handled", "things could not be handled"},
	{KindParked, "The bot cannot sign in", "accounts cannot sign in"},
	{KindUnhealthy, "The bot hears nothing new", "accounts hear nothing new"},
	{KindReading, "The bot reads and comes to no end", "readings come to no end"},
	{KindLate, "Answers are late", "accounts answer late"},
	{KindSecondBot, "Another bot answers on this account", "notices of another bot"},
	{KindRestored, "What the bot knows is older than what it did", "notices of what the bot has forgotten"},
	{KindCrashed, "The bot had crashed", "crashes of the bot"},
	{KindPaused, "A rule has paused itself", "rules have paused themselves"},
	{KindRules, "Rules do not work", "problems with rules"},
	{KindDisk, "There is trouble with the disk of the bot", "problems with the disk"},
	{KindUndelivered, "A team cannot be reached", "teams cannot be reached"},
	{KindTest, "This is a test", "tests"},
}

// Kinds returns the names of all kinds that people may be called for, in the order in which they are documented.
func Kinds() []string {
	names := make([]string, 0, len(kinds))
	for _, k := range kinds {
		if k.name != KindTest {
			names = append(names, k.name)
		}
	}
	return names
}

// Urgent are the kinds that ring in quiet hours unless a team says otherwise.
func Urgent() []string {
	return []string{KindHandoff, KindUnhealthy, KindLate, KindParked, KindSecondBot, KindCrashed, KindDisk}
}

func kindOf(name string) kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return kinds[1]
}

// headingText says what a notice is about, in words of ours.
func (n *Notice) headingText() string {
	says := kindOf(n.Kind).one
	if t, ok := n.troubleOf(); ok && t.heading != "" {
		says = t.heading
	}
	if n.Over {
		return "Over: " + says
	}
	return says
}
