package event

import (
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Wish says what a person asks for.
type Wish string

// The wishes. Their values are stored; they never change.
const (
	WishRetry    Wish = "retry"     // quarantined events and timers get their turn again, late
	WishRelease  Wish = "release"   // a held action leaves, at the end of its order
	WishInsist   Wish = "insist"    // so does one over which somebody of ours has written to the person meanwhile
	WishDrop     Wish = "drop"      // a held action is withdrawn
	WishWithdraw Wish = "recall"    // an action that is due, and has not left, is withdrawn
	WishTakeOver Wish = "take-over" // the bot is silent in the conversation
	WishGiveBack Wish = "give-back" // the bot speaks again
	WishEdit     Wish = "edit"      // a held action leaves with another text
	WishResume   Wish = "resume"    // the account goes on that has stopped because of another bot; Key has no peer
	WishReread   Wish = "reread"    // events that the platform shows and nobody knows are read from it again
	WishForget   Wish = "forget"    // what is kept of a person is deleted
	WishPause    Wish = "pause"     // nothing of the account leaves, or of a rule: Action; Key has no peer
	WishGoOn     Wish = "go-on"     // that is over
	WishHeed     Wish = "heed"      // a person who was left alone is not any more
	WishDone     Wish = "done"      // what a person wrote is dealt with: the person waits for nobody until the next message
	WishAck      Wish = "ack"       // somebody of ours sees to a person who waits: nobody else is called about it for now
	WishLater    Wish = "later"     // the person waits for nobody until a time, or until the next message
	WishSay      Wish = "say"       // Text is said to a person, and the conversation is a person's; or see Subject
	WishTell     Wish = "tell"      // a route of the program is told something: Subject and Text; Key has no peer
	WishDeliver  Wish = "deliver"   // a delivery for the conversation; see Delivery.Request

	SayAnyway = "anyway" // the Subject of WishSay that says it also to somebody who has asked for silence
)

// Request is what a person asks the bot to do about what it keeps. It waits in the store until the
// bot takes it up, and takes effect once, as a turn of its conversation.
type Request struct {
	Key    Key
	Number int64 // grows within an account and never comes again; given when the request is stored
	Wish   Wish
	Events []ID     // WishRetry: which; no event and no timer for all that is quarantined in the conversation. WishReread: which
	Timers []string // WishRetry: which, by the ids of their occurrences; see Timer.ID
	Action string   // WishRelease, WishInsist, WishDrop, WishEdit, WishWithdraw: the key of the action. WishPause, WishGoOn: the rule, "" for the whole account
	Text   string   // WishEdit: what is said instead. WishTell: what its route is told; "" for no more than Subject. WishDeliver: its data
	// Subject is, for WishTell, the name of the route that is told, and for WishDeliver that of the delivery; it begins with the name of its plugin. For WishSay it is SayAnyway, or
	// the id of a broadcast: then Text is the broadcast in JSON, "" stops it, and Until is its time.
	Subject string
	Owner   string // WishTakeOver: the person or team that has the conversation from then on
	// Until is, for WishTakeOver, when the bot speaks again by itself, zero for never; for WishLater the time; for WishForget since when rows are
	// being deleted, zero before that.
	Until   time.Time
	Ignore  bool // WishForget: the bot leaves the person alone from then on
	AskedAt time.Time
	By      string // who asks for it; "" when nobody said so
}

// Request asks the bot that has the account to deliver it; for programs that are not that bot. The errors are those of Event.
func (d Delivery) Request() (Request, error) {
	e, err := d.Event(time.Time{})
	return Request{Key: d.To, Wish: WishDeliver, Subject: d.Name, Text: e.Text}, err
}

// Delivery returns what is to be delivered; false when it is none that can be read.
func (r *Request) Delivery() (Delivery, bool) {
	return Event{Account: r.Key.Account, Peer: r.Key.Peer, Kind: KindDelivery, Text: r.Text, Subject: platform.Subject(r.Subject)}.Delivery()
}

// Retries reports whether an event, or an occurrence of a timer, is to have its turn again; id is as people write it.
func (r *Request) Retries(id string) bool {
	if r.Wish != WishRetry {
		return false
	}
	return len(r.Events)+len(r.Timers) == 0 || slices.Contains(r.Timers, id) ||
		slices.ContainsFunc(r.Events, func(e ID) bool { return e.String() == id })
}

// Trigger returns what starts the request's turn.
func (r Request) Trigger() Trigger {
	return Trigger{Kind: ByRequest, Key: r.Key, Choice: fmt.Sprintf("request/%016d", r.Number), Request: &r}
}
