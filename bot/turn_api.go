package bot

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Limits of texts, in characters (documented; a deployment may have others).
const (
	MaxMessage = 3000
	MaxPost    = 600
)

// Outcomes of a turn, as its decision record shows them.
const (
	OutcomeHandled   = store.Handled
	OutcomeUnmatched = "unmatched"  // no route matched
	OutcomeLate      = "late"       // too old to be answered
	OutcomeFailed    = "failed"     // a try that failed
	OutcomeOwned     = "owned"      // a person has the conversation
	OutcomeNotSaid   = "not said"   // a person was not told what many are; the reason says why
	OutcomeOurselves = "ourselves"  // the peer is an account of this bot
	OutcomeLeftAlone = "left alone" // the person has asked for silence

	OutcomeForgotten = store.Forgotten // the person was forgotten before its turn, or since
	OutcomeIgnored   = store.LeftAlone // the person is left alone
)

// Turn is the handling of one trigger. A handler reads it and collects actions on it; nothing is sent
// before the turn is committed. It belongs to one goroutine and ends with the handler.
type Turn struct {
	Trigger event.Trigger
	Event   event.Event // what happened; zero for timers
	// Conversation is the conversation as the turn found it, with what the turn has changed so far.
	Conversation conversation.State
	Now          time.Time

	reader     *reader
	actions    []record.Action
	timers     []event.Timer
	facts      []event.Fact
	known      map[string]event.Fact
	fresh      bool   // no try before it
	unheard    string // why there is no handler, as an outcome; "" when there is one
	ignore     *bool  // whether the peer is left alone from now on; nil: as before
	changed    bool   // the conversation
	route      string
	withdraw   string        // why what has not been sent is taken back
	retries    []event.Event // quarantined ones that wait for their turn again
	rings      []event.Timer // the same of timers
	rec        event.DecisionRecord
	words      *wordList // of the event's text, once somebody asked
	failed     error
	mute       bool          // a route looks on, which may act nowhere
	leaves     bool          // its handler has taken note of it, and leaves it to others
	pauses     *Pauses       // what is paused; nil for nothing
	minds      bool          // the route looks at pauses itself
	denied     []string      // limits that were denied to the turn before
	values     []usedValue   // of the account
	handler    HandlerFunc   // set by a guard; nil: the router's
	found      found         // as the guards have left it
	try        int           // counted from 1
	last       bool          // the try
	stored     []func()      // what to call once it is stored
	withheld   event.Reason  // why nothing is said that a delivery's turn decides; "" when it may be
	unanswered bool          // nobody was to answer it: what is decided all the same is only recorded
	ended      string        // the key of what was held, and a program has ended
	concern    *concern      // set by an engine; nil: what its event says
	wait       store.Wait    // what it means for who waits; zero: see waitEffect
	before     []*store.Turn // earlier turns of the lane that are on their way, as far as they matter
	decisions
	forEngines
}

// Text returns the text of the event, "" when it has none.
func (t *Turn) Text() string {
	if t.isDelivery() { // what is stored there is for its handler
		return ""
	}
	return t.Event.Text
}

// Peer returns the other person.
func (t *Turn) Peer() event.Peer {
	p := event.Peer{ID: t.Trigger.Key.Peer, Name: t.Conversation.Name, User: t.Conversation.User}
	return p
}

// Reply answers where the event was said: a message with a message, a mention or a reply with a
// public reply to that post. Events that say nothing are answered with a message.
func (t *Turn) Reply(text string, options ...Option) error {
	if (t.Event.Kind == event.KindMention || t.Event.Kind == event.KindReply) && t.Event.Post != 0 {
		return t.postText(text, t.Event.Post, options)
	}
	return t.Message(text, options...)
}

// Message sends the peer a private message. Longer texts than MaxMessage become several messages, cut
// between words.
func (t *Turn) Message(text string, options ...Option) error {
	if err := t.withPerson("send a message"); err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return Permanent(errors.New("a message needs a text"))
	}
	for _, part := range split(text, MaxMessage) {
		t.addAction(event.Action{Verb: event.VerbMessage, Text: part, ReconcileFrom: t.seenMessageID()}, options)
	}
	return nil
}

// Publish publishes a post of the account.
func (t *Turn) Publish(text string, options ...Option) error { return t.postText(text, 0, options) }

