package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
)

// Router finds the handler of a turn: the flow that the conversation stands in, then the first route
// that matches, then the fallback. Of somebody who asks for silence, or has asked, no event reaches any of these; see Config.StopWords.
// It does not change once made.
type Router struct {
	byKind   map[event.Kind][]*Route
	keepers  []*Route // those that keep conversations
	prompt   []string // timers that judge nobody's silence, by how their names begin
	started  []*Route // that begin with each start
	warned   []*Route // that begin with each warning
	speakers []*Route // that know what they say
	acked    []string // timers that are due when somebody of ours sees to a person
	hearers  []*Route // that hear who asks for silence
	flows    flowSet
	wraps    []Middleware
	fallback Handler
}

// flowTimers begins the names of the timers of flows.
const flowTimers = "flow/"

// Machine is a flow of a bot; see NewFlow.
type Machine = conversation.Machine[*Turn]

// RouterConfig is what a Router is made of.
type RouterConfig struct {
	Routes []Route
	Flows  []Machine
	// Middleware wraps every handler, also those of flows. The first is the outermost.
	Middleware []Middleware
	// Fallback handles what nothing else matched. Optional.
	Fallback Handler
}

// NewRouter checks and sorts the routes. Errors: two routes of one name, a route without a name or a
// matcher, two flows of one name.
func NewRouter(cfg RouterConfig) (*Router, error) {
	r := &Router{byKind: map[event.Kind][]*Route{}, wraps: cfg.Middleware, fallback: cfg.Fallback}
	// By order and name, not as they were handed over: fx hands them over in an order of its own, and the first route that matches decides.
	routes := slices.Clone(cfg.Routes)
	slices.SortStableFunc(routes, func(x, y Route) int {
		return cmp.Or(cmp.Compare(x.Order, y.Order), cmp.Compare(x.Name, y.Name))
	})
	names := map[string]bool{}
	for i := range routes {
		rt := &routes[i]
		switch {
		case rt.Name == "":
			return nil, fmt.Errorf("a route has no name: give it one that stays the same")
		case rt.match == nil:
			return nil, fmt.Errorf("route %q has no matcher: make it with bot.On", rt.Name)
		case names[rt.Name]:
			return nil, fmt.Errorf("two routes are named %q: names must differ, since actions are numbered by them", rt.Name)
		}
		names[rt.Name] = true
		if err := r.addKeeper(rt); err != nil {
			return nil, err
		}
		r.prompt = append(r.prompt, rt.prompt...)
		if rt.ways().Says != nil {
			r.speakers = append(r.speakers, rt)
		}
		if timer := rt.ways().Acked; timer != "" {
			r.acked = append(r.acked, timer)
		}
		if rt.ways().Hears != nil {
			r.hearers = append(r.hearers, rt)
		}
		if rt.started != "" {
			r.started = append(r.started, rt)
		}
		if rt.warned != "" {
			r.warned = append(r.warned, rt)
		}
		for _, k := range rt.kinds {
			r.byKind[k] = append(r.byKind[k], rt)
		}
	}
	var err error
	if r.flows, err = newFlowSet(cfg.Flows); err != nil {
		return nil, err
	}
	return r, nil
}

// Handle lets the turn be handled. The turn's decision record says by whom.
func (r *Router) Handle(ctx context.Context, t *Turn) error {
	handler, err := r.find(ctx, t)
	if handler == nil || err != nil {
		return err
	}
	return wrap(handler, r.wraps).Handle(ctx, t)
}

// find returns the handler of a turn, nil for none.
func (r *Router) find(ctx context.Context, t *Turn) (Handler, error) {
	kept := r.keepingRoute(t)
	if kept == nil {
		if h := r.inFlow(t); h != nil {
			return h, nil
		}
	} else if h, ok := kept.match(ctx, t); ok {
		return t.handlerBy(kept, h), nil
	}
	if t.failed != nil {
		return nil, t.failed
	}
	kind := t.Event.Kind
	switch t.Trigger.Kind {
	case event.ByTimer:
		kind = kindTimer
	case event.ByNudge:
		kind = kindNudge
	case event.ByRequest:
		kind = kindTold
	case event.ByEvent:
	}
	for _, rt := range r.byKind[kind] {
		if h, ok := rt.match(ctx, t); ok {
			return t.handlerBy(rt, h), nil
		}
		if t.failed != nil { // a matcher could not read what it asked for
			return nil, t.failed
		}
	}
	t.rec.Outcome = OutcomeUnmatched
	if r.fallback == nil || t.Trigger.Kind != event.ByEvent {
		return nil, nil
	}
	t.route = "fallback"
	return r.fallback, nil
}

