package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

const selectWhoWaits = selectWait + `INDEXED BY waiting_since WHERE shard = $1 AND account = $2 AND later <= $3 ORDER BY since LIMIT $4 + 0`

// countWaiting counts who waits, with what is held, and what is quarantined, of given accounts.
var countWaiting = `SELECT substr(t.value, 6), (SELECT count(*) FROM waiting WHERE ` + ofGiven + ` AND later <= $2)
	+ (SELECT count(*) FROM action INDEXED BY action_open WHERE (state = 'sending' OR state = 'unsure' OR state = 'held') AND state = 'held' AND ` + ofGiven + `)
	+ (SELECT count(*) FROM event INDEXED BY event_waiting WHERE state <> 'handled' AND state = 'quarantined' AND ` + ofGiven + `) FROM json_each($1) AS t`

// Waiting counts who waits on accounts at a time, with what is held, and what is quarantined: those without anybody are left out. Of each it returns so
// many who have waited longest, but for what is held and quarantined.
func (in *Inspector) Waiting(ctx context.Context, accounts []event.Account, at time.Time, limit int) (all []record.Waiting, counts map[event.Account]int, err error) {
	counts = map[event.Account]int{}
	for some := range accountPacks(accounts) {
		if err := in.eachRare(ctx, countWaiting, func(rows scanner) error {
			var a event.Account
			var n int
			err := rows.Scan(&a, &n)
			if n > 0 {
				counts[a] = n
			}
			return err
		}, some, bind.ToMicros(at)); err != nil {
			return nil, nil, fmt.Errorf("count who waits: %w", err)
		}
	}
	for _, account := range accounts {
		if counts[account] == 0 {
			continue
		}
		some, err := rowsOf(ctx, in.Reader, selectWhoWaits, func(rows scanner) (record.Waiting, error) { return scanWaiting(rows, account) },
			account.Shard(), string(account), bind.ToMicros(at), limit)
		if err != nil {
			return nil, nil, fmt.Errorf("read who waits on %s: %w", account, err)
		}
		all = append(all, some...)
	}
	return all, counts, nil
}
