package decision

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Decision is the result of an Input. While it has Needs, nothing else of it counts.
type Decision struct {
	Needs []Need

	State      State // the conversation afterwards
	Changed    bool  // whether the state has changed
	Actions    []Action
	Timers     []event.Timer // set; one with a zero Due is cancelled. Their keys and occurrences are up to the caller
	Notices    []Notice
	Entries    []Entry
	LimitUses  []event.LimitUse // uses of limits: granted all together, or the decision does not stand
	LimitUseOf int              // index of the action that gives back the limit uses of its rule when it comes to nothing; -1: none
	Withdraw   string           // why unsent actions of earlier turns are taken back; "" leaves them
	Refused    []string         // keys of actions that wait for a person and are refused, with what waits beside them
	Handoff    *Handover        // the conversation is given to a team
	Masks      []event.ID       // events of which the text is not to be kept
	Facts      Facts            // facts of the decision itself, to be kept with it
	Bundles    []Bundle         // what waits for a person: all actions of status Ask, with what happens when they are approved

	Words   words  // the words that it is about; zero for none, and for those that are decided about later
	Said    string // what was said, as it may be kept
	Step    string // the step that a conversation came to, also when it ended there
	Outcome Outcome
	Rule    string   // the rule or conversation that answers, or the first one that did something or was held back; "" for none
	Led     []Led    // of a burst with several answers, which text led to which rule
	Held    []string // what was held back besides what the outcome says, and who took it: a line for each
	Reason  string   // one line for the person who asks why
	Beside  string   // the same without who of ours has the conversation
	Tried   []Tried
}

// words are what a decision is about.
type words struct {
	Last        event.ID  // the last message of them
	Since, Said time.Time // when the first and the last one were said
	Needed      string    // the rule that leaves them to a person of ours, even if the bot answers; "" for none
}

// Outcome says in a word how an event was decided.
type Outcome string

// The outcomes.
const (
	Answered  Outcome = "answered"   // somebody is told something
	Prepared  Outcome = "prepared"   // something waits for a person, and nothing is said before
	Acted     Outcome = "acted"      // something is done, and nothing said
	HeldBack  Outcome = "held back"  // a rule matched, and its limit or its hours kept it silent
	OnPause   Outcome = "paused"     // a rule matched, and one of our people has paused it; what it would have done is recorded
	Ignored   Outcome = "ignored"    // a rule says that this is answered by nothing
	Unmatched Outcome = "unmatched"  // no rule is for this
	Gathering Outcome = "gathering"  // more may follow; it is answered as one
	LeftAlone Outcome = "left alone" // the person wants to be left alone, or somebody of ours has answered meanwhile
	Owned     Outcome = "owned"      // somebody of ours has the conversation, so that nothing is said; rules may have kept books
	Watched   Outcome = "watched"    // rules on watch would have done something; nothing was done
)

// Action is one thing to do on the platform, for the person of the conversation.
type Action struct {
	Rule      string
	With      []string // further rules that answer in it, to other texts of the same burst
	Verb      event.Verb
	Text      string
	Post      platform.PostID  // the post to like, repost, or to reply to
	Due       time.Time        // not before this
	Delay     time.Duration    // how long Due is from now; 0 when it is a time of day, such as the end of quiet hours
	Stale     time.Time        // when it is too late for the action to be of use
	Status    Status           // Live leaves; Ask waits for a person; Watch never leaves
	Private   bool             // the text tells a private answer
	LimitUses []event.LimitUse // with Ask: uses of limits, for when a person approves it
	// Variants are the texts of which Text is one, filled in, when the Input asks for them.
	Variants []string
}

// Notice is something that a team is told.
type Notice struct {
	Rule, Who, Text string
	Private         bool   // the text tells a private answer
	Kind            string // what it is about, of notify.Kinds
	Summary         bool   // the text says no more than who has said what

	As     string // the kind that it is as urgent as; "" for its own
	Urgent bool   // it rings in quiet hours, also when its kind does not

	Since time.Time // since when the person waits; zero when nobody does
	Asked []string  // what the person has written since, in order, as it may be kept
	Told  []string  // what the bot has said to them since, as it may be kept

	List, Key string // of an Entry of the decision: it is told only when that is new; "" always
}

// Entry is a row of a list.
type Entry struct {
	Rule, List string
	Key        string // what it is about; the same key is one row. "" is the trigger
	Text       string
	Fields     []Field
}

// Field is a named value of an Entry.
type Field struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Private bool   `json:"private,omitempty"`
}

// Handover says to whom a conversation is given.
type Handover struct {
	To  string
	For time.Duration // how long the bot is silent after the last word of ours
}

// Tried is a rule that was looked at.
type Tried struct {
	text.At
	Rule    string
	Status  Status
	Matched bool
	Won     bool   // it gave the answer
	Near    bool   // it did not match, and came near: something of what it looks for was there
	Nearest string // the word that it looks for, and the word that came near to it; "" when none did
	Why     string // the condition, and the word, that decided; of a rule that matched, also what followed
	End     TriedEnd
	Found   string // of a rule that matched, only the condition that decided
	Held    string // what held it back; "" when nothing did
}

// TriedEnd says what came of a rule that matched; "" when it acted.
type TriedEnd string

// What comes of rules that do not act.
const (
	TriedHeld    TriedEnd = "held back"
	TriedLate    TriedEnd = "too late" // another one answers already
	TriedWatched TriedEnd = "on watch"
	TriedStep    TriedEnd = "asked" // it is a step of a conversation
)

// Bundle is what one rule on ask wants to do for one trigger: it waits together for a person. What is no action on the
// platform happens with the approval.
type Bundle struct {
	Rule    string
	Actions []int // of the decision, in their order: one at least
	Effects event.Effects
	Within  time.Duration // how long it may be approved
	Expires time.Time     // until when
}

// Rules returns the rules that decided the action: several when it answers several texts of a burst.
func (a *Action) Rules() []string { return append([]string{a.Rule}, a.With...) }

// Led says which rule a text of a burst has led to.
type Led struct {
	Event event.ID
	Rule  string
}
