package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

// A search for what a rule decided, or for how events ended, reads all rows, newest first, until it has found enough: an index
// would cost every turn. Of rows that do not match, next to nothing is read: a million take a third of a second.

// fallback is the route that makes an event handled which no other wanted.
const (
	fallback = "fallback"

	// standing is how an event stands, in the words of people.
	standing = `CASE WHEN state <> 'handled' THEN state WHEN outcome = 'unmatched' AND route = '` + fallback + `' THEN 'handled' ELSE outcome END`

	whereSearched = ` AND seen_at >= $4 AND ($5 = '' OR rule = $5) AND ($6 = '' OR ` + standing + ` = $6 COLLATE NOCASE) `
	searchNewest  = selectEvent + `WHERE shard = $1 AND account = $2 AND source = $3 + 0` + whereSearched + `AND number <= $7 ORDER BY number DESC LIMIT $8 + 0`
	searchPeer    = selectEvent + `INDEXED BY event_peer WHERE shard = $1 AND account = $2 AND peer = $3` + whereSearched +
		`AND seen_at <= $7 AND (seen_at < $7 OR source < $8 OR source = $8 AND number < $9)` + newestFirst + `$10 + 0`
	searchSnapshots  = selectEvent + `INDEXED BY event_snapshot WHERE source = 4` + searchSeen
	searchDeliveries = selectEvent + `INDEXED BY event_delivery WHERE source = 5` + searchSeen
	searchSeen       = ` AND shard = $1 AND account = $2 AND source = $3` + whereSearched + `AND seen_at <= $7 AND (seen_at < $7 OR number < $8)` + newestFirst + `$9 + 0`

	selectTurns = selectTurnRow + `WHERE shard = $1 AND account = $2 AND id >= $3 AND id < $4 AND id LIKE $5 AND handled_at >= $6
		AND ($7 = '' OR rule = $7) AND ($8 = '' OR outcome = $8 COLLATE NOCASE) ORDER BY handled_at DESC, id DESC LIMIT $9 + 0`
	selectOldest = `SELECT coalesce(min(seen_at), 0) FROM (
		SELECT * FROM (SELECT seen_at FROM event WHERE shard = $1 AND account = $2 AND source = 1 ORDER BY number LIMIT 1) AS messages UNION ALL
		SELECT * FROM (SELECT seen_at FROM event WHERE shard = $1 AND account = $2 AND source = 2 ORDER BY number LIMIT 1) AS notifs UNION ALL
		SELECT * FROM (SELECT seen_at FROM event WHERE shard = $1 AND account = $2 AND source = 3 ORDER BY number LIMIT 1) AS mentions UNION ALL
		SELECT * FROM (SELECT seen_at FROM event INDEXED BY event_snapshot WHERE source = 4 AND shard = $1 AND account = $2 ORDER BY seen_at LIMIT 1) AS snapshots UNION ALL
		SELECT * FROM (SELECT seen_at FROM event INDEXED BY event_delivery WHERE source = 5 AND shard = $1 AND account = $2 ORDER BY seen_at LIMIT 1) AS deliveries) AS oldest`
)

// search returns the events of a query that says which rule decided, or how they stand, newest first; those of one source in the order
// of its numbers.
func (in *Inspector) search(ctx context.Context, q record.EventQuery) ([]record.EventRow, error) {
	after := afterOf(&q)
	look := func(query string, by int64, from ...any) ([]record.EventRow, error) {
		return in.eventRows(ctx, query, append(append([]any{q.Account.Shard(), string(q.Account), by, bind.ToMicros(q.Since), q.Rule, storedOutcome(q.Outcome)}, from...), q.Limit)...)
	}
	if q.Peer != 0 {
		return look(searchPeer, int64(q.Peer), after.seen, after.source, after.number)
	}
	var all []record.EventRow
	for _, source := range sourcesOf(&q) {
		query, from := searchNewest, []any{after.highestBehind()}
		switch source {
		case event.Snapshots:
			query, from = searchSnapshots, []any{after.seen, after.number}
		case event.Deliveries:
			query, from = searchDeliveries, []any{after.seen, after.number}
		default:
		}
		some, err := look(query, int64(source), from...)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if q.Source != 0 {
		return all, nil
	}
	return newestRows(all, q.Limit), nil
}

// newestRows returns the newest of events.
func newestRows(all []record.EventRow, limit int) []record.EventRow {
	slices.SortStableFunc(all, func(a, b record.EventRow) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), cmp.Compare(b.ID.Source, a.ID.Source), cmp.Compare(b.ID.Number, a.ID.Number))
	})
	return all[:min(len(all), limit)]
}

// Oldest returns when the oldest event was seen that an account still has; zero for none.
func (in *Inspector) Oldest(ctx context.Context, account event.Account) (time.Time, error) {
	var at int64
	if err := in.db.QueryRowContext(ctx, selectOldest, account.Shard(), string(account)).Scan(&at); err != nil {
		return time.Time{}, fmt.Errorf("read the oldest event of %s: %w", account, err)
	}
	return bind.FromMicros(at), nil
}

// Turns returns turns of timers, newest first.
func (in *Inspector) Turns(ctx context.Context, q record.TurnQuery) (turns []record.TurnRow, err error) {
	from, to := "timer:", "timer;" // ";" comes after ":"
	if q.Peer != 0 {
		from = fmt.Sprintf("timer:%d/%s/", q.Peer, q.Timer)
		to = strings.TrimSuffix(from, "/") + "0" // "0" comes after "/"
	}
	turns, err = in.turnRows(ctx, q.Account, selectTurns, from, to, "timer:%/"+q.Timer+"/%", bind.ToMicros(q.Since), q.Rule, storedOutcome(q.Outcome), q.Limit)
	if err != nil {
		return nil, fmt.Errorf("read turns of %s: %w", q.Account, err)
	}
	return turns, nil
}
