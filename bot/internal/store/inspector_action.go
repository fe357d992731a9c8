package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectActionsBy   = selectAction + `WHERE shard = $1 AND account = $2 AND key >= $3 AND key < $4 ORDER BY key DESC LIMIT $5 + 0`
	selectActionsOpen = selectAction + whereOpen + ` AND shard = $1 AND account = $2 AND state = $3 AND (peer = $4 OR $4 = 0)
		AND position < $5 ORDER BY position DESC LIMIT $6 + 0`
	selectActionsDue = selectAction + `WHERE shard = $1 AND account = $2 AND state = 'due' AND priority = $3 AND due_at >= $4
		AND (due_at > $4 OR position > $5) AND (peer = $6 OR $6 = 0) ORDER BY due_at, position LIMIT $7 + 0`
	selectActionsWaiting = selectAction + `INDEXED BY action_waiting WHERE state = 'due' AND shard = $1 AND account = $2 AND peer = $3
		ORDER BY key LIMIT $4 + 0`
)

// Actions returns actions: those that are due in the order in which they leave, others newest first.
func (in *Inspector) Actions(ctx context.Context, q record.ActionQuery) ([]event.Action, error) {
	shard, account := q.Account.Shard(), string(q.Account)
	var actions []event.Action
	var err error
	switch {
	case q.State == "":
		actions, err = in.actionsOf(ctx, q)
	case q.State != event.StateDue:
		behind := int64(math.MaxInt64)
		if q.After != nil {
			behind = q.After.Position
		}
		actions, err = in.readActions(ctx, selectActionsOpen, shard, account, string(q.State), int64(q.Peer), behind, q.Limit)
	case q.After != nil:
		actions, err = in.dueBehind(ctx, &q)
	case q.Peer != 0:
		actions, err = in.dueOf(ctx, &q)
	default:
		actions, err = in.DueActions(ctx, q.Account, time.UnixMicro(math.MaxInt64), nil, q.Limit)
	}
	if err != nil {
		return nil, fmt.Errorf("read actions of %s: %w", q.Account, err)
	}
	return actions, nil
}

// dueOf returns the actions of a conversation that are due, in the order in which they leave.
func (in *Inspector) dueOf(ctx context.Context, q *record.ActionQuery) ([]event.Action, error) {
	// The index has them by their keys: the first to leave may have the last one.
	most := max(q.Limit, maxTimed) + 1
	due, err := in.readActions(ctx, selectActionsWaiting, q.Account.Shard(), string(q.Account), int64(q.Peer), most)
	if err != nil {
		return nil, err
	}
	if len(due) == most { // there may be more: those of all others are passed by then
		first := *q
		first.After = &event.Action{Priority: event.Answer, Due: time.UnixMicro(-1 << 62), Position: math.MinInt64}
		return in.dueBehind(ctx, &first)
	}
	slices.SortStableFunc(due, func(a, b event.Action) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.Due.Compare(b.Due), cmp.Compare(a.Position, b.Position))
	})
	return due[:min(len(due), q.Limit)], nil
}

// dueBehind returns actions that are due behind another, in the order in which they leave.
func (in *Inspector) dueBehind(ctx context.Context, q *record.ActionQuery) (due []event.Action, err error) {
	at, position := bind.ToMicros(q.After.Due), q.After.Position
	for p := q.After.Priority; p <= event.Broadcast && len(due) < q.Limit; p++ {
		more, err := in.readActions(ctx, selectActionsDue, q.Account.Shard(), string(q.Account), int64(p), at, position, int64(q.Peer), q.Limit-len(due))
		if err != nil {
			return nil, err
		}
		due = append(due, more...)
		at, position = math.MinInt64, math.MinInt64 // all of the next priority
	}
	return due, nil
}

// What is looked at for the newest actions of a conversation.
const (
	maxTimed    = 1000 // actions of timers
	maxActingOn = 1000 // events
)

// actionsOf returns actions of a conversation, newest first: those of its newest events and of its
// timers. They are found by their triggers, with which their keys begin: an index would cost every turn. Of more
// than maxTimed actions of timers, those with the highest keys are looked at, which need not be the newest ones.
func (in *Inspector) actionsOf(ctx context.Context, q record.ActionQuery) ([]event.Action, error) {
	events, err := in.readEvents(ctx, record.EventQuery{Account: q.Account, Peer: q.Peer, Limit: max(q.Limit, maxActingOn)})
	if err != nil {
		return nil, err
	}
	all, err := in.actionsBy(ctx, q.Account, fmt.Sprintf("timer:%d", q.Peer), maxTimed)
	for i := 0; i < len(events) && err == nil; i++ {
		var more []event.Action
		more, err = in.actionsBy(ctx, q.Account, events[i].ID.String(), max(q.Limit, maxTimed)) // the newest need not have the highest keys
		all = append(all, more...)
	}
	order := func(a, b event.Action) int {
		return cmp.Or(b.DecidedAt.Compare(a.DecidedAt), cmp.Compare(b.Position, a.Position), cmp.Compare(b.Key, a.Key))
	}
	slices.SortStableFunc(all, order)
	if q.After != nil {
		all = slices.DeleteFunc(all, func(a event.Action) bool { return order(a, *q.After) <= 0 })
	}
	return all[:min(len(all), q.Limit)], err
}

// actionsBy returns the actions that a trigger led to; of a part of an id that ends before "/", those of all triggers that begin with it.
func (in *Inspector) actionsBy(ctx context.Context, account event.Account, trigger string, limit int) ([]event.Action, error) {
	all, err := in.readActions(ctx, selectActionsBy, account.Shard(), string(account), trigger+"/", trigger+"0", limit) // "0" comes after "/"
	if err != nil {
		return nil, err
	}
	named, err := in.readActions(ctx, selectNamedBy, account.Shard(), string(account), trigger, trigger+"0", limit)
	return append(all, named...), err
}
