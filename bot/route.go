package bot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
)

// Handler handles a turn: it reads the event and the conversation and collects actions. It may run
// again after a crash or an error; only its collected actions take effect, once.
//
// An error, or a panic, makes the turn not happen; it is tried again, at most five times within two
// minutes.
type Handler interface {
	Handle(ctx context.Context, t *Turn) error
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(ctx context.Context, t *Turn) error

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, t *Turn) error { return f(ctx, t) }

// Middleware wraps a handler: it sees the turn before and after it, and decides whether it runs.
//
// Middleware of a bot goes around every turn that is not the bot's own affair: also one that no route matches, that comes too late, whose person has asked for
// silence or is with a person of ours, and of an account that is paused. It is called before matchers are asked, so Turn.Route is
// known only behind next, and so is what becomes of the turn: see Turn.Outcome. What it puts into the context reaches matchers, conditions, handlers and flows.
// Where nobody was to answer, what it decides to do on the platform is recorded and does not leave; values, timers and notes are kept. Around a route (Route.With,
// Group) it goes around the turns that the route is offered, and sees Decline as its handler's error. It is not called for what people of ours decide, nor for who is ignored or forgotten, an account
// of this bot, and timers that are put off.
type Middleware func(next Handler) Handler

// DefaultMaxAge is how old an event may be to be still answered. Older ones, after a long outage, are
// recorded and not handled.
const DefaultMaxAge = 6 * time.Hour

// Route pairs a matcher with a handler. Routes are asked by Order, then Name; the first that matches
// handles the event.
type Route struct {
	// Name is unique within a bot. It is part of the keys of the actions that the route decides:
	// renaming a route while turns are under way may repeat them.
	Name string
	// Order is asked first when lower. Defaults to 0.
	Order int
	// MaxAge is how old an event may be. Defaults to DefaultMaxAge, and to no limit for deliveries; below 0 there is none.
	MaxAge time.Duration

	kinds   []event.Kind
	prompt  []string                 // names of timers, see AtOnce
	named   func(name string) bool   // see Matcher
	started string                   // see Started; "" for none
	starts  func(event.Account) bool // see StartedFor; nil for all
	warned  string                   // see WarnedFor; "" for none
	warns   func(event.Account) bool // see WarnedFor; nil for all
	match   func(ctx context.Context, t *Turn) (Handler, bool)
	wraps   []Middleware
	routeWays
}

// routeWays is what a route holds for engine.Route.
type routeWays = hook.Door[hook.Ways]

func (r *Route) ways() hook.Ways { return hook.GetBehind(&r.routeWays) }

// On makes a route: what m matches goes to handle.
func On[E any](name string, m Matcher[E], handle func(ctx context.Context, t *Turn, e E) error) Route {
	return Route{
		Name: name, kinds: m.kinds, named: m.named, started: m.started, starts: m.starts, warned: m.warned, warns: m.warns,
		match: func(ctx context.Context, t *Turn) (Handler, bool) {
			e, ok := m.match(ctx, t)
			if !ok {
				return nil, false
			}
			return HandlerFunc(func(ctx context.Context, t *Turn) error { return handle(ctx, t, e) }), true
		},
	}
}

// Ordered returns the route with another order.
func (r Route) Ordered(order int) Route {
	r.Order = order
	return r
}

// Within returns the route with another MaxAge.
func (r Route) Within(age time.Duration) Route {
	r.MaxAge = age
	return r
}

// AtOnce returns the route with timers, whose names begin with one of prefixes, that judge nobody's silence: their turns
// come when they are due. Every other timer of a conversation waits until what the person may have written before has
// been read, which after an outage takes until the next good poll.
func (r Route) AtOnce(prefixes ...string) Route {
	r.prompt = slices.Concat(r.prompt, prefixes)
	return r
}

// With returns the route with its handler wrapped. The first middleware is the outermost.
func (r Route) With(wraps ...Middleware) Route {
	r.wraps = slices.Concat(wraps, r.wraps)
	return r
}

// Group names routes "name/route" and wraps all of them.
func Group(name string, wraps []Middleware, routes ...Route) []Route {
	out := make([]Route, len(routes))
	for i, r := range routes {
		r.Name = name + "/" + r.Name
		out[i] = r.With(wraps...)
	}
	return out
}

