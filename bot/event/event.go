package event

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Source is a list that events are read from. Within a source, events are ordered by number.
type Source uint8

// The sources. Their values are stored; they never change.
const (
	Messages  Source = 1 // private messages, numbered by message id
	Notifs    Source = 2 // notifications, numbered by notification id
	Mentions  Source = 3 // mentions, numbered by notification id
	Snapshots Source = 4 // chat list rows where get_messages is missing, numbered by a hash

	Deliveries Source = 5 // no list: what the program delivers, numbered by a hash; see Delivery
)

var sourceNames = map[Source]string{Messages: "message", Notifs: "notif", Mentions: "mention", Snapshots: "chat", Deliveries: "delivery"}

// HasOrder reports whether a later event of the source has a higher number.
func (s Source) HasOrder() bool { return s != Snapshots && s != Deliveries }

// String returns the source's name as it stands in an event's id.
func (s Source) String() string {
	if n, ok := sourceNames[s]; ok {
		return n
	}
	return "source" + strconv.Itoa(int(s))
}

// ID names an event within its account, for ever: "message:501", "notif:77".
type ID struct {
	Source Source
	Number int64
}

// String returns the id as people read and type it.
func (id ID) String() string { return id.Source.String() + ":" + strconv.FormatInt(id.Number, 10) }

// ParseID reads what String writes.
func ParseID(text string) (ID, error) {
	name, number, ok := strings.Cut(text, ":")
	if ok {
		for s, n := range sourceNames {
			if n != name {
				continue
			}
			if v, err := strconv.ParseInt(number, 10, 64); err == nil {
				return ID{s, v}, nil
			}
		}
	}
	return ID{}, fmt.Errorf("%q is no event id: write it like message:501, notif:77 or mention:88", text)
}

// Kind says what happened.
type Kind string

// The kinds of event.
const (
	KindMessage       Kind = "message"
	KindMention       Kind = "mention"
	KindReply         Kind = "reply"
	KindLike          Kind = "like"
	KindRepost        Kind = "repost"
	KindFollow        Kind = "follow"
	KindFollowRequest Kind = "follow_request"
	KindFollowAccept  Kind = "follow_accept"
	KindVisit         Kind = "visit"
	KindDelivery      Kind = "delivery"  // no platform tells of it; see Delivery
	KindOther         Kind = "other"     // an unknown subject, kept raw
	KindSame          Kind = "same"      // what asks for nothing: it was there before, Subject says as what
	KindForgotten     Kind = "forgotten" // somebody did it who was forgotten before its turn, or is ignored: what it was is not kept
)

// Event is one thing that happened on the platform, seen once.
type Event struct {
	Account Account
	ID      ID
	Kind    Kind
	Peer    platform.UserID
	Name    string // the peer's name as shown, perhaps empty
	User    string // the peer's user name without "@", perhaps empty
	Text    string // a message's text; for mentions and replies the post's, once it was read
	Image   string // address of a message's picture
	Post    platform.PostID
	Subject platform.Subject // the raw subject of a notification
	SeenAt  time.Time        // when the poll saw it
	// NotBefore is the last good poll of the source before this one: the event is younger than that.
	// Zero when there was none.
	NotBefore time.Time
	SaidAt    time.Time // when it was said at the earliest, as the platform tells it; zero where it does not
}

// Key names the event's conversation.
func (e Event) Key() Key { return Key{e.Account, e.Peer} }

// IsAnother reports whether the event is about another post and person than one that has the same id.
func (e *Event) IsAnother(old *Event) bool {
	return e.Peer != 0 && old.Peer != 0 && e.Peer != old.Peer && e.Post != old.Post
}

// Age returns how old the event can be at most at now, by the steady clock or by the wall clock, the larger of the two; 0 when there was no
// earlier poll. The platform's own time of the event counts only between that poll and the one that saw the event.
func (e Event) Age(now time.Time) time.Duration {
	if e.NotBefore.IsZero() {
		return 0
	}
	since := e.NotBefore
	if e.SaidAt.After(since) { //mutate:said-at
		if since = e.SaidAt; since.After(e.SeenAt) && !e.SeenAt.IsZero() { //mutate:said-seen
			since = e.SeenAt
		}
	}
	// The steady clock stands still while a machine sleeps; the other one may be set back. Set forward, it makes what was read over that moment look
	// old: a late answer is worse than none.
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}
