package bot

import (
	"context"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// Matcher decides whether a turn is for a route, and narrows what started it to the type that the
// route's handler gets. The zero Matcher matches nothing.
type Matcher[E any] struct {
	kinds   []event.Kind // that it can match; the router asks for no others
	match   func(ctx context.Context, t *Turn) (E, bool)
	named   func(name string) bool   // of timers, nudges and what people ask for: the names that it can match; nil for any
	started string                   // the nudge that begins with each start; "" for none
	starts  func(event.Account) bool // of which accounts; nil for all
	warned  string                   // the nudge that begins with each warning; "" for none
	warns   func(event.Account) bool // of which accounts; nil for all
}

// NewMatcher makes a matcher for events of the given kinds. match must depend on the turn alone.
func NewMatcher[E any](match func(ctx context.Context, t *Turn) (E, bool), kinds ...event.Kind) Matcher[E] {
	return Matcher[E]{kinds: kinds, match: match}
}

// Condition is what a matcher can also ask for, whatever the type.
type Condition func(ctx context.Context, t *Turn) bool

// If narrows a matcher: all conditions must hold too.
func (m Matcher[E]) If(conditions ...Condition) Matcher[E] {
	match := m.match
	m.match = func(ctx context.Context, t *Turn) (E, bool) {
		e, ok := match(ctx, t)
		if !ok {
			return e, false
		}
		for _, c := range conditions {
			if !c(ctx, t) {
				return e, false
			}
		}
		return e, true
	}
	return m
}

// Where narrows a matcher by what it matched.
func (m Matcher[E]) Where(holds func(e E) bool) Matcher[E] {
	match := m.match
	m.match = func(ctx context.Context, t *Turn) (E, bool) {
		e, ok := match(ctx, t)
		return e, ok && holds(e)
	}
	return m
}

// AnyMessage matches every private message.
func AnyMessage() Matcher[event.Message] { return narrow(event.Event.Message, event.KindMessage) }

// AnyMention matches every post that mentions the account.
func AnyMention() Matcher[event.Mention] { return narrow(event.Event.Mention, event.KindMention) }

// AnyReply matches every reply to a post of the account.
func AnyReply() Matcher[event.Reply] { return narrow(event.Event.Reply, event.KindReply) }

// AnyLike matches every like of a post of the account.
func AnyLike() Matcher[event.Like] { return narrow(event.Event.Like, event.KindLike) }

// AnyRepost matches every repost of a post of the account.
func AnyRepost() Matcher[event.Repost] { return narrow(event.Event.Repost, event.KindRepost) }

// AnyFollow matches every new follower.
func AnyFollow() Matcher[event.Follow] { return narrow(event.Event.Follow, event.KindFollow) }

// AnyFollowRequest matches everybody who asks to follow the account.
func AnyFollowRequest() Matcher[event.FollowRequest] {
	return narrow(event.Event.FollowRequest, event.KindFollowRequest)
}

// AnyOther matches notifications of a subject that has no type of its own.
func AnyOther() Matcher[event.Other] {
	return narrow(event.Event.Other, event.KindOther, event.KindVisit, event.KindFollowAccept)
}

// AnyEvent matches every event.
func AnyEvent() Matcher[event.Event] {
	return narrow(func(e event.Event) (event.Event, bool) { return e, true },
		event.KindMessage, event.KindMention, event.KindReply, event.KindLike, event.KindRepost, event.KindFollow,
		event.KindFollowRequest, event.KindFollowAccept, event.KindVisit, event.KindOther)
}

func narrow[E any](f func(event.Event) (E, bool), kinds ...event.Kind) Matcher[E] {
	return NewMatcher(func(_ context.Context, t *Turn) (E, bool) { return f(t.Event) }, kinds...)
}

// Timers, nudges and what people ask for are routed like events, under kinds that no event has.
const (
	kindTimer event.Kind = "timer"
	kindNudge event.Kind = "nudge"
	kindTold  event.Kind = "told"
)

// Timer matches a timer of the conversation that was set under this name.
func Timer(name string) Matcher[event.Timer] {
	return timersNamed(func(timer string) bool { return timer == name })
}

// Timers matches timers of the conversation whose names begin with prefix.
func Timers(prefix string) Matcher[event.Timer] {
	return timersNamed(func(timer string) bool { return strings.HasPrefix(timer, prefix) })
}

// timersNamed matches timers by their names, and says which.
func timersNamed(named func(timer string) bool) Matcher[event.Timer] {
	m := NewMatcher(func(_ context.Context, t *Turn) (event.Timer, bool) {
		return t.Trigger.Timer, named(t.Trigger.Timer.Name)
	}, kindTimer)
	m.named = named
	return m
}

// Nudged matches nudges of a name, in the account's own conversation; see Bot.Nudge. The name begins with the plugin's.
func Nudged(name string) Matcher[event.Nudge] {
	m := NewMatcher(func(_ context.Context, t *Turn) (event.Nudge, bool) {
		n := t.Trigger.Nudge
		if n == nil || n.Name != name {
			return event.Nudge{}, false
		}
		return *n, true
	}, kindNudge)
	m.named = func(nudge string) bool { return nudge == name }
	return m
}

// Started matches the turn that the bot begins with each start in the own conversation of each of its accounts: a nudge of
// that name. It comes with each start anew, whatever became of the one before. The name begins with the plugin's, and is for
// one route alone: of several that match, the first has the turn.
func Started(name string) Matcher[event.Nudge] {
	m := Nudged(name)
	m.started = name
	return m
}

// StartedFor is Started for the accounts that has is true of, which is asked with each start: the others have no such turn.
func StartedFor(name string, has func(account event.Account) bool) Matcher[event.Nudge] {
	m := Started(name)
	m.starts = has
	return m
}

// Asked matches what a person asks of the program with a subject, in the account's own conversation; see event.WishTell. The
// subject begins with the plugin's name. What the person is told is the turn's note; see Turn.Note. With
// Turn.Conclude(OutcomeObsolete) it says why it could not be done.
func Asked(subject string) Matcher[event.Told] {
	m := NewMatcher(func(_ context.Context, t *Turn) (event.Told, bool) {
		q := t.Trigger.Request
		if q == nil || q.Wish != event.WishTell || q.Subject != subject {
			return event.Told{}, false
		}
		return toldBy(q), true
	}, kindTold)
	m.named = func(asked string) bool { return asked == subject }
	return m
}