func (r *Route) tooOld(t *Turn) bool {
	limit := r.MaxAge
	if limit == 0 && !t.isDelivery() { // nobody waits for an answer: what was delivered is no worse for its age
		limit = DefaultMaxAge
	}
	return limit > 0 && t.Trigger.Kind == event.ByEvent && !t.Trigger.Late && t.Event.Age(t.Now) > limit
}

func wrap(h Handler, wraps []Middleware) Handler {
	for _, w := range slices.Backward(wraps) {
		h = w(h)
	}
	return h
}

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

// Condition is what a matcher of any type can also ask for.
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
// that name. It comes with each start anew, also when the one before failed. The name begins with the plugin's, and is for
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

// Flow leads a conversation through states; D is what it remembers on the way.
type Flow[D any] = conversation.Flow[*Turn, D]

// What a Flow is made of; see package conversation.
type (
	FlowDefinition[D any] = conversation.Definition[*Turn, D]
	FlowState[D any]      = conversation.FlowState[*Turn, D]
	FlowTransition[D any] = conversation.Transition[*Turn, D]
	Reminder[D any]       = conversation.Reminder[*Turn, D]
)

// NewFlow checks the definition and makes the flow. The name is stored with each conversation and
// must stay the same.
func NewFlow[D any](name string, def FlowDefinition[D]) (*Flow[D], error) {
	return conversation.NewFlow[*Turn, D](name, def)
}

// MustFlow is NewFlow for a program's own flows: it panics when the definition is wrong.
func MustFlow[D any](name string, def FlowDefinition[D]) *Flow[D] {
	return conversation.MustFlow[*Turn, D](name, def)
}

// StartFlow begins a flow in the turn's conversation, in place of the one it stands in.
func StartFlow[D any](ctx context.Context, t *Turn, f *Flow[D], data D) error {
	if err := t.withPerson("start a flow"); err != nil {
		return err
	}
	t.endFlow()
	in, effects, err := f.Start(ctx, t, data, t.Now)
	if err != nil {
		return err
	}
	t.applyEffects(f, in, effects)
	return nil
}

// flowInput gives the event to the flow; it reports whether the flow let it pass.
func (t *Turn) flowInput(ctx context.Context, m Machine) (passed bool, err error) {
	in, effects, err := m.Input(ctx, t, t.Conversation.Flow, t.Now)
	if err != nil {
		return false, err
	}
	t.applyEffects(m, in, effects)
	return effects.Outcome == conversation.Passed || effects.Outcome == conversation.Orphaned, nil
}

// flowDue tells a flow that its timer fired.
func (t *Turn) flowDue(ctx context.Context, m Machine) error {
	t.route = t.Trigger.Timer.Name
	in := t.Conversation.Flow
	if m == nil || in.Flow != m.Name() {
		t.Note("the timer of a flow that the conversation has left")
		return nil
	}
	// The timer knows better: it was set with the state, and pulled in when the clock was set back since.
	if set := t.Trigger.Timer.Set; !set.IsZero() && in.Since.After(set) { //mutate:pull-in-flow
		in.Since = set
	}
	next, effects, err := m.Due(ctx, t, in, t.Now)
	if errors.Is(err, Decline) {
		return errTimerDeclined(m.Name())
	}
	if err != nil {
		return err
	}
	t.applyEffects(m, next, effects)
	return nil
}

// applyEffects takes over what a step of a flow led to.
func (t *Turn) applyEffects(m Machine, in conversation.Instance, e conversation.Effects) {
	t.Note("flow %s: %s %s → %s", m.Name(), e.Outcome, e.From, e.To)
	if e.Outcome != conversation.Passed || e.Ended {
		t.Conversation.Flow, t.changed = in, true
	}
	switch {
	case !e.SetTimer.IsZero():
		t.waitFor(e.SetTimer.Sub(t.Now), m.Timer(), nil)
	case e.CancelTimer:
		t.setTimer(m.Timer(), time.Time{}, nil)
	}
	if e.Ended {
		t.Conversation.Flow = conversation.Instance{}
	}
}

// endFlow takes the conversation out of its flow.
func (t *Turn) endFlow() {
	if in := t.Conversation.Flow; in.Active() {
		t.Note("left flow %s in state %s", in.Flow, in.State)
		t.setTimer(flowTimers+in.Flow, time.Time{}, nil)
		t.Conversation.Flow, t.changed = conversation.Instance{}, true
	}
}
