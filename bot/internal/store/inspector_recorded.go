package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectTurn = selectTurnRow + `WHERE shard = $1 AND account = $2 AND id = $3`
	// It reads all that an account has, and sorts it: for what a person asks now and then.
	selectRecorded = `SELECT account, source, number, peer, kind, name, username, text, image, post, subject, seen_at, not_before, said_at,
			state, tries, late, handled_at, route, outcome, note, rule, rules_version, before, why, '' AS id
		FROM event WHERE shard = $1 AND account = $2 AND state = 'handled' AND handled_at >= $3
		UNION ALL SELECT account, 0, 0, peer, '', '', '', '', '', 0, '', 0, 0, 0,
			'', 0, 0, handled_at, route, outcome, note, rule, rules_version, before, why, id
		FROM turn WHERE shard = $1 AND account = $2 AND handled_at >= $3 ORDER BY handled_at, source, number, id`
	selectFactsOf = `SELECT trigger_id, name, fact.value, read_at FROM json_each($3) AS t CROSS JOIN fact
		WHERE shard = $1 AND account = $2 AND trigger_id = t.value ORDER BY t.key, name`
	selectActionsFor = `SELECT account, action.key, peer, verb, text, post, target, want, priority, state, due_at, position, settle_from,
			result, tries, reason, decided_at, left_at, ended_at, private, rule, stale_at, until_at, apart, why, t.key FROM json_each($3) AS t CROSS JOIN action
		WHERE shard = $1 AND account = $2 AND `
	selectActionsOf = selectActionsFor + `action.key >= t.value || '/' AND action.key < t.value || '0' ORDER BY t.key, action.key`
	selectNamedOf   = selectActionsFor + `action.key IN (SELECT n.key FROM named AS n INDEXED BY named_trigger
			WHERE n.shard = $1 AND n.account = $2 AND n.trigger_id = t.value) ORDER BY t.key, action.key`
)

// Turn returns a turn that no event started, by the id of its trigger; false when there is none. A timer that has had
// no turn yet is found, too.
func (in *Inspector) Turn(ctx context.Context, account event.Account, id string) (record.TurnRow, bool, error) {
	t, found, err := firstOf(rowsOf(ctx, in.Reader, selectTurn, in.scanTurn(account), account.Shard(), string(account), id))
	if err != nil {
		return record.TurnRow{Account: account, ID: id}, false, fmt.Errorf("read the turn %s of %s: %w", id, account, err)
	}
	if !found {
		return in.unfired(ctx, account, id)
	}
	return t, found, nil
}

// Why returns the turn for an id, which may be that of an event, of a trigger, or of an action that a turn decided; false
// when there is none. An event that had no turn yet is found, too.
func (in *Inspector) Why(ctx context.Context, account event.Account, id string) (record.Recorded, bool, error) {
	trigger, err := in.TriggerOf(ctx, account, id)
	if err != nil {
		return record.Recorded{}, false, err
	}
	if trigger == "" {
		trigger = id
	}
	for ; trigger != ""; trigger = trigger[:max(strings.LastIndexByte(trigger, '/'), 0)] { // an action's key begins with it
		r, found, err := in.started(ctx, account, trigger)
		if err != nil {
			return r, false, err
		}
		if !found {
			continue
		}
		batch := []record.Recorded{r}
		err = in.completeTurns(ctx, account, batch)
		return batch[0], err == nil, err
	}
	return record.Recorded{}, false, nil
}

// started returns what has started a turn.
func (in *Inspector) started(ctx context.Context, account event.Account, trigger string) (record.Recorded, bool, error) {
	if id, err := event.ParseID(trigger); err == nil {
		e, found, err := in.Event(ctx, account, id)
		return record.Recorded{Event: &e}, found, err
	}
	t, found, err := in.Turn(ctx, account, trigger)
	return record.Recorded{Turn: &t}, found, err
}

// unfired returns the turn that a timer, by the id of its occurrence, has not had yet; false when it is not set.
func (in *Inspector) unfired(ctx context.Context, account event.Account, id string) (record.TurnRow, bool, error) {
	timer, err := event.ParseTimer(id)
	if err != nil {
		return record.TurnRow{}, false, nil //nolint:nilerr // it is something else
	}
	row, found, err := in.Alarm(ctx, event.Key{Account: account, Peer: timer.Key.Peer}, timer.Name)
	if err != nil || !found || row.Occurrence != timer.Occurrence {
		return record.TurnRow{}, false, err
	}
	return record.TurnRow{Account: account, ID: id, Peer: timer.Key.Peer, Record: event.DecisionRecord{Note: row.Note, Why: row.Why}, Timer: &row}, true, nil
}

