package bot

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/bot/event"
)

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
