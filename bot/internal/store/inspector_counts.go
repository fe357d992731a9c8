package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// They look at all that an account has; see tallied.
const (
	selectEventCounts = `SELECT kind, count(*), count(DISTINCT nullif(peer, 0)) FROM event WHERE shard = $1 AND account = $2 AND seen_at >= $3
		GROUP BY kind ORDER BY count(*) DESC, kind`
	selectActionCounts = `SELECT verb, state, count(*), limited FROM (SELECT verb, state, CASE WHEN substr(why, 1, 11) = 'limit.used?' THEN why ELSE '' END AS limited
			FROM action WHERE shard = $1 AND account = $2 AND ended_at >= $3 AND NOT (state = 'withdrawn' AND ` + reason.RecordedSQL + `)) AS ended
		GROUP BY verb, state, limited ORDER BY count(*) DESC, verb, state, limited`
)

// EventCounts counts the events that were seen since a time, by kind, the most frequent first.
func (in *Inspector) EventCounts(ctx context.Context, account event.Account, since time.Time) ([]record.EventCount, error) {
	return countBy(ctx, in, selectEventCounts, account, since, func(rows scanner) (c record.EventCount, err error) {
		err = rows.Scan(&c.Kind, &c.Events, &c.People)
		return c, err
	})
}

// ActionCounts counts the actions that have ended, or were held, since a time, by verb, state, and the limit that held them back, the most frequent
// first, but for what was only recorded, since its rule is on watch, or paused.
func (in *Inspector) ActionCounts(ctx context.Context, account event.Account, since time.Time) ([]record.ActionCount, error) {
	return countBy(ctx, in, selectActionCounts, account, since, func(rows scanner) (c record.ActionCount, err error) {
		err = rows.Scan(&c.Verb, &c.State, &c.Actions, &c.Why)
		return c, err
	})
}

func countBy[C any](ctx context.Context, in *Inspector, text string, account event.Account, since time.Time, scan func(scanner) (C, error)) ([]C, error) {
	all, err := rareRowsOf(ctx, in.Reader, text, scan, account.Shard(), string(account), bind.ToMicros(since))
	if err != nil {
		return nil, fmt.Errorf("count what happened on %s: %w", account, err)
	}
	return all, nil
}
