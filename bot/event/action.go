package event

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Verb says what an action does on the platform.
type Verb string

// The verbs. All but message and post state a wished result ("post 7 is liked"), never a step.
const (
	VerbMessage Verb = "message" // send Text to Peer
	VerbPost    Verb = "post"    // publish Text, below Post when set
	VerbLike    Verb = "like"    // Post is liked, or not, as Want says
	VerbRepost  Verb = "repost"  // Post is reposted, or not
	VerbFollow  Verb = "follow"  // User is followed, or not
	VerbRenew   Verb = "renew"   // Post, which is reposted, is reposted anew: the repost is taken back, and made again

	VerbDeleteMessage Verb = "delete_message" // Message of the conversation with Peer is gone
	VerbDeletePost    Verb = "delete_post"    // Post is gone

	// VerbBooks does nothing on the platform: it stands for what waits for an approval and concerns nobody but us. It is
	// held, and done with the approval.
	VerbBooks Verb = "books"
)

// Toggle reports whether the verb's call takes its effect back when repeated.
func (v Verb) Toggle() bool {
	return v == VerbLike || v == VerbRepost || v == VerbFollow || v == VerbRenew
}

// Makes reports whether the verb's call makes something new with an id: repeated, it makes another one.
func (v Verb) Makes() bool { return v == VerbMessage || v == VerbPost }

// State is where an action stands.
type State string

// The states of an action. Done, refused, withdrawn and dead are final.
const (
	StateDue       State = "due"       // decided, waits for its time or its place
	StateSending   State = "sending"   // may have left; after a crash it is in doubt
	StateInDoubt   State = "unsure"    // left, and the answer did not arrive; people and programs see in_doubt, see String
	StateDone      State = "done"      // the platform shows the wished result
	StateRefused   State = "refused"   // the platform said no
	StateHeld      State = "held"      // waits for a person
	StateWithdrawn State = "withdrawn" // taken back before it left
	StateDead      State = "dead"      // given up
)

// String returns the state as people and programs see it. That is its value, but for StateInDoubt, which is stored under an older word.
func (s State) String() string {
	if s == StateInDoubt {
		return "in_doubt"
	}
	return string(s)
}

// Final reports whether an action in this state never changes again by itself.
func (s State) Final() bool {
	return s == StateDone || s == StateRefused || s == StateWithdrawn || s == StateDead
}

// Priority orders actions of one account that wait for the pace.
type Priority uint8

// The priorities, first served first.
const (
	Answer    Priority = iota // an answer to somebody
	Scheduled                 // something planned
	Broadcast                 // something sent to many
)

// Action is one thing to do on the platform, stated as the wished result.
type Action struct {
	Key      string // "trigger/route/n", or "name:" and a name: stable, so that a turn committed twice adds nothing
	Account  Account
	Peer     platform.UserID // the conversation it belongs to
	Verb     Verb
	Text     string
	Private  bool // the text is not shown where people look at actions
	Post     platform.PostID
	User     platform.UserID    // whom to follow
	Message  platform.MessageID // which one to delete
	Want     bool               // the wished state of a toggle
	Priority Priority
	State    State
	Due      time.Time // earliest departure; zero: at once
	// Delay is how long after its decision Due was; 0 when Due is a time of day. A store does not tell it.
	Delay time.Duration
	Until time.Time // latest departure: what has not left by then is withdrawn; zero: it may leave at any time
	// Apart is the least time between this publication and any other one, where the account's publishing is limited; 0: the
	// account's own least time.
	Apart time.Duration
	// Position is the place in the conversation's order: given when the action is decided, and anew
	// when it is released later.
	Position int64
	// ReconcileFrom is the last id known on the platform before the request left: what the action
	// produced has a higher one. Below 0 it stands for what the chat list showed then, where messages
	// cannot be read. Of a renewal it is 0 as long as its repost has not been taken back.
	ReconcileFrom int64
	Result        int64 // id of the message or post it produced, or of one that may be it when it is held; 0 for the other verbs, and while nobody knows it
	Tries         int
	Rule          string    // the rule that decided it, or several with ", " between them; "" for none
	Stale         time.Time // when it is too late for what it is about: a pause that lasts until then ends in its withdrawal; zero for never
	Reason        string    // why it was refused, held, withdrawn or given up, for people
	Why           Reason    // the same for programs; "" where only Reason says it
	DecidedAt     time.Time // when the turn was committed; of what was held, and is released, the turn that released it
	LeftAt        time.Time // when it was last marked as sending
	EndedAt       time.Time
}

// Target returns what a store keeps of User and Message in one place: no verb has both.
func (a *Action) Target() int64 {
	if a.Verb == VerbDeleteMessage {
		return int64(a.Message)
	}
	return int64(a.User)
}

// SetTarget sets what Target returns. Verb must be set.
func (a *Action) SetTarget(id int64) {
	if a.Verb == VerbDeleteMessage {
		a.Message = platform.MessageID(id)
		return
	}
	a.User = platform.UserID(id)
}

// Conversation names the action's conversation.
func (a Action) Conversation() Key { return Key{a.Account, a.Peer} }

// namedKey begins the key of an action that has a name in the place of its trigger and its number.
const namedKey = "name:"

// NamedKey returns the key of an action that has a name.
func NamedKey(name string) string { return namedKey + name }

// IsNamed reports whether a key is made of a name.
func IsNamed(key string) bool { return strings.HasPrefix(key, namedKey) }

// Name returns the name that the action's key is made of; false when it is made of its trigger.
func (a *Action) Name() (string, bool) { return strings.CutPrefix(a.Key, namedKey) }
