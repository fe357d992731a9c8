package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

const (
	// What is published may wait for what was published before it, which the store does not know.
	ofOthers       = ` AND ($5 = 0 OR NOT (verb = 'renew' OR verb = 'repost' AND want = 1 OR verb = 'post' AND post = 0))`
	whereOverdue   = `WHERE shard = $1 AND account = $2 AND state = 'due' AND priority = $3 AND due_at <= $4` + ofOthers
	selectOverdue  = `SELECT peer, verb, due_at FROM action ` + whereOverdue + ` ORDER BY due_at, position LIMIT 1 + 0`
	selectOverdues = `SELECT count(*) FROM action ` + whereOverdue
)

// FirstOverdue returns the action in state due that has been due for longest: its person, its verb and its time alone; false when there is none.
// Without publications, actions that publish are left out.
func (r *Reader) FirstOverdue(ctx context.Context, account event.Account, now time.Time, publications bool) (first event.Action, ok bool, err error) {
	for p := event.Answer; p <= event.Broadcast; p++ {
		a, due := event.Action{Account: account, Priority: p}, int64(0)
		found, err := r.queryOne(ctx, selectOverdue, []any{&a.Peer, &a.Verb, &due}, account.Shard(), string(account), int64(p), now.UnixMicro(), withoutPublications(publications))
		if err != nil {
			return first, false, fmt.Errorf("read what of %s is due for longest: %w", account, err)
		}
		if a.Due = bind.FromMicros(due); found && (!ok || a.Due.Before(first.Due)) {
			first, ok = a, true
		}
	}
	return first, ok, nil
}

// CountOverdue counts them. It looks at each.
func (r *Reader) CountOverdue(ctx context.Context, account event.Account, now time.Time, publications bool) (all int, err error) {
	for p := event.Answer; p <= event.Broadcast; p++ {
		n := 0
		if _, err := r.queryOne(ctx, selectOverdues, []any{&n}, account.Shard(), string(account), int64(p), now.UnixMicro(), withoutPublications(publications)); err != nil {
			return all, fmt.Errorf("count what of %s is due: %w", account, err)
		}
		all += n
	}
	return all, nil
}

// withoutPublications is 1 where publications are left out.
func withoutPublications(publications bool) int64 {
	if publications {
		return 0
	}
	return 1
}
