package outbox

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

// Who writes for the first time may be one of very many that somebody has invented. Conversations in which the bot has spoken before take turns
// with them, so that a customer waits for no more strangers than there are customers before her.

// alternation is what is due, the known conversations apart from the rest, each by priority, time and position.
type alternation struct {
	known, first []event.Action
	all          bool // there is no more
}

// dueNow reads what is due, at most so many of either kind.
func (b *Account) dueNow(ctx context.Context, ps *scan, most int) (x alternation, err error) {
	if x.known, err = b.dispatcher.cfg.Ledger.DueKnown(ctx, b.cfg.Account, true, ps.due, ps.except(), most); err == nil {
		x.first, err = b.dispatcher.cfg.Ledger.DueKnown(ctx, b.cfg.Account, false, ps.due, ps.except(), most)
	}
	if err != nil {
		return x, fmt.Errorf("read due actions: %w", err)
	}
	x.all = len(x.known) < most && len(x.first) < most
	return x, nil
}

// next takes what comes next, behind something that was of a known conversation or not.
func (x *alternation) next(wasKnown bool) (a event.Action, known, ok bool) {
	switch {
	case len(x.known)+len(x.first) == 0:
		return a, false, false
	case len(x.known) == 0 || len(x.first) == 0:
		known = len(x.known) > 0
	case x.known[0].Priority != x.first[0].Priority:
		known = x.known[0].Priority < x.first[0].Priority
	default:
		known = !wasKnown //mutate:known-turns
	}
	from := &x.first
	if known {
		from = &x.known
	}
	a, *from = (*from)[0], (*from)[1:]
	return a, known, true
}
