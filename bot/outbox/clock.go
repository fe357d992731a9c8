package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

const (
	// clockCheck is how often a wait for a time of day looks at the clock again: it may have been set,
	// and timers stand still while a machine sleeps.
	clockCheck = time.Minute

	setBackBy   = time.Minute // a difference that is not worth a correction
	setBackMost = 1024        // actions that are corrected at a start; answers come first
)

// catchUp makes actions due now that were due at once when they were decided, by a clock that has been
// set back since: they would wait until it is that late again. They keep their order.
func (b *Box) catchUp(ctx context.Context, now time.Time) error {
	const aLongTime = 100 * 365 * 24 * time.Hour
	due, err := b.courier.cfg.Ledger.Due(ctx, b.cfg.Account, now.Add(aLongTime), nil, setBackMost)
	if err != nil {
		return fmt.Errorf("look for actions of a later clock: %w", err)
	}
	early := due[:0]
	for _, a := range due {
		if a.DecidedAt.After(now.Add(setBackBy)) && !a.Due.After(a.DecidedAt) {
			early = append(early, a)
		}
	}
	if len(early) == 0 {
		return nil
	}
	marks := make([]Mark, len(early))
	for i := range early {
		early[i].State, early[i].Due = event.StateDue, now.Add(time.Duration(i-len(early))*time.Microsecond)
		marks[i] = MarkOf(&early[i])
	}
	b.courier.cfg.Log.Warn("the clock has been set back since actions were decided; they are due now",
		"account", b.cfg.Account, "actions", len(early))
	if err := b.courier.cfg.Ledger.MarkNow(ctx, marks...); err != nil {
		return fmt.Errorf("correct actions of a later clock: %w", err)
	}
	return nil
}
