package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/platform"
)

const (
	selectAction = `SELECT account, key, peer, verb, text, post, target, want, priority, state, due_at, position, settle_from,
		result, tries, reason, decided_at, left_at, ended_at, private, rule, stale_at, until_at, apart, why FROM action `
	selectDue = selectAction + `WHERE shard = $1 AND account = $2 AND state = 'due' AND priority = $3 AND due_at <= $4
		AND peer NOT IN (SELECT value FROM json_each($5)) ORDER BY due_at, position LIMIT $6 + 0`
	selectDueKnown = selectAction + `INDEXED BY action_known WHERE shard = $1 AND account = $2 AND state = 'due' AND known = 1 AND priority = $3
		AND due_at <= $4 AND peer NOT IN (SELECT value FROM json_each($5)) ORDER BY due_at, position LIMIT $6 + 0`
	selectDueFirst = selectAction + `INDEXED BY action_first WHERE shard = $1 AND account = $2 AND state = 'due' AND known <> 1 AND priority = $3
		AND due_at <= $4 AND peer NOT IN (SELECT value FROM json_each($5)) ORDER BY due_at, position LIMIT $6 + 0`
	// One step per priority: a single range would read all actions that are due, or all that are not yet.
	selectNextDue = `SELECT coalesce(min(due), 0) FROM (
		SELECT min(due_at) AS due FROM action WHERE shard = $1 AND account = $2 AND state = 'due' AND priority = 0 UNION ALL
		SELECT min(due_at) FROM action WHERE shard = $1 AND account = $2 AND state = 'due' AND priority = 1 UNION ALL
		SELECT min(due_at) FROM action WHERE shard = $1 AND account = $2 AND state = 'due' AND priority = 2) AS next`
	// Word for word the condition of the index action_open, also in statements that want less of it: SQLite takes a partial index only for what
	// says its condition.
	whereOpen   = `WHERE (state = 'sending' OR state = 'unsure' OR state = 'held')`
	selectOpen  = selectAction + whereOpen + ` AND shard = $1 AND account = $2 AND state <> 'held' ORDER BY position`
	selectAhead = selectAction + `WHERE shard = $1 AND account = $2 AND state = 'due' AND priority = $3 AND due_at > $4
		AND due_at <= decided_at ORDER BY due_at, position LIMIT $5 + 0`
	//mutate:select-held
	selectHeld = selectAction + whereOpen + ` AND shard = $1 AND account = $2 AND state = 'held' AND verb IN ('message', 'post')
		AND left_at > 0 ORDER BY position DESC LIMIT $3 + 0`
	selectStray = `SELECT account, id, peer, verb, text, post, 0, 0, 0, 'held', 0, 0, settle_from, 0, 0, '', 0, left_at, 0, 0, '', 0, 0, 0, ''
		FROM stray `
	selectStrays    = selectStray + `WHERE shard = $1 AND account = $2 ORDER BY left_at DESC LIMIT $3 + 0`
	selectOneAction = selectAction + `WHERE shard = $1 AND account = $2 AND key = $3`
	selectResults   = `SELECT result FROM action INDEXED BY action_result WHERE result > 0
		AND result IN (SELECT value FROM json_each($3)) AND shard = $1 AND account = $2 AND verb = $4`
	selectUnnamed = selectAction + `INDEXED BY action_unnamed WHERE state = 'done' AND result = 0 AND (verb = 'message' OR verb = 'post')
		AND shard = $1 AND account = $2 AND verb = $3 AND CASE verb WHEN 'post' THEN post ELSE peer END = $4 ORDER BY position LIMIT $5 + 0`
	selectLastResult = `SELECT result FROM action INDEXED BY action_result WHERE result > 0
		AND shard = $1 AND account = $2 AND verb = $3 AND state = 'done' ORDER BY result DESC LIMIT 1 + 0`
	selectPosition = `SELECT max(
		(SELECT coalesce(max(position), 0) FROM action WHERE state = 'due'),
		(SELECT coalesce(max(position), 0) FROM action ` + whereOpen + `),
		(SELECT coalesce(max(version), 0) FROM account_value))`
)

