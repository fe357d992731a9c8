package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// How long ago the requests of actions in doubt were given up stands beside them, in the table doubt: few actions ever are, so a turn pays nothing
// for it.

const (
	// Only while the action is open: what has ended meanwhile, or went back, gets none that another request of it would find.
	//mutate:age-open
	upsertAge = `INSERT INTO doubt (shard, account, key, given_up, boot, steady, epoch) SELECT shard, account, key, ?, ?, ?, 0 FROM action
		WHERE shard = ? AND account = ? AND key = ? AND (state = 'sending' OR state = 'unsure')` + `
		ON CONFLICT (shard, account, key) DO UPDATE SET given_up = excluded.given_up, boot = excluded.boot, steady = excluded.steady, epoch = excluded.epoch`
	selectAges = `SELECT key, given_up, boot, steady FROM doubt WHERE (shard, account, key) IN (SELECT shard, account, key FROM action INDEXED BY action_open ` + whereOpen + `
		AND shard = $1 AND account = $2 AND state <> 'held')`
)

// On a server a worker of the version before may have had the shard meanwhile. It does not know this table, and may have called what is in doubt
// again: so a row counts only where its owner was the last one, or where no worker has stored it.
var _ = remote.AddRewordings(map[string]string{
	upsertAge: `INSERT INTO doubt (shard, account, key, given_up, boot, steady, epoch) SELECT a.shard, a.account, a.key, ?, ?, ?, coalesce((SELECT s.epoch FROM shard AS s WHERE s.shard = a.shard), 0) FROM action AS a
		WHERE a.shard = ? AND a.account = ? AND a.key = ? AND (a.state = 'sending' OR a.state = 'unsure')
		ON CONFLICT (shard, account, key) DO UPDATE SET given_up = excluded.given_up, boot = excluded.boot, steady = excluded.steady, epoch = excluded.epoch`,
	selectAges: selectAges + ` AND (epoch = 0 OR epoch >= coalesce((SELECT s.epoch FROM shard AS s WHERE s.shard = $1), 0) - 1)`, //mutate:age-owner
})

// doubting are the statements about what is in doubt.
type doubting struct{ age, ageless statement }

func (d *doubting) statementTexts() map[*statement]string {
	return map[*statement]string{
		&d.age:     upsertAge,
		&d.ageless: `DELETE FROM doubt WHERE shard = ? AND account = ? AND key = ?`,
	}
}

// storeAge stores the age of a mark.
func (a *applier) storeAge(m *outbox.Mark) error {
	return a.age.int(m.Age.GivenUp.Microseconds()).str(m.Age.Boot).int(m.Age.Steady.Microseconds()).key(m.Account).str(m.Key).do()
}

// takeAge takes the age of an action away.
func (a *applier) takeAge(account event.Account, key string) error {
	return a.ageless.key(account).str(key).do()
}

// DoubtAges returns how long ago the requests of actions in doubt were given up, by their keys.
func (r *Reader) DoubtAges(ctx context.Context, account event.Account) (map[string]outbox.Age, error) {
	ages := map[string]outbox.Age{}
	err := r.each(ctx, selectAges, func(rows scanner) error {
		var key string
		var ago, steady int64
		var age outbox.Age
		err := rows.Scan(&key, &ago, &age.Boot, &steady)
		age.GivenUp, age.Steady = time.Duration(ago)*time.Microsecond, time.Duration(steady)*time.Microsecond
		ages[key] = age
		return err
	}, account.Shard(), string(account))
	if err != nil {
		return nil, fmt.Errorf("read since when actions of %s are in doubt: %w", account, err)
	}
	return ages, nil
}
