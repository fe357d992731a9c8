package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectActionsBy   = selectAction + `WHERE shard = $1 AND account = $2 AND key >= $3 AND key < $4 ORDER BY key DESC LIMIT $5 + 0`
	selectActionsOpen = selectAction + whereOpen + ` AND shard = $1 AND account = $2 AND state = $3 AND (peer = $4 OR $4 = 0)
		ORDER BY position DESC LIMIT $5 + 0`
	selectActionsWaiting = selectAction + `INDEXED BY action_waiting WHERE state = 'due' AND shard = $1 AND account = $2 AND peer = $3
		ORDER BY key LIMIT $4 + 0`
)

// Actions returns actions: those that are due in the order in which they leave, others newest first.
func (d *Inspector) Actions(ctx context.Context, q record.ActionQuery) ([]event.Action, error) {
	shard, account := q.Account.Shard(), string(q.Account)
	var actions []event.Action
	var err error
	switch {
	case q.State == "":
		actions, err = d.actionsOf(ctx, q)
	case q.State != event.StateDue:
		actions, err = d.actions(ctx, d.actionsOpen, shard, account, string(q.State), int64(q.Peer), q.Limit)
	case q.Peer != 0:
		actions, err = d.actions(ctx, d.actionsWaiting, shard, account, int64(q.Peer), q.Limit)
		slices.SortStableFunc(actions, func(a, b event.Action) int {
			return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Position, b.Position))
		})
	default:
		actions, err = d.Due(ctx, q.Account, time.UnixMicro(math.MaxInt64), nil, q.Limit)
	}
	if err != nil {
		return nil, fmt.Errorf("read actions of %s: %w", q.Account, err)
	}
	return actions, nil
}

// What is looked at for the newest actions of a conversation.
const (
	maxTimed    = 1000 // actions of timers
	maxActingOn = 1000 // events
)

// actionsOf returns actions of a conversation, newest first: those of its newest events and of its
// timers. They are found by what triggered them, which their keys begin with: an index would cost every
// turn. Of more than maxTimed actions of timers, those with the highest keys are looked at, which need
// not be the newest ones.
func (d *Inspector) actionsOf(ctx context.Context, q record.ActionQuery) ([]event.Action, error) {
	events, err := d.events(ctx, record.EventQuery{Account: q.Account, Peer: q.Peer, Limit: max(q.Limit, maxActingOn)})
	if err != nil {
		return nil, err
	}
	all, err := d.actionsBy(ctx, q.Account, fmt.Sprintf("timer:%d", q.Peer), maxTimed)
	for i := 0; i < len(events) && err == nil; i++ {
		var more []event.Action
		more, err = d.actionsBy(ctx, q.Account, events[i].ID.String(), q.Limit)
		all = append(all, more...)
	}
	slices.SortStableFunc(all, func(a, b event.Action) int {
		return cmp.Or(b.DecidedAt.Compare(a.DecidedAt), cmp.Compare(b.Position, a.Position), cmp.Compare(b.Key, a.Key))
	})
	return all[:min(len(all), q.Limit)], err
}

// actionsBy returns the actions that a trigger, or all whose ids begin with a part of one that ends before "/", led to.
func (d *Inspector) actionsBy(ctx context.Context, account event.Account, trigger string, limit int) ([]event.Action, error) {
	all, err := d.actions(ctx, d.actionsOfTrigger, account.Shard(), string(account), trigger+"/", trigger+"0", limit) // "0" comes after "/"
	if err != nil {
		return nil, err
	}
	named, err := d.actions(ctx, d.namedBy, account.Shard(), string(account), trigger, trigger+"0", limit)
	return append(all, named...), err
}
