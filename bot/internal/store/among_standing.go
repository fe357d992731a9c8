package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

// They read the indexes of open rows alone, so they cost the same however much is kept of an account.
const (
	countOpen = `SELECT account, count(*) FILTER (WHERE state = 'unsure'), count(*) FILTER (WHERE state = 'held'), 0, 0 FROM action INDEXED BY action_open ` +
		whereOpen + ` AND state <> 'sending' GROUP BY shard, account`
	countStuck   = `SELECT account, 0, 0, count(*), 0 FROM event INDEXED BY event_waiting WHERE state <> 'handled' AND state = 'quarantined' GROUP BY shard, account`
	countAside   = `SELECT account, 0, 0, count(*), 0 FROM timer INDEXED BY timer_aside WHERE state <> 'waiting' AND state = 'quarantined' GROUP BY shard, account`
	countWaiters = `SELECT account, 0, 0, 0, count(*) FROM waiting INDEXED BY waiting_since GROUP BY shard, account`
)

// Standing is how much of an account waits for a person, or for an answer of the platform.
type Standing struct {
	InDoubt int // actions sent without an answer yet
	Held    int // actions that wait for a person
	Stuck   int // events and timers that are quarantined
	Waits   int // people who wait for a person of ours
}

// Standings returns how the accounts stand that have anything of that. As with one, the context is looked at before the
// statements, which read next to nothing.
func (r *Reader) Standings(ctx context.Context) (map[event.Account]Standing, error) {
	all := map[event.Account]Standing{}
	for _, text := range []string{countOpen, countStuck, countAside, countWaiters} {
		if err := r.each(ctx, text, func(rows scanner) error {
			var account event.Account
			var s Standing
			err := rows.Scan(&account, &s.InDoubt, &s.Held, &s.Stuck, &s.Waits)
			was := all[account]
			all[account] = Standing{was.InDoubt + s.InDoubt, was.Held + s.Held, was.Stuck + s.Stuck, was.Waits + s.Waits}
			return err
		}); err != nil {
			return nil, fmt.Errorf("count what is open: %w", err)
		}
	}
	return all, nil
}