// handlerBy lets a route handle the turn; nil when the event is too old for it.
func (t *Turn) handlerBy(rt *Route, h Handler) Handler {
	t.route, t.minds = rt.Name, rt.ways().MindsPauses
	if rt.tooOld(t) {
		t.rec.Outcome = OutcomeLate
		t.rec.Note = fmt.Sprintf("up to %s old when it was read", t.Event.Age(t.Now).Round(0))
		return nil
	}
	return wrap(h, rt.wraps)
}

// addKeeper notes a route that keeps conversations. Of two, neither may keep those of the other.
func (r *Router) addKeeper(rt *Route) error {
	keeps := rt.ways().Keeps
	if keeps == "" {
		return nil
	}
	for _, other := range r.keepers {
		if others := other.ways().Keeps; strings.HasPrefix(keeps, others) || strings.HasPrefix(others, keeps) {
			return fmt.Errorf("routes %q and %q keep the same conversations: %q and %q", other.Name, rt.Name, others, keeps)
		}
	}
	r.keepers = append(r.keepers, rt)
	return nil
}

// keeperOf returns the route that keeps conversations in a flow, nil for none.
func (r *Router) keeperOf(flow string) *Route {
	for _, rt := range r.keepers {
		if strings.HasPrefix(flow, rt.ways().Keeps) {
			return rt
		}
	}
	return nil
}

// keepingRoute returns the route that the turn's message belongs to, since it keeps the conversation; nil for none.
func (r *Router) keepingRoute(t *Turn) *Route {
	//mutate:keepers
	if len(r.keepers) == 0 || !t.Conversation.Flow.Active() || t.Event.Kind != event.KindMessage || t.Trigger.Kind != event.ByEvent {
		return nil
	}
	return r.keeperOf(t.Conversation.Flow.Flow)
}

// orphanStates returns those of the kept states that have no place in this program.
func (r *Router) orphanStates(kept []conversation.Count) []orphan {
	return r.flows.orphanStates(slices.DeleteFunc(kept, func(c conversation.Count) bool { return r.keeperOf(c.Flow) != nil }))
}

// inFlow returns a handler that lets the conversation's flow have the turn first; nil when it stands
// in none.
func (r *Router) inFlow(t *Turn) Handler {
	if t.Trigger.Kind == event.ByTimer {
		m, ok := r.flows.ofTimer(t.Trigger.Timer.Name)
		if !ok && !strings.HasPrefix(t.Trigger.Timer.Name, flowTimers) {
			return nil
		}
		return HandlerFunc(func(context.Context, *Turn) error { return t.flowDue(m) })
	}
	in := t.Conversation.Flow
	if t.passed || !in.Active() || t.Event.Kind != event.KindMessage {
		return nil
	}
	m, ok := r.flows[in.Flow]
	if !ok { // the program no longer has this flow: the person must not be stuck in it
		t.endFlow()
		return nil
	}
	return HandlerFunc(func(ctx context.Context, t *Turn) error {
		t.route = "flow/" + in.Flow
		passed, err := t.flowInput(m)
		if err != nil || !passed {
			return err
		}
		t.route, t.rec.Outcome = "", ""
		return r.outsideFlow(ctx, t)
	})
}

// outsideFlow routes what a flow let pass.
func (r *Router) outsideFlow(ctx context.Context, t *Turn) error {
	t.passed = true
	h, err := r.find(ctx, t)
	if h == nil || err != nil {
		return err
	}
	return h.Handle(ctx, t)
}

// wantsTimer reports whether any flow or route may be for timers of this name. A matcher that does not say which names it
// matches is for all of them.
func (r *Router) wantsTimer(timer string) bool {
	if strings.HasPrefix(timer, ownTimers) { // the bot's own
		return true
	}
	if strings.HasPrefix(timer, flowTimers) {
		_, ok := r.flows.ofTimer(timer)
		return ok
	}
	return slices.ContainsFunc(r.byKind[kindTimer], func(rt *Route) bool { return rt.named == nil || rt.named(timer) })
}

// has reports whether any route may be for what has a name: a nudge, or what people ask for. One whose matcher does not say
// which names it matches is for all of them.
func (r *Router) has(kind event.Kind, name string) bool {
	return slices.ContainsFunc(r.byKind[kind], func(rt *Route) bool { return rt.named == nil || rt.named(name) })
}