// DueActions returns actions in state due whose time has come, by priority, time and place.
func (r *Reader) DueActions(ctx context.Context, account event.Account, now time.Time, except []platform.UserID, limit int) ([]event.Action, error) {
	return r.dueBy(ctx, selectDue, account, now, except, limit)
}

// DueKnown is Due for conversations in which the bot has spoken before, or for all else.
func (r *Reader) DueKnown(
	ctx context.Context, account event.Account, known bool, now time.Time, except []platform.UserID, limit int,
) ([]event.Action, error) {
	if known {
		return r.dueBy(ctx, selectDueKnown, account, now, except, limit)
	}
	return r.dueBy(ctx, selectDueFirst, account, now, except, limit)
}

func (r *Reader) dueBy(
	ctx context.Context, q string, account event.Account, now time.Time, except []platform.UserID, limit int,
) ([]event.Action, error) {
	var due []event.Action
	for p := event.Answer; p <= event.Broadcast && len(due) < limit; p++ {
		more, err := r.readActions(ctx, q, account.Shard(), string(account), int64(p), now.UnixMicro(), bind.NumbersOf(except), limit-len(due))
		if err != nil {
			return nil, fmt.Errorf("read the due actions of %s: %w", account, err)
		}
		due = append(due, more...)
	}
	return due, nil
}

// LastResult returns the highest id of what an account's actions of a verb have made; 0 for nothing.
func (r *Reader) LastResult(ctx context.Context, account event.Account, verb event.Verb) (int64, error) {
	var last int64
	if _, err := r.queryOne(ctx, selectLastResult, []any{&last}, account.Shard(), string(account), string(verb)); err != nil {
		return 0, fmt.Errorf("read what %s has made last: %w", account, err)
	}
	return last, nil
}

// NextDue returns when the next action in state due comes due; zero when there is none.
func (r *Reader) NextDue(ctx context.Context, account event.Account) (time.Time, error) {
	var next int64
	if _, err := r.queryOne(ctx, selectNextDue, []any{&next}, account.Shard(), string(account)); err != nil {
		return time.Time{}, fmt.Errorf("read the next due action of %s: %w", account, err)
	}
	return bind.FromMicros(next), nil
}

// ActionsAhead returns actions in state due that come due after now, although they were due when they were
// decided, by priority, time and place.
func (r *Reader) ActionsAhead(ctx context.Context, account event.Account, now time.Time, limit int) ([]event.Action, error) {
	var ahead []event.Action
	for p := event.Answer; p <= event.Broadcast && len(ahead) < limit; p++ {
		more, err := r.readActions(ctx, selectAhead, account.Shard(), string(account), int64(p), bind.Instant(now.UnixMicro()), limit-len(ahead))
		if err != nil {
			return nil, fmt.Errorf("read the actions of %s that a later clock decided: %w", account, err)
		}
		ahead = append(ahead, more...)
	}
	return ahead, nil
}

// HeldActions returns messages and posts that left and were held: the last ones that a person has decided about since,
// with what tells of their copies on the platform alone, and the last ones that are held.
func (r *Reader) HeldActions(ctx context.Context, account event.Account, limit int) ([]event.Action, error) {
	var all []event.Action
	for _, q := range []struct {
		text string
		at   cells
	}{{selectStrays, seal.OfStray}, {selectHeld, seal.ActionText.CellOf}} { // in this order
		held, err := rowsOf(ctx, r, q.text, func(rows scanner) (event.Action, error) { return r.scanAction(rows, q.at) }, account.Shard(), string(account), limit)
		if err != nil {
			return nil, fmt.Errorf("read what is held of %s: %w", account, err)
		}
		slices.Reverse(held)
		all = append(all, held...)
	}
	return all, nil
}

