package campaigns

import (
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Verdict is what becomes of a slot.
type Verdict struct {
	Slot Slot
	Kind Kind

	Item  *Item           // what is published, or would have been; nil: nothing may come
	Post  platform.PostID // 0: an own text, or a post that is still to be found
	Renew bool            // the post is reposted already: it is taken back and reposted
	Nth   int             // the how manieth time the item comes in this campaign, from 1
	At    time.Time       // when it leaves; of Wait when to decide again
	Until time.Time       // when it is too late for it to leave

	Approve  bool      // a person has to approve it
	Ask      time.Time // with Approve: when it is prepared and shown
	Deadline time.Time // with Approve: when the approval is over
	Held     bool      // it is prepared, and waits for the approval
	Approved bool      // somebody has approved it
	Void     Why       // why what was prepared before counts no more; it is asked for again

	Why    Why     // why the slot stays empty, or waits
	Others []Other // the items that were looked at before, or all when none may come, with why not
	Need   []Need  // to be read first
	Outs   []lost  // posts that are out from now on: people are told

	Entry *Entry // of Booked

	row    platform.RowID // of Post on our own page, as it was read
	learnt []learnt
	turn   turn
}

// Kind says in a word what becomes of a slot.
type Kind string

// The kinds of verdicts.
const (
	Go      Kind = "go"     // it is published
	Asks    Kind = "ask"    // a person has to approve it first; the plan takes that for given
	Wait    Kind = "wait"   // not now, but maybe later: at Verdict.At it is decided again
	Watched Kind = "watch"  // it would be published, but for the status
	Skip    Kind = "skip"   // it stays empty
	Needs   Kind = "need"   // something has to be read first
	Stops   Kind = "end"    // the campaign ends here
	Booked  Kind = "booked" // it was decided before: Verdict.Entry has the result
)

// Publishes reports whether something is published, or asked for: the plan takes for granted that it is approved.
func (k Kind) Publishes() bool { return k == Go || k == Asks }

// Other is an item that was passed over, with the reason.
type Other struct {
	Item *Item
	Why  Why
}

// lost is a post that is out from now on.
type lost struct {
	Key string
	Out Out
}

// learnt is what was read of a post.
type learnt struct {
	key string
	use Use
}

// Wake returns when a turn has to look at the slot: when it is to be prepared, or, readings take a while, a minute before it leaves.
func (v *Verdict) Wake() time.Time {
	switch {
	case v.Approve && !v.Held && !v.Approved && v.Kind == Asks:
		return v.Ask
	case v.Kind == Go || v.Kind == Asks:
		return v.At.Add(-time.Minute)
	}
	return v.At
}

// Early reports whether the verdict publishes something, or asks for it, before its Wake: since another post comes than was to be asked for,
// or since an edit has made something else of what was prepared. It is decided at its Wake: see Learn.
func (v *Verdict) Early(now time.Time) bool {
	return v.Kind.Publishes() && v.Wake().After(now.Add(time.Minute))
}

// Why is a reason. The zero value is none. String says it in a sentence.
type Why struct {
	Code  Code
	N     int
	At    time.Time // in the zone of the campaign
	Span  time.Duration
	Name  string
	Cause *Why
}

// Code is a reason in a word.
type Code string

// Why a slot stays empty.
const (
	Missing     Code = "no such day"
	Moved       Code = "moved"
	Ended       Code = "ended"
	SkippedBy   Code = "skipped by hand"
	OnPause     Code = "paused"
	Late        Code = "missed"
	ClockWrong  Code = "wrong clock"
	TooClose    Code = "too close"
	OverBudget  Code = "budget"
	OverTotal   Code = "limit"
	OverWhole   Code = "whole campaign"
	NoPost      Code = "no post"
	Nothing     Code = "nothing found"
	Unapproved  Code = "not approved"
	Unasked     Code = "not asked in time"
	RefusedBy   Code = "refused"
	Bound       Code = "bound"
	Reworded    Code = "reworded"
	Unreadable  Code = "not read"
	Unconcluded Code = "not settled" // of a post, too
	EditWaits   Code = "edit waits"
)

// Why a post may not come.
const (
	PostPaused Code = "post paused"
	NotBefore  Code = "not before"
	UsedUp     Code = "used up"
	TooOld     Code = "too old"
	TooSoon    Code = "gap"
	PostGone   Code = "gone"
	PostHidden Code = "hidden"
	PostUndone Code = "undone by hand"
	// PostTakenBack is an Undo.
	PostTakenBack Code = "taken back"
	ByHand        Code = "reposted by hand"
	NoRenewal     Code = "reposted already"
	NotSaid       Code = "not said"
	Again         Code = "last"
	HadTurn       Code = "had its turn" // and did not come
	OtherPlatform Code = "other platform"
)

// Why what was prepared counts no more.
const (
	OtherMinute Code = "other minute"
	OtherWay    Code = "other way"
	OtherWords  Code = "other words"
	NotThere    Code = "not there"
)

// sentences say each reason.
var sentences = map[Code]string{
	Missing:     "there is no such day there: the clocks go over it",
	Moved:       "it is the slot of {name} under another clock, and that one has happened",
	Ended:       "the campaign has ended on {when}: {name}",
	SkippedBy:   "{name} has taken this slot out",
	OnPause:     "paused{name}",
	Late:        "it could leave until {when}, and the bot or the platform was away",
	ClockWrong:  "it could leave until {when}, and the clock of the bot's machine was {name}",
	TooClose:    "too close to the publication{name} on {when}: {span} have to be between them",
	OverBudget:  "the account publishes at most {n} times in {span}; the next one may come on {when}",
	OverTotal:   "limits: total is {n} in {span}; the next one may come on {when}",
	OverWhole:   "limits: the campaign has made all its {n} publications",
	NoPost:      "no post may come now",
	Nothing:     "nothing was found: {name}",
	Unapproved:  "nobody approved it by {when}",
	Unasked:     "it could not be shown to anybody in time: an approval was possible until {when}",
	RefusedBy:   "{name} refused it",
	Bound:       "it was prepared for {name}, and that may not come: {cause}. So it stays empty",
	Reworded:    "{name} reads otherwise than when it was shown",
	Unreadable:  "the platform could not be read",
	EditWaits:   "an edit waits that takes out or rewords {name}: put it in force with nectar campaigns apply, or take it back",
	Unconcluded: "what was done with it last is on its way, or so fresh that the platform may not show it yet",

	PostPaused:    "its status is paused",
	NotBefore:     "not before {day}",
	UsedUp:        "its turns are used up: {n}",
	TooOld:        "it is older than {span}",
	TooSoon:       "gap {span}, last{name} on {when}",
	PostGone:      "it was deleted",
	PostHidden:    "it could not be seen on {when}: we look again after a week",
	PostTakenBack: "{name} had it taken back on {when}: it stays out until a person allows it",
	PostUndone:    "somebody took the repost back by hand, seen on {when}: it stays out until a person allows it",
	ByHand:        "it was reposted by hand already",
	NoRenewal:     "it is reposted already, and how: undo_then_repost is not written",
	NotSaid:       "it is reposted already, and this platform does not tell whether a post is reposted: nothing is reposted anew there",
	Again:         "it came last, and another one may come",
	OtherPlatform: "its link leads to another platform than this account's posts, which are on {name}: open the post there and copy its address",
	HadTurn:       "the turn before was its own, though it did not come, and another one may come",

	OtherMinute: "it comes at another minute than was shown: {when}",
	OtherWay:    "it is done in another way than was shown",
	OtherWords:  "it has other words than were shown",
	NotThere:    "{name} is not in the campaign any more",
}

// String says the reason in a sentence without a full stop.
func (w Why) String() string {
	if w.Code == "" {
		return ""
	}
	sentence, known := sentences[w.Code]
	if !known {
		return string(w.Code)
	}
	cause := ""
	if w.Cause != nil {
		cause = w.Cause.String()
	}
	return strings.NewReplacer("{when}", w.At.Format("Mon 2 January 15:04"), "{day}", w.At.Format("Mon 2 January"), "{n}", strconv.Itoa(w.N),
		"{span}", text.Duration(w.Span).String(), "{name}", w.Name, "{cause}", cause).Replace(sentence)
}

// Reading reports whether a slot waits for what the platform says, and not for a minute that is known.
func (w Why) Reading() bool { return w.Code == Unreadable || w.Code == Unconcluded }