func (t *Turn) postText(text string, thread platform.PostID, options []Option) error {
	if n := utf8.RuneCountInString(text); n > MaxPost || strings.TrimSpace(text) == "" {
		return Permanent(fmt.Errorf("a post needs a text of 1 to %d characters, this one has %d", MaxPost, n))
	}
	t.addAction(event.Action{Verb: event.VerbPost, Text: text, Post: thread, ReconcileFrom: int64(thread)}, options)
	return nil
}

// Like wishes that a post is liked. It is never liked twice, which would take the like back.
func (t *Turn) Like(post platform.PostID, options ...Option) {
	t.addAction(event.Action{Verb: event.VerbLike, Post: post, Want: true}, options)
}

// Unlike wishes that a post is not liked.
func (t *Turn) Unlike(post platform.PostID, options ...Option) {
	t.addAction(event.Action{Verb: event.VerbLike, Post: post}, options)
}

// Repost wishes that a post is reposted.
func (t *Turn) Repost(post platform.PostID, options ...Option) {
	t.addAction(event.Action{Verb: event.VerbRepost, Post: post, Want: true}, options)
}

// Unrepost wishes that a post is not reposted.
func (t *Turn) Unrepost(post platform.PostID, options ...Option) {
	t.addAction(event.Action{Verb: event.VerbRepost, Post: post}, options)
}

// Renew wishes that a post that is reposted is reposted anew: the repost is taken back, and made again, so that the post is
// shown as a new one. Once it was taken back, it is made again in any case: neither a latest departure nor a pause
// stops that. A post that is not reposted stays so, and the action is withdrawn.
func (t *Turn) Renew(post platform.PostID, options ...Option) {
	t.addAction(event.Action{Verb: event.VerbRenew, Post: post, Want: true}, options)
}

// Follow wishes that the account follows the peer. A private peer is asked, once.
func (t *Turn) Follow(options ...Option) {
	if !t.failWithoutPerson("follow the peer") {
		t.addAction(event.Action{Verb: event.VerbFollow, User: t.Trigger.Key.Peer, Want: true}, options)
	}
}

// Unfollow wishes that the account does not follow the peer.
func (t *Turn) Unfollow(options ...Option) {
	if !t.failWithoutPerson("unfollow the peer") {
		t.addAction(event.Action{Verb: event.VerbFollow, User: t.Trigger.Key.Peer}, options)
	}
}

// DeleteMessage wishes that a message is gone from the account's side of the conversation. One that is
// not there is.
func (t *Turn) DeleteMessage(id platform.MessageID, options ...Option) {
	if !t.failWithoutPerson("delete a message") {
		t.addAction(event.Action{Verb: event.VerbDeleteMessage, Message: id}, options)
	}
}

// DeletePost wishes that a post or reply of the account is gone. One that is not there is.
func (t *Turn) DeletePost(id platform.PostID, options ...Option) {
	t.addAction(event.Action{Verb: event.VerbDeletePost, Post: id}, options)
}

// After sets a timer of the conversation: after d a turn begins for the route that matches
// Timer(name), also when the bot was restarted meanwhile, or the clock was set back. A timer of the same name
// is replaced. data is what the timer keeps for that turn, in JSON.
func (t *Turn) After(d time.Duration, name string, data ...byte) {
	if t.namesOwnTimer(name) {
		return
	}
	t.waitFor(d, name, data)
}

// waitFor is After for names of any kind.
func (t *Turn) waitFor(d time.Duration, name string, data []byte) {
	t.setTimer(name, t.Now.Add(max(d, 1)), data)
	t.timers[len(t.timers)-1].Set = t.Now
}

// namesOwnTimer fails a turn that sets or cancels a timer under a name that a flow or the bot itself sets.
func (t *Turn) namesOwnTimer(name string) bool {
	owner := ownerOfTimer(name)
	if owner != "" && t.failed == nil {
		t.failed = Permanent(fmt.Errorf("the timer %q has a name that is kept for %s: begin it with the name of your plugin", name, owner))
	}
	return owner != ""
}

// ownerOfTimer says for whom the names of timers like this one are kept; "" for everybody.
func ownerOfTimer(name string) string {
	switch {
	case strings.HasPrefix(name, flowTimers):
		return "flows"
	case strings.HasPrefix(name, ownTimers):
		return "the bot"
	}
	return ""
}

// Cancel takes a timer back.
func (t *Turn) Cancel(name string) {
	if !t.namesOwnTimer(name) {
		t.setTimer(name, time.Time{}, nil)
	}
}

func (t *Turn) setTimer(name string, due time.Time, data []byte) {
	occurrence := max(t.Now.UnixMicro(), t.Trigger.Timer.Occurrence+1) // never that of the timer that fired
	t.timers = append(t.timers, event.Timer{Key: t.Trigger.Key, Name: name, Occurrence: occurrence, Due: due, Data: data})
}

