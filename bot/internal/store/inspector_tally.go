package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// They look at all that an account has, a third of a second for a million rows: for somebody who asks now and then.
const (
	tallied = `SELECT rule, outcome, handled_at / 3600000000 AS hour, count(*), max(handled_at) FROM `
	tallyOf = ` WHERE shard = $1 AND account = $2 AND handled_at >= $3 `

	selectTally = tallied + `event` + tallyOf + `AND state = 'handled' AND outcome <> 'gathering' GROUP BY rule, outcome, hour UNION ALL ` +
		tallied + `turn` + tallyOf + `AND id < 'timer;' AND id >= 'timer:' GROUP BY rule, outcome, hour`
	selectWatchTally = `SELECT rule, 'watched', decided_at / 3600000000 AS hour, count(*), max(decided_at) FROM action
		WHERE shard = $1 AND account = $2 AND decided_at >= $3 AND rule <> '' AND state = 'withdrawn' AND ` + reason.WatchedSQL + `
		GROUP BY rule, hour`
)

// Tallies counts the turns of events and timers that an account has handled since a time, by rule, outcome and hour. What
// rules on watch would have done is counted for them, as watched.
func (in *Inspector) Tallies(ctx context.Context, account event.Account, since time.Time) ([]record.Tally, error) {
	var all []record.Tally
	for _, query := range []string{selectTally, selectWatchTally} {
		some, err := in.readTallies(ctx, query, account.Shard(), string(account), bind.ToMicros(since))
		if err != nil {
			return nil, fmt.Errorf("count what was decided for %s: %w", account, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

func (in *Inspector) readTallies(ctx context.Context, text string, args ...any) (all []record.Tally, err error) {
	err = in.eachRare(ctx, text, func(rows scanner) error {
		var t record.Tally
		var hour, last int64
		err := rows.Scan(&t.Rule, outcomeIn(&t.Outcome), &hour, &t.Count, &last)
		t.Hour, t.Last = time.Unix(hour*3600, 0), bind.FromMicros(last)
		for rule := range strings.SplitSeq(t.Rule, ", ") { // several rules may answer one burst
			t.Rule = rule
			all = append(all, t)
		}
		return err
	}, args...)
	return all, err
}
