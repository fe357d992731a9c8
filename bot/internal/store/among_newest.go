package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

// recentHeads is how many of the events with the highest numbers of a source are looked at for the one that was seen last: of two
// chats, that with the earlier message may have been read later.
const recentHeads = `16`

// The newest of each source, by the key. They are asked account by account, which is some microseconds each: an index over all
// accounts would cost every turn more than people ask.
var (
	newestSeen = `SELECT substr(t.value, 6), ` + newestOf(1) + `, ` + newestOf(2) + `, ` + newestOf(3) + `,
		(SELECT coalesce(max(seen_at), 0) FROM event INDEXED BY event_snapshot WHERE source = 4 AND ` + ofGiven + `),
		(SELECT coalesce(max(seen_at), 0) FROM event INDEXED BY event_delivery WHERE source = 5 AND ` + ofGiven + `) FROM json_each($1) AS t`
	newestIn = `SELECT substr(t.value, 6), (SELECT coalesce(max(seen_at), 0) FROM event INDEXED BY event_waiting WHERE state <> 'handled' AND ` + ofGiven + `
		AND state = $2), 0, 0, 0, 0 FROM json_each($1) AS t`
	// Of those that a rule decided, or that ended in a way, and of the turns of timers, the newest of a source.
	newestFound = `SELECT substr(t.value, 6), (SELECT coalesce(max(seen_at), 0) FROM (SELECT seen_at FROM event WHERE ` + ofGiven + ` AND source = $2 AND seen_at >= $3
		AND ($4 = '' OR rule = $4) AND ($5 = '' OR ` + standing + ` = $5 COLLATE NOCASE) ORDER BY number DESC LIMIT ` + recentHeads + `) AS few), 0, 0, 0, 0 FROM json_each($1) AS t`
	newestTurn = `SELECT substr(t.value, 6), (SELECT coalesce(max(handled_at), 0) FROM turn WHERE ` + ofGiven + ` AND id >= 'timer:' AND id < 'timer;'
		AND handled_at >= $2 AND ($3 = '' OR rule = $3) AND ($4 = '' OR outcome = $4 COLLATE NOCASE)), 0, 0, 0, 0 FROM json_each($1) AS t`

	oldestSeen = `SELECT coalesce(min(at), 0) FROM (SELECT nullif(` + oldestOf(1) + `, 0) AS at FROM json_each($1) AS t
		UNION ALL SELECT nullif(` + oldestOf(2) + `, 0) FROM json_each($1) AS t UNION ALL SELECT nullif(` + oldestOf(3) + `, 0) FROM json_each($1) AS t
		UNION ALL SELECT (SELECT min(seen_at) FROM event INDEXED BY event_snapshot WHERE source = 4 AND ` + ofGiven + `) FROM json_each($1) AS t
		UNION ALL SELECT (SELECT min(seen_at) FROM event INDEXED BY event_delivery WHERE source = 5 AND ` + ofGiven + `) FROM json_each($1) AS t) AS oldest`
	// The timers that were due last, of all accounts.
	selectDueOf = `SELECT account, due_at FROM timer INDEXED BY timer_due WHERE state = 'waiting' AND due_at >= $1 AND due_at <= $2 ORDER BY due_at DESC`
)

func newestOf(source event.Source) string {
	return fmt.Sprintf(`(SELECT coalesce(max(seen_at), 0) FROM (SELECT seen_at FROM event WHERE %s AND source = %d ORDER BY number DESC LIMIT `+recentHeads+`) AS few)`,
		ofGiven, source)
}

func oldestOf(source event.Source) string {
	return fmt.Sprintf(`(SELECT seen_at FROM event WHERE %s AND source = %d ORDER BY number LIMIT 1)`, ofGiven, source)
}

// Heads returns, for each account, a time at or shortly after its newest event of a query; the newest comes first. Accounts without
// such an event are left out. The query's Account, Peer and Limit do not count.
func (in *Inspector) Heads(ctx context.Context, accounts []event.Account, q record.EventQuery) ([]record.Head, error) {
	newest := map[event.Account]int64{}
	look := func(text string, args ...any) error {
		for some := range accountPacks(accounts) {
			if err := in.eachRare(ctx, text, func(rows scanner) error {
				var a event.Account
				var at [5]int64
				err := rows.Scan(&a, &at[0], &at[1], &at[2], &at[3], &at[4])
				newest[a] = max(newest[a], at[0], at[1], at[2], at[3], at[4])
				return err
			}, append([]any{some}, args...)...); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	switch {
	// The state does not count beside them: see record.EventQuery.
	case q.Rule != "" || q.Outcome != "":
		for source := event.Messages; source <= event.Deliveries && err == nil; source++ {
			err = look(newestFound, int64(source), bind.ToMicros(q.Since), q.Rule, storedOutcome(q.Outcome))
		}
		if err == nil {
			err = look(newestTurn, bind.ToMicros(q.Since), q.Rule, storedOutcome(q.Outcome))
		}
	case q.State != "":
		err = look(newestIn, q.State)
	default:
		err = look(newestSeen)
	}
	if err != nil {
		return nil, fmt.Errorf("look which accounts have the newest events: %w", err)
	}
	heads := make([]record.Head, 0, len(newest))
	for _, a := range accounts {
		if at := newest[a]; at > 0 && at >= bind.ToMicros(q.Since) {
			heads = append(heads, record.Head{Account: a, Newest: bind.FromMicros(at)})
		}
	}
	slices.SortStableFunc(heads, func(a, b record.Head) int { return cmp.Compare(bind.ToMicros(b.Newest), bind.ToMicros(a.Newest)) })
	return heads, nil
}

// OldestOf returns when the oldest event was seen that accounts still have; zero for none.
func (in *Inspector) OldestOf(ctx context.Context, accounts []event.Account) (time.Time, error) {
	var at, oldest int64
	for some := range accountPacks(accounts) {
		if err := in.db.QueryRowContext(ctx, oldestSeen, some).Scan(&at); err != nil {
			return time.Time{}, fmt.Errorf("read the oldest event: %w", err)
		}
		if at > 0 && (oldest == 0 || at < oldest) {
			oldest = at
		}
	}
	return bind.FromMicros(oldest), nil
}

// DueLatest returns the accounts of the timers that wait and were due last, at most limit timers, between since and until. Of timers
// that were due at the same time, those of the account that is given first count.
func (in *Inspector) DueLatest(ctx context.Context, accounts []event.Account, since, until time.Time, limit int) ([]event.Account, error) {
	if len(accounts) < 2 {
		return accounts, nil
	}
	places := make(map[event.Account]int, len(accounts))
	for i, a := range accounts {
		places[a] = i
	}
	type timer struct {
		place int
		due   int64
	}
	var due []timer
	err := in.eachRare(ctx, selectDueOf, func(rows scanner) error {
		var a event.Account
		var at int64
		err := rows.Scan(&a, &at)
		// Those that are due at the same time as the last one are read, too: which of them counts is decided by the order of the accounts.
		if err == nil && len(due) >= limit && at < due[len(due)-1].due {
			return errEnough
		}
		if place, known := places[a]; known {
			due = append(due, timer{place, at})
		}
		return err
	}, bind.ToMicros(since), bind.ToMicros(until))
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("read which timers are due: %w", err)
	}
	slices.SortFunc(due, func(a, b timer) int { return cmp.Or(cmp.Compare(b.due, a.due), cmp.Compare(a.place, b.place)) })
	due = due[:min(len(due), limit)]
	has := map[event.Account]bool{}
	for _, t := range due {
		has[accounts[t.place]] = true
	}
	return accountsIn(accounts, has), nil
}