// Label adds a label to the conversation.
func (t *Turn) Label(label string) {
	if !t.failWithoutPerson("label the peer") {
		t.changed = t.Conversation.AddLabel(label) || t.changed
	}
}

// Unlabel removes a label.
func (t *Turn) Unlabel(label string) { t.changed = t.Conversation.RemoveLabel(label) || t.changed }

// Handoff gives the conversation to a person or team: the bot's routes stay silent in it until it is
// given back; see HandoffFor. An empty name means anybody.
func (t *Turn) Handoff(to string) {
	switch {
	case t.failWithoutPerson("hand the conversation to somebody"):
		return
	case t.Trigger.Key.Own(): // an event of nobody: the account's own turns go on
		t.Note("%s gets nothing: %v", to, ErrNoPerson)
		return
	case to == "":
		to = "person"
	}
	if t.Conversation.Owner != "" {
		t.setTimer(takebackTimer, time.Time{}, nil) // of the person who had it before
	}
	t.setOwner(to, 0)
}

// HandoffFor is Handoff for a while: the bot speaks again by itself after d in which the person or team has
// not written.
func (t *Turn) HandoffFor(to string, d time.Duration) {
	t.Handoff(to)
	if !t.Trigger.Key.Own() {
		t.Conversation.OwnerFor = d
		t.waitFor(d, takebackTimer, nil)
	}
}

// setOwner gives the conversation to somebody.
func (t *Turn) setOwner(owner string, silent time.Duration) {
	c := &t.Conversation
	c.Owner, c.OwnerSince, c.OwnerFor, t.changed = owner, t.Now, silent, true
	if owner == "" {
		c.OwnerSince = time.Time{}
	}
}

// TakeBack gives the conversation to the bot again.
func (t *Turn) TakeBack() {
	if t.Conversation.Owner != "" {
		t.setOwner("", 0)
		if t.Trigger.Timer.Name != takebackTimer {
			t.setTimer(takebackTimer, time.Time{}, nil)
		}
	}
}

// Note leaves a line in the turn's decision record for the person who asks why.
func (t *Turn) Note(format string, args ...any) {
	note := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	if t.rec.Note != "" {
		note = t.rec.Note + "; " + note
	}
	t.rec.Note = note
}

// addAction collects an action.
func (t *Turn) addAction(a event.Action, options []Option) {
	a.Account, a.Peer = t.Trigger.Key.Account, t.Trigger.Key.Peer
	a.Key = t.Trigger.ID() + "/" + t.route + "/" + strconv.Itoa(len(t.actions))
	if t.mute && a.Verb != event.VerbBooks && t.failed == nil { //mutate:mute
		t.failed = errOwned
	}
	x := record.Action{Action: a}
	for _, o := range options {
		if o != nil { // an option that somebody leaves out by a condition
			o(t, &x)
		}
	}
	if x.State == "" && a.Verb == event.VerbMessage && t.Conversation.Unreachable.After(t.Now) {
		outbox.ChangeState(&x.Action, event.StateWithdrawn)
		reason.Set(&x.Action, event.Because(reason.Unreachable))
		x.EndedAt = t.Now
	}
	if x.State == "" && isOver(x.Until, t.Now) {
		outbox.ChangeState(&x.Action, event.StateWithdrawn)
		reason.Set(&x.Action, reason.TooLate(x.Until))
		x.DecidedAt, x.EndedAt = t.Now, t.Now
	}
	t.willExpire(&x)
	t.actions = append(t.actions, x)
}

// seenMessageID returns a message id of the conversation that is known to be on the platform; 0 for none.
func (t *Turn) seenMessageID() int64 {
	if t.Event.ID.Source == event.Messages {
		return t.Event.ID.Number
	}
	return 0
}

// split cuts a text into parts of at most limit characters, between words where there are any.
func split(text string, limit int) []string {
	var parts []string
	for utf8.RuneCountInString(text) > limit {
		cut := 0
		for i := range text {
			if limit--; limit < 0 {
				break
			}
			cut = i
		}
		limit = MaxMessage
		if space := strings.LastIndexAny(text[:cut], " \n\t"); space > cut/2 {
			cut = space
		}
		parts = append(parts, strings.TrimRight(text[:cut], " \n\t"))
		text = strings.TrimLeft(text[cut:], " \n\t")
	}
	return append(parts, text)
}
