package bot

import (
	"context"
	"errors"
	"fmt"
)

// Decline is what a handler returns that leaves a turn to whoever comes after it: the next route that matches, rule files among them, and then the
// fallback. What it collected is taken back; what it read stays read, and a flow keeps its state. The Handle of a flow may return it, too. An error that wraps
// it declines as well, unless it is one of reading: then the turn waits, as ever. Nobody comes after middleware of the bot, or after a flow whose timer is due:
// there it is an error, and the event is quarantined.
//
//	func price(ctx context.Context, t *bot.Turn, m event.Message) error {
//		item, ok := catalogue.Find(m.Text)
//		if !ok {
//			return bot.Decline
//		}
//		return t.Reply(item.Price)
//	}
var Decline = errors.New("declined") //nolint:errname,staticcheck // it is said to the bot, as io.EOF to a reader, and is no failure

// offerTo lets a handler have the turn; false when it declines, or has taken note of it and leaves it to others. was is the turn before it was offered.
func (t *Turn) offerTo(ctx context.Context, h Handler, was *Turn) (taken bool, err error) {
	err = h.Handle(ctx, t)
	switch {
	case err == nil && t.leaves:
		t.leaves = false
		return false, nil
	case errors.Is(err, Decline) && !isOutside(err):
		by := t.route
		t.takeBack(was) //mutate:decline
		t.route = was.route
		t.Note("%s declined", by)
		return false, nil
	}
	return err == nil, err
}

// handledBy notes who has the turn from here on. Who has had it before and left it to others has answered nothing.
func (t *Turn) handledBy(name string, mindsPauses bool) {
	t.route, t.minds = name, mindsPauses
	if t.rec.Outcome == OutcomeUnmatched {
		t.rec.Outcome, t.rec.Rule, t.rec.Version, t.rec.Before = "", "", "", nil
	}
}

// takeBack takes back what the turn has decided since it was as was. What it has read stays read.
func (t *Turn) takeBack(was *Turn) {
	facts, known, words, route, masks, values := t.facts, t.known, t.words, t.route, t.masks, valuesAsRead(t.values, was.values)
	*t = *was
	t.facts, t.known, t.words, t.route, t.masks, t.values = facts, known, words, route, masks, values // what is private stays so
}

// errMiddlewareDeclined is the error of middleware of the bot that declines.
var errMiddlewareDeclined = Permanent(errors.New("middleware declined: there is nobody to leave the turn to; let it call next, or return nil"))

// errTimerDeclined is the error of a flow that declines what its own timer began.
func errTimerDeclined(flow string) error {
	return Permanent(fmt.Errorf("flow %s declined its own timer: there is nobody to leave it to; return nil, or another error", flow))
}
