package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// Timers that do not wait have an index of their own, so that they cost nothing here.
const (
	selectTimer          = `SELECT account, peer, name, occurrence, due_at, set_at, first_due_at, data, tries, late FROM timer `
	selectTimers         = selectTimer + `INDEXED BY timer_due WHERE state = 'waiting' ORDER BY due_at, shard, account, peer, name LIMIT $1 + 0`
	selectTimersOf       = selectTimer + `INDEXED BY timer_due WHERE state = 'waiting' AND shard IN (SELECT value FROM json_each($2)) ORDER BY due_at, shard, account, peer, name LIMIT $1 + 0`
	selectStuckTimers    = selectTimer + `WHERE shard = $1 AND account = $2 AND peer = $3 AND state = 'quarantined'`
	selectOrphanedTimers = `SELECT DISTINCT name FROM timer INDEXED BY timer_aside WHERE state <> 'waiting' AND shard = $1 AND account = $2 AND state = 'orphaned'`
	// It reads the whole table, once at a start.
	selectTimerNames = `SELECT account, name, count(*), count(*) FILTER (WHERE state = 'quarantined'), count(*) FILTER (WHERE state = 'orphaned') FROM timer
		GROUP BY shard, account, name ORDER BY shard, account, name`
)

// errEnough ends a read that has found enough.
var errEnough = errors.New("enough was read")

// DueTimers returns timers of the shards that are served that wait and are due at now, oldest first, and when the next one is due.
func (r *Reader) DueTimers(ctx context.Context, now time.Time, limit int) ([]record.DueTimer, time.Time, error) {
	var due []record.DueTimer
	var next time.Time
	query, args := selectTimers, []any{limit + 1}
	if shards, some := r.served.shardList(); some { //mutate:served-timers
		query, args = selectTimersOf, append(args, shards)
	}
	err := r.each(ctx, query, func(rows scanner) error {
		t, err := r.scanTimer(rows)
		if err == nil && (len(due) == limit || t.Due.After(now)) {
			next, err = t.Due, errEnough
		} else {
			due = append(due, t)
		}
		return err
	}, args...)
	if err != nil && !errors.Is(err, errEnough) {
		return nil, time.Time{}, fmt.Errorf("read the due timers: %w", err)
	}
	return due, next, nil
}

// scanTimer reads a row of a timer, and what stands behind it.
func (r *Reader) scanTimer(rows scanner, behind ...any) (record.DueTimer, error) {
	var t record.DueTimer
	var due, set, first int64
	var stored seal.Value
	var data string
	err := rows.Scan(append([]any{&t.Key.Account, &t.Key.Peer, &t.Name, &t.Occurrence, &due, &set, &first, &stored, &t.Tries, &t.Late}, behind...)...)
	if err == nil {
		data, err = stored.TextFrom(r.vault, seal.TimerData.OfTimer(t.Key, t.Name))
	}
	t.Due, t.Set, t.First, t.Data = bind.FromMicros(due), bind.FromMicros(set), bind.FromMicros(first), blobOf(data)
	return t, err
}

// QuarantinedTimers returns the quarantined timers of a conversation, by the time they were due.
func (r *Reader) QuarantinedTimers(ctx context.Context, key event.Key) ([]event.Timer, error) {
	found, err := rowsOf(ctx, r, selectStuckTimers, func(rows scanner) (event.Timer, error) {
		t, err := r.scanTimer(rows)
		return t.Timer, err
	}, key.Account.Shard(), string(key.Account), int64(key.Peer))
	if err != nil {
		return nil, fmt.Errorf("read the quarantined timers of %s with %d: %w", key.Account, key.Peer, err)
	}
	slices.SortStableFunc(found, func(a, b event.Timer) int { return a.Due.Compare(b.Due) })
	return found, nil
}

// TimerNames calls f with each name of timers, by account. It looks at all timers that are set.
func (r *Reader) TimerNames(ctx context.Context, f func(record.TimerCount)) error {
	err := r.eachRare(ctx, selectTimerNames, func(rows scanner) error {
		var c record.TimerCount
		if err := rows.Scan(&c.Account, &c.Name, &c.People, &c.Quarantined, &c.Orphaned); err != nil {
			return err
		}
		if r.served.has(int64(c.Account.Shard())) {
			f(c)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("count the timers: %w", err)
	}
	return nil
}

// OrphanedTimers returns the names of an account's timers that wait for a program with a route for them.
func (r *Reader) OrphanedTimers(ctx context.Context, account event.Account) ([]string, error) {
	names, err := rareRowsOf(ctx, r, selectOrphanedTimers, scanOne[string], account.Shard(), string(account))
	if err != nil {
		return nil, fmt.Errorf("look for timers of %s that were set aside: %w", account, err)
	}
	return names, nil
}