// Open returns the actions in state sending or in doubt, by position.
func (r *Reader) Open(ctx context.Context, account event.Account) ([]event.Action, error) {
	actions, err := r.readActions(ctx, selectOpen, account.Shard(), string(account))
	if err != nil {
		return nil, fmt.Errorf("read the open actions of %s: %w", account, err)
	}
	return actions, nil
}

// Action returns an action by its key; false when there is none.
func (r *Reader) Action(ctx context.Context, account event.Account, key string) (event.Action, bool, error) {
	a, found, err := firstOf(r.readActions(ctx, selectOneAction, account.Shard(), string(account), key))
	if err != nil {
		return a, false, fmt.Errorf("read the action %s of %s: %w", key, account, err)
	}
	return a, found, nil
}

// Results returns which of ids are results of the account's actions of this verb.
func (r *Reader) Results(ctx context.Context, account event.Account, verb event.Verb, ids []int64) (map[int64]bool, error) {
	found := map[int64]bool{}
	err := r.each(ctx, selectResults, func(rows scanner) error {
		var id int64
		err := rows.Scan(&id)
		found[id] = true
		return err
	}, account.Shard(), string(account), bind.NumbersOf(ids), string(verb))
	if err != nil {
		return nil, fmt.Errorf("read the results of %s: %w", account, err)
	}
	return found, nil
}

// UnnamedActions returns an account's messages to a person, or its replies to a post, that are done although nobody knows what they made, by position,
// at most limit.
func (r *Reader) UnnamedActions(ctx context.Context, account event.Account, verb event.Verb, target int64, limit int) ([]event.Action, error) {
	unnamed, err := r.readActions(ctx, selectUnnamed, account.Shard(), string(account), string(verb), target, limit)
	if err != nil {
		return nil, fmt.Errorf("read what %s has made without a name: %w", account, err)
	}
	return unnamed, nil
}

// lastPosition returns the highest position of the actions that may still leave, or version of a value of an account.
func (r *Reader) lastPosition(ctx context.Context) (int64, error) {
	var last int64
	if _, err := r.queryOne(ctx, selectPosition, []any{&last}); err != nil {
		return 0, fmt.Errorf("read the last position: %w", err)
	}
	return last, nil
}

func (r *Reader) readActions(ctx context.Context, text string, args ...any) ([]event.Action, error) {
	return rowsOf(ctx, r, text, r.scanOneAction, args...)
}

// cells tells where the text of a row stands that an id finds.
type cells func(account event.Account, id string) seal.Cell

func (r *Reader) scanOneAction(rows scanner) (event.Action, error) {
	return r.scanAction(rows, seal.ActionText.CellOf)
}

// scanAction reads a row of selectAction, and what stands behind it.
func (r *Reader) scanAction(rows scanner, at cells, behind ...any) (event.Action, error) {
	var a event.Action
	var text seal.Value
	var target, due, decided, left, ended, stale, until, apart int64
	err := rows.Scan(append([]any{
		&a.Account, &a.Key, &a.Peer, &a.Verb, &text, &a.Post, &target, &a.Want, &a.Priority, &a.State,
		&due, &a.Position, &a.ReconcileFrom, &a.Result, &a.Tries, &a.Reason, &decided, &left, &ended, &a.Private, &a.Rule, &stale, &until, &apart, &a.Why,
	}, behind...)...)
	a.SetTarget(target)
	a.Due, a.DecidedAt, a.LeftAt, a.EndedAt = bind.FromMicros(due), bind.FromMicros(decided), bind.FromMicros(left), bind.FromMicros(ended)
	a.Stale, a.Until, a.Apart = bind.FromMicros(stale), bind.FromMicros(until), time.Duration(apart)*time.Microsecond
	if err == nil {
		a.Text, err = text.TextFrom(r.vault, at(a.Account, a.Key))
	}
	return a, err
}
