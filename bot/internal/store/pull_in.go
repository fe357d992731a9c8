package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

// A clock that is set back leaves behind what waits for a while and stands further ahead than that. It waits for its while from then on: nobody
// knows how much of it has gone by.

// timersAhead and delaysAhead find what of an account stands further ahead than its own delay.
const (
	timersAhead = `FROM timer WHERE shard = $1 AND account = $2 AND set_at > $3`
	delaysAhead = `FROM action INDEXED BY action_due WHERE shard = $1 AND account = $2 AND state = 'due' AND priority IN (0, 1, 2) AND due_at > $3
		AND delay > 0 AND due_at > $3 + delay`
	heldAhead = `FROM action INDEXED BY action_open ` + whereOpen + ` AND shard = $1 AND account = $2 AND state = 'held' AND decided_at > $3`
	// lastSet is when the last timer of an account was set that waits for a while, to a second; as far ahead as can be where that was not noted yet.
	lastSet = `coalesce((SELECT read_at FROM fact WHERE shard = $1 AND account = $2 AND trigger_id = '` + ofAccount + `' AND name = '` + lastSetFact + `'),
		9223372036853775807) + 1000000`
	// selectSetAhead reads all timers of an account, which may be a million, only where one of them may have been set by a later clock.
	selectSetAhead = `SELECT CASE WHEN $3 < ` + lastSet + ` THEN (SELECT count(*) ` + timersAhead + `) ELSE 0 END + (SELECT count(*) ` + delaysAhead + `) + (SELECT count(*) ` + heldAhead + `)`
)

// lastSetFact is the name of what is noted of an account when a timer is set that waits for a while: ReadAt is that time.
const lastSetFact = "last_set"

// lastSetEvery is how exact that is: rushes of timers do not note it each time. A clock that is corrected by less is not set back.
const lastSetEvery = time.Second

// noteSet notes when a timer was set.
func (a *applier) noteSet(account event.Account, at time.Time) error {
	if at.IsZero() || at.Before(a.lastSet[account].Add(lastSetEvery)) {
		return nil
	}
	a.lastSet[account] = at
	return a.storeKnown(account, []event.Fact{{Name: lastSetFact, Value: json.RawMessage("true"), ReadAt: at}})
}

type pullingIn struct{ timersIn, delaysIn, heldIn statement }

func (p *pullingIn) statementTexts() map[*statement]string {
	return map[*statement]string{
		&p.timersIn: `UPDATE timer SET due_at = ?3 + due_at - set_at, set_at = ?3 WHERE shard = ?1 AND account = ?2 AND set_at > ?3`,
		// What is due is not decided later than it is due: by that it is known as something that waits for its time.
		&p.delaysIn: `UPDATE action INDEXED BY action_due SET due_at = ?3 + delay, decided_at = CASE WHEN decided_at > ?3 THEN ?3 ELSE decided_at END WHERE shard = ?1 AND account = ?2 AND state = 'due'
			AND priority IN (0, 1, 2) AND due_at > ?3 AND delay > 0 AND due_at > ?3 + delay`,
		// When it is released it leaves as long after that as it was to leave after its decision.
		&p.heldIn: `UPDATE action INDEXED BY action_open SET due_at = CASE WHEN delay > 0 THEN ?3 + delay ELSE due_at END, decided_at = ?3 ` + whereOpen + `
			AND shard = ?1 AND account = ?2 AND state = 'held' AND decided_at > ?3`,
	}
}

// pulling is what stands too far ahead of an account.
type pulling struct {
	account event.Account
	now     time.Time
}

// PullIn lets what a later clock has set wait from now on; see Store.
func (m *memory) PullIn(ctx context.Context, account event.Account, now time.Time) (int, error) {
	n, err := m.setAhead(ctx, account, now)
	if n > 0 && err == nil {
		err = m.commitNow(ctx, Write{pulled: &pulling{account, now}})
	}
	if err != nil {
		return 0, fmt.Errorf("pull in what %s has set by a later clock: %w", account, err)
	}
	return n, nil
}

// setAhead counts what PullIn has to do with.
func (r *Reader) setAhead(ctx context.Context, account event.Account, now time.Time) (n int, err error) {
	_, err = r.queryOne(ctx, selectSetAhead, []any{&n}, account.Shard(), string(account), bind.Instant(now.UnixMicro()))
	return n, err
}

// pullIn does so; nil is nothing.
func (a *applier) pullIn(p *pulling) error {
	if p == nil {
		return nil
	}
	for _, st := range []*statement{&a.timersIn, &a.delaysIn, &a.heldIn} {
		if err := st.key(p.account).at(p.now).do(); err != nil {
			return err
		}
	}
	delete(a.lastSet, p.account)
	return a.noteSet(p.account, p.now)
}
