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

// Router finds who takes a turn: the flow that the conversation stands in, then the first route
// that matches and does not decline, then the fallback. Of somebody who asks for silence, or has asked, no event reaches any of these; see Config.StopWords.
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
	// Middleware goes around every turn, before it is known who takes it; see Middleware. The first is the outermost.
	Middleware []Middleware
	// Fallback handles events that nothing else took. Optional.
	Fallback Handler
}

// NewRouter checks and sorts the routes. Errors: two routes of one name, a route without a name or a
// matcher, two flows of one name.
func NewRouter(cfg RouterConfig) (*Router, error) {
	r := &Router{byKind: map[event.Kind][]*Route{}, wraps: cfg.Middleware, fallback: cfg.Fallback}
	if i := slices.IndexFunc(r.wraps, func(m Middleware) bool { return m == nil }); i >= 0 {
		return nil, fmt.Errorf("RouterConfig.Middleware[%d] is nil: leave it out", i)
	}
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

// Handle lets the turn be handled, with the middleware around it: for who has several routers.
func (r *Router) Handle(ctx context.Context, t *Turn) error {
	return wrap(HandlerFunc(r.giveTurn), r.wraps).Handle(ctx, t)
}

// giveTurn offers a turn to those who may want it, one after another, until one takes it: the flow that the conversation stands in or the route that keeps
// it, routes by order and name, the fallback. The turn's decision record says who took it.
func (r *Router) giveTurn(ctx context.Context, t *Turn) error {
	kept := r.keepingRoute(t)
	if taken, err := r.offerConversation(ctx, t, kept); taken || err != nil {
		return err
	}
	for _, rt := range r.byKind[t.routedKind()] {
		if rt == kept {
			continue
		}
		if taken, err := r.offerTurn(ctx, t, rt); taken || err != nil {
			return err
		}
	}
	if r.fallback != nil && t.Trigger.Kind == event.ByEvent && !t.isDelivery() {
		was := *t
		t.handledBy("fallback", false)
		t.rec.Outcome = OutcomeUnmatched // also if it is answered: people look for what nothing else was for
		if taken, err := t.offerTo(ctx, r.fallback, &was); taken || err != nil {
			return err
		}
	}
	if t.isDelivery() { //mutate:delivery-untaken
		return errUntaken(string(t.Event.Subject))
	}
	if t.rec.Outcome == "" {
		t.rec.Outcome = OutcomeUnmatched
	}
	return nil
}

// offerConversation offers a turn to who leads the conversation: the route that keeps it, or the flow that it stands in; false for nobody.
func (r *Router) offerConversation(ctx context.Context, t *Turn, kept *Route) (taken bool, err error) {
	if kept != nil {
		return r.offerTurn(ctx, t, kept)
	}
	return r.offerFlow(ctx, t)
}

// routedKind returns the kind under which a turn is routed.
func (t *Turn) routedKind() event.Kind {
	switch t.Trigger.Kind {
	case event.ByTimer:
		return kindTimer
	case event.ByNudge:
		return kindNudge
	case event.ByRequest:
		return kindTold
	case event.ByEvent:
	}
	return t.Event.Kind
}

// offerTurn offers a turn to a route; false when it does not match, or declines. An event that is too old for it ends there.
func (r *Router) offerTurn(ctx context.Context, t *Turn, rt *Route) (taken bool, err error) {
	h, ok := rt.match(ctx, t)
	if t.failed != nil || !ok { // it may have failed as a matcher could not read what it asked for
		return false, t.failed
	}
	was := *t // not before: most routes do not match
	t.handledBy(rt.Name, rt.ways().MindsPauses)
	if rt.tooOld(t) {
		t.rec.Outcome, t.unanswered = OutcomeLate, true
		t.rec.Note = fmt.Sprintf("up to %s old when it was read", t.Event.Age(t.Now).Round(0))
		return true, nil
	}
	return t.offerTo(ctx, wrap(h, rt.wraps), &was)
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

// offerFlow offers a turn to the flow that the conversation stands in; false when it stands in none, or the flow lets it pass.
func (r *Router) offerFlow(ctx context.Context, t *Turn) (taken bool, err error) {
	if t.Trigger.Kind == event.ByTimer {
		m, ok := r.flows.ofTimer(t.Trigger.Timer.Name)
		if !ok && !strings.HasPrefix(t.Trigger.Timer.Name, flowTimers) {
			return false, nil
		}
		return true, t.flowDue(ctx, m)
	}
	in := t.Conversation.Flow
	if !in.Active() || t.Event.Kind != event.KindMessage || t.Trigger.Kind != event.ByEvent {
		return false, nil
	}
	m, ok := r.flows[in.Flow]
	if !ok { // the program no longer has this flow: the person must not be stuck in it
		t.endFlow()
		return false, nil
	}
	was := *t
	t.handledBy(flowTimers+in.Flow, false)
	passed := false
	taken, err = t.offerTo(ctx, HandlerFunc(func(ctx context.Context, t *Turn) (err error) {
		passed, err = t.flowInput(ctx, m)
		return err
	}), &was)
	if passed {
		t.route, t.minds, t.rec.Outcome, taken = was.route, was.minds, was.rec.Outcome, false
	}
	return taken, err
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

// lookOn gives a turn of a conversation that a person has to the first route that looks on. It acts nowhere.
func (r *Router) lookOn(ctx context.Context, t *Turn) error {
	t.mute = true
	defer func() { t.mute = false }() // what middleware decides behind it is only recorded
	for _, rt := range r.byKind[t.Event.Kind] {
		if looks := rt.ways().LooksOn; looks == nil || !looks(t.Trigger.Key.Account, t.Event.Kind) {
			continue
		}
		if taken, err := r.offerTurn(ctx, t, rt); taken || err != nil {
			return err
		}
	}
	return nil
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
