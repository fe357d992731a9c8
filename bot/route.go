package bot

import (
	"context"
	"slices"
	"time"

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
	// MaxAge is how old an event may be. Defaults to DefaultMaxAge; below 0 there is no limit.
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
	if limit == 0 {
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