// ActionsOf returns the actions that a trigger led to, by key.
func (in *Inspector) ActionsOf(ctx context.Context, account event.Account, trigger string) ([]event.Action, error) {
	batch := []record.Recorded{{Turn: &record.TurnRow{ID: trigger}}}
	if err := in.fillActions(ctx, account, batch, text(batch)); err != nil {
		return nil, fmt.Errorf("read the actions of %s: %w", trigger, err)
	}
	return batch[0].Actions, nil
}

// recordedBatch is how many turns are held at a time.
const recordedBatch = 500

// Recorded calls f with each turn of an account that is stored as handled since a time, in the order in which
// they were handled. An error of f ends it, and is returned as it is.
func (in *Inspector) Recorded(ctx context.Context, account event.Account, since time.Time, f func(record.Recorded) error) error {
	batch := make([]record.Recorded, 0, recordedBatch)
	var failed error
	err := in.eachRare(ctx, selectRecorded, func(rows scanner) error {
		r, err := in.scanRecorded(rows)
		if batch = append(batch, r); err != nil || len(batch) < recordedBatch {
			return err
		}
		failed = in.hand(ctx, account, batch, f)
		batch = batch[:0]
		return failed
	}, account.Shard(), string(account), bind.ToMicros(since))
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("read the turns of %s: %w", account, err)
	}
	return in.hand(ctx, account, batch, f)
}

func (r *Reader) scanRecorded(rows scanner) (record.Recorded, error) {
	var id string
	var e storedEvent
	if err := e.scan(rows, &id); err != nil {
		return record.Recorded{}, err
	}
	if id == "" {
		err := e.open(r.vault)
		return record.Recorded{Event: &e.EventRow}, err
	}
	err := e.openRecord(r.vault, seal.TurnNote.CellOf(e.Account, id), seal.TurnBefore.CellOf(e.Account, id))
	return record.Recorded{Turn: &record.TurnRow{Account: e.Account, ID: id, Peer: e.Peer, HandledAt: e.HandledAt, Record: e.Record}}, err
}

// completeTurns completes turns.
func (in *Inspector) completeTurns(ctx context.Context, account event.Account, batch []record.Recorded) error {
	ids := text(batch)
	if err := in.fillFacts(ctx, account, batch, ids); err != nil {
		return fmt.Errorf("read the facts of turns of %s: %w", account, err)
	}
	if err := in.fillActions(ctx, account, batch, ids); err != nil {
		return fmt.Errorf("read the actions of turns of %s: %w", account, err)
	}
	return nil
}

// hand completes turns and hands them over.
func (in *Inspector) hand(ctx context.Context, account event.Account, batch []record.Recorded, f func(record.Recorded) error) error {
	if err := in.completeTurns(ctx, account, batch); err != nil {
		return err
	}
	for _, r := range batch {
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// text returns the ids of turns.
func text(batch []record.Recorded) bind.Words {
	ids := make(bind.Words, len(batch))
	for i := range batch {
		ids[i] = batch[i].Trigger()
	}
	return ids
}

func (in *Inspector) fillFacts(ctx context.Context, account event.Account, batch []record.Recorded, ids bind.Words) error {
	n := 0
	return in.eachRare(ctx, selectFactsOf, func(rows scanner) error {
		of, err := in.scanTriggerFact(rows, account)
		if err != nil {
			return err
		}
		for batch[n].Trigger() != of.Trigger { // both are in the order of the batch
			n++
		}
		batch[n].Facts = append(batch[n].Facts, of.Fact)
		return nil
	}, account.Shard(), string(account), ids)
}

func (in *Inspector) fillActions(ctx context.Context, account event.Account, batch []record.Recorded, ids bind.Words) error {
	for _, text := range []string{selectActionsOf, selectNamedOf} {
		if err := in.eachRare(ctx, text, func(rows scanner) error {
			var n int
			a, err := in.scanAction(rows, seal.ActionText.CellOf, &n)
			if err == nil {
				batch[n].Actions = append(batch[n].Actions, a)
			}
			return err
		}, account.Shard(), string(account), ids); err != nil {
			return err
		}
	}
	return nil
}