// mindsPauses reports whether a route that is for that name looks at pauses itself.
func (r *Router) mindsPauses(kind event.Kind, name string) bool {
	return slices.ContainsFunc(r.byKind[kind], func(rt *Route) bool { return rt.ways().MindsPauses && (rt.named == nil || rt.named(name)) })
}

// readsKind reports whether any route asks for events of this kind.
func (r *Router) readsKind(kind event.Kind) bool { return len(r.byKind[kind]) > 0 }

// errOwned is the error of a turn that would act on the platform while a person has the conversation.
var errOwned = errors.New("a person has the conversation: nothing may be done on the platform for it")

// looksOn reports whether a route may want an event of a conversation that a person has.
func (r *Router) looksOn(t *Turn) bool {
	if t.Trigger.Kind != event.ByEvent {
		return false
	}
	for _, rt := range r.byKind[t.Event.Kind] {
		if looks := rt.ways().LooksOn; looks != nil && looks(t.Trigger.Key.Account, t.Event.Kind) {
			return true
		}
	}
	return false
}

// lookOn gives a turn of a conversation that a person has to the first route that looks on.
func (r *Router) lookOn(ctx context.Context, t *Turn) error {
	t.mute = true
	for _, rt := range r.byKind[t.Event.Kind] {
		if looks := rt.ways().LooksOn; looks == nil || !looks(t.Trigger.Key.Account, t.Event.Kind) {
			continue
		}
		if had, err := r.offerTurn(ctx, t, rt); had || err != nil {
			return err
		}
	}
	return nil
}

// offerTurn lets a route have a turn; false when it does not match.
func (r *Router) offerTurn(ctx context.Context, t *Turn, rt *Route) (bool, error) {
	h, ok := rt.match(ctx, t)
	if t.failed != nil || !ok {
		return false, t.failed
	}
	if h = t.handlerBy(rt, h); h == nil {
		return true, nil
	}
	return true, wrap(h, r.wraps).Handle(ctx, t)
}

// silenceRoute returns the route that hears of an account who asks for silence, and whether a text does; nil for none.
func (r *Router) silenceRoute(account event.Account, text string) (rt *Route, asks bool) {
	for _, rt := range r.hearers {
		if asks, heard := rt.ways().Hears(account, text); heard {
			return rt, asks
		}
	}
	return nil, false
}

// flowSet are the flows of a bot, by name.
type flowSet map[string]Machine

// newFlowSet puts flows together. Two of one name are an error.
func newFlowSet(machines []Machine) (flowSet, error) {
	fs := flowSet{}
	for _, m := range machines {
		if fs[m.Name()] != nil {
			return nil, fmt.Errorf("two flows are named %q", m.Name())
		}
		fs[m.Name()] = m
	}
	return fs, nil
}

// ofTimer returns the flow that a timer belongs to, false for one of another kind or of a flow that is gone.
func (fs flowSet) ofTimer(timer string) (Machine, bool) {
	name, ok := strings.CutPrefix(timer, flowTimers)
	if !ok {
		return nil, false
	}
	m, ok := fs[name]
	return m, ok
}

// orphan is a kept state that this program knows no more.
type orphan struct {
	conversation.Count
	flowGone bool // the whole flow is gone, not only the state
}

// String says what is wrong and what to do.
func (o orphan) String() string {
	if o.flowGone {
		return fmt.Sprintf("%d conversations are in flow %q (state %q), which this program does not have: put the flow back, or they leave it with their next message",
			o.Conversations, o.Flow, o.State)
	}
	return fmt.Sprintf("%d conversations are in state %q of flow %q, which this program does not have: name the state that takes them over in Renamed, or they leave the flow with their next message",
		o.Conversations, o.State, o.Flow)
}

// orphanStates returns those of the kept states that have no place in this program, ordered by flow and state.
func (fs flowSet) orphanStates(kept []conversation.Count) []orphan {
	var out []orphan
	for _, c := range kept {
		m, ok := fs[c.Flow]
		if !ok {
			out = append(out, orphan{Count: c, flowGone: true})
		} else if _, ok := m.Resolve(c.State); !ok {
			out = append(out, orphan{Count: c})
		}
	}
	slices.SortFunc(out, func(a, b orphan) int {
		return cmp.Or(cmp.Compare(a.Flow, b.Flow), cmp.Compare(a.State, b.State))
	})
	return out
}

// atOnce reports whether timers of a name judge nobody's silence.
func (r *Router) atOnce(name string) bool {
	return strings.HasPrefix(name, ownTimers) || slices.ContainsFunc(r.prompt, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
