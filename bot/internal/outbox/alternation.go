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
func (a *Account) dueNow(ctx context.Context, ps *scan, most int) (x alternation, err error) {
	if x.known, err = a.dispatcher.cfg.Ledger.DueKnown(ctx, a.cfg.Account, true, ps.due, ps.readPeers(), most); err == nil {
		x.first, err = a.dispatcher.cfg.Ledger.DueKnown(ctx, a.cfg.Account, false, ps.due, ps.readPeers(), most)
	}
	if err != nil {
		return x, fmt.Errorf("read due actions: %w", err)
	}
	x.all = len(x.known) < most && len(x.first) < most
	return x, nil
}

// next takes what comes next, behind something that was of a known conversation or not.
func (a *alternation) next(wasKnown bool) (action event.Action, known, ok bool) {
	switch {
	case len(a.known)+len(a.first) == 0:
		return action, false, false
	case len(a.known) == 0 || len(a.first) == 0:
		known = len(a.known) > 0
	case a.known[0].Priority != a.first[0].Priority:
		known = a.known[0].Priority < a.first[0].Priority
	default:
		known = !wasKnown //mutate:known-turns
	}
	from := &a.first
	if known {
		from = &a.known
	}
	action, *from = (*from)[0], (*from)[1:]
	return action, known, true
}
