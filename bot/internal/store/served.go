package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

// served are the shards that this process works on, where several share a database; nil for all. Of the other shards it is shown no actions
// that are due, no requests and no notices, and it deletes none of their old rows.
type served struct {
	shards  atomic.Pointer[[]int64]
	changes atomic.Int64
}

// shardList returns the shards as a parameter of a statement; false for all.
func (s *served) shardList() (bind.Numbers, bool) {
	p := s.shards.Load()
	if p == nil {
		return nil, false
	}
	return bind.Numbers(*p), true
}

func (s *served) has(shard int64) bool {
	p := s.shards.Load()
	if p == nil {
		return true
	}
	_, found := slices.BinarySearch(*p, shard)
	return found
}

// next returns the first shard from one on that is this process's; false when there is none.
func (s *served) next(shard int64) (int64, bool) {
	p := s.shards.Load()
	if p == nil {
		return shard, true
	}
	i, _ := slices.BinarySearch(*p, shard)
	if i == len(*p) {
		return 0, false
	}
	return (*p)[i], true
}

// drawShards returns any of the shards.
func (s *served) drawShards() int64 {
	drawn := rand.Int64N(event.Shards) //nolint:gosec // nobody has to guess it
	if p := s.shards.Load(); p != nil && len(*p) > 0 {
		return (*p)[int(drawn)%len(*p)]
	}
	return drawn
}

// Serve says which shards this process serves from now on, in the place of those before. Before the first call it serves all.
func (m *memory) Serve(shards []int) {
	var is [event.Shards]bool // a worker that leaves says so shard by shard: sorting takes longer than all the rest
	for _, s := range shards {
		if s >= 0 && s < event.Shards { // there is no other
			is[s] = true
		}
	}
	all := make([]int64, 0, len(shards))
	for s, served := range is {
		if served {
			all = append(all, int64(s))
		}
	}
	m.served.shards.Store(&all)
	m.served.changes.Add(1)
}

// Serves reports whether this process works on an account. The work of the whole bot, "", belongs to the shard of that name.
func (r *Reader) Serves(account event.Account) bool { return r.served.has(int64(account.Shard())) }

// Handed returns how often the shards that this process works on have changed.
func (r *Reader) Handed() int64 { return r.served.changes.Load() }

const selectPositionOf = `SELECT max(
	(SELECT coalesce(max(position), 0) FROM action WHERE state = 'due' AND shard = $1 AND account = $2),
	(SELECT coalesce(max(position), 0) FROM action ` + whereOpen + ` AND shard = $1 AND account = $2),
	(SELECT coalesce(max(version), 0) FROM account_value WHERE shard = $1 AND account = $2))`

// Begin makes ready for a term of an account: the process that had it before has changed what is remembered here, and its clock may have
// been ahead.
func (m *memory) Begin(ctx context.Context, account event.Account) error {
	if _, some := m.served.shardList(); !some { // nobody else had it
		return nil
	}
	if ctx.Value(aheadKey{}) == nil { // or BeginAll has
		if err := m.commitNow(ctx, Write{begins: []event.Account{account}}); err != nil {
			return fmt.Errorf("begin with %s: %w", account, err)
		}
	}
	last, err := m.positionOf(ctx, account)
	if err != nil {
		return fmt.Errorf("begin with %s: read the last position: %w", account, err)
	}
	for p := m.position.Load(); p < last && !m.position.CompareAndSwap(p, last); p = m.position.Load() {
	}
	return nil
}

func (r *Reader) positionOf(ctx context.Context, account event.Account) (last int64, err error) {
	_, err = r.queryOne(ctx, selectPositionOf, []any{&last}, account.Shard(), string(account))
	return last, err
}

// beginTerms forgets what was remembered of accounts.
func (a *applier) beginTerms(accounts []event.Account) {
	for _, account := range accounts {
		delete(a.tried, account)
		delete(a.lastSet, account)
		delete(a.waiters, account)
	}
	a.keep.unread = true // they are read before anything else of the next group
}
