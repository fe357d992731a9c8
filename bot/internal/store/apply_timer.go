package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// timing are the statements of timers.
type timing struct {
	timer, cancel, fire         statement
	isSet, tryTimer, retryTimer statement
	orphan, adopt               statement
}

func (t *timing) statementTexts() map[*statement]string {
	return map[*statement]string{
		&t.timer: `INSERT INTO timer (shard, account, peer, name, occurrence, due_at, data, first_due_at, state, tries, late, tried_at, note, why, set_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, 0, 0, '', '', ?)
			ON CONFLICT (shard, account, peer, name) DO UPDATE SET occurrence = excluded.occurrence, due_at = excluded.due_at, data = excluded.data,
				first_due_at = excluded.first_due_at, state = 'waiting', tries = 0, late = 0, tried_at = 0, note = '', why = '', set_at = excluded.set_at`,
		&t.tryTimer: `UPDATE timer SET state = ?, tries = ?, tried_at = ?, note = ?, why = ?
			WHERE shard = ? AND account = ? AND peer = ? AND name = ? AND occurrence = ?`,
		&t.retryTimer: `UPDATE timer SET state = 'waiting', tries = 0, late = 1
			WHERE shard = ? AND account = ? AND peer = ? AND name = ? AND occurrence = ? AND state = 'quarantined'`,
		&t.orphan: `UPDATE timer SET state = 'orphaned'
			WHERE shard = ? AND account = ? AND peer = ? AND name = ? AND occurrence = ? AND state = 'waiting'`,
		&t.adopt: `UPDATE timer SET state = 'waiting' WHERE (shard, account, peer, name) IN (
				SELECT shard, account, peer, name FROM timer INDEXED BY timer_aside
				WHERE state <> 'waiting' AND shard = ? AND account = ? AND state = 'orphaned' AND name IN (SELECT value FROM json_each(?)) LIMIT ? + 0)`,
		&t.cancel: `DELETE FROM timer WHERE shard = ? AND account = ? AND peer = ? AND name = ?`,
		&t.fire:   `DELETE FROM timer WHERE shard = ? AND account = ? AND peer = ? AND name = ? AND occurrence = ?`,
		&t.isSet:  `SELECT 1 FROM timer WHERE shard = ? AND account = ? AND peer = ? AND name = ? AND occurrence = ?`,
	}
}

// adoption lets some orphaned timers wait again.
type adoption struct {
	account event.Account
	names   []string
	changed int64 // how many; of the writer until it is stored
}

// adoptionBatch is how many timers wait again with one commit: turns do not wait for all of them.
const adoptionBatch = 2000

// AdoptTimers lets orphaned timers wait again; see Store.
func (w *Writer) AdoptTimers(ctx context.Context, account event.Account, names []string) error {
	for more := true; more; {
		some := &adoption{account: account, names: names}
		if err := w.commitNow(ctx, Write{adopted: some}); err != nil {
			return fmt.Errorf("let timers of %s wait again: %w", account, err)
		}
		more = some.changed == adoptionBatch
	}
	return nil
}

// storeTimer sets or cancels a timer.
func (a *applier) storeTimer(t *event.Timer) error {
	err := a.untryTimer(t) //mutate:untry-timer
	switch {
	case err != nil:
	case t.Due.IsZero():
		err = a.cancel.key(t.Key.Account).int(int64(t.Key.Peer)).str(t.Name).do()
	default:
		if err = a.noteSet(t.Key.Account, t.Set); err != nil {
			return err
		}
		err = a.timer.addOccurrence(t).at(t.Due).addSecret(seal.TimerData.OfTimer(t.Key, t.Name), string(t.Data)).at(t.First).at(t.Set).do()
	}
	return err
}

// storeOrphans sets timers aside that the program has no route for, and lets others wait again.
func (a *applier) storeOrphans(w *Write) error {
	for i := range w.Orphans {
		if err := a.orphan.addOccurrence(&w.Orphans[i]).do(); err != nil {
			return err
		}
	}
	if w.adopted == nil {
		return nil
	}
	n, err := a.adopt.key(w.adopted.account).addWords(w.adopted.names).int(adoptionBatch).run()
	w.adopted.changed = n
	return err
}
