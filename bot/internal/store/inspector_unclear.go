package store

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// askPauses are those between the looks of an inspector whether a commit that failed is stored. A person waits meanwhile.
var askPauses = [...]time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second}

const (
	selectAsked = `SELECT 1 FROM request WHERE shard = $1 AND account = $2 AND number = $3 AND peer = $4 AND wish = $5 AND subject = $6 AND asked_at = $7
		UNION ALL SELECT 1 FROM turn WHERE shard = $1 AND account = $2 AND id = $8 AND peer = $4`
	selectEntryAt = `SELECT at FROM entry WHERE shard = $1 AND account = $2 AND list = $3 AND key = $4`
)

// commit makes a commit. When that fails, there reports whether it was made all the same: what a person is told to have
// failed must not be done later. When nobody can tell, the error is an unclear.Error.
func (in *Inspector) commit(ctx context.Context, do func() error, there func(ctx context.Context) (bool, error)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx = context.WithoutCancel(ctx) // a commit that has begun ends soon, made or not
	err := in.around(do)
	if err == nil || isElsewhere(err) {
		return err
	}
	if doubt, ok := errors.AsType[*unclear.Error](err); ok {
		err = doubt.Err
	}
	for _, pause := range askPauses {
		found := false
		lost := in.around(func() (err error) {
			found, err = there(ctx)
			return err
		})
		switch {
		case lost != nil:
			time.Sleep(pause)
		case found: //mutate:inspector-found-out
			return nil
		default:
			return err
		}
	}
	return &unclear.Error{Err: err}
}

// isAsked reports whether a request is stored: it waits, or had its turn.
func (in *Inspector) isAsked(ctx context.Context, q *event.Request) (bool, error) {
	if err := in.waitForOthers(ctx); err != nil {
		return false, err
	}
	var one int
	return in.queryOne(ctx, selectAsked, []any{&one}, q.Key.Account.Shard(), string(q.Key.Account), q.Number, int64(q.Key.Peer), string(q.Wish),
		requestSubject(q), bind.ToMicros(q.AskedAt), q.Trigger().ID())
}

// entryAt returns when an entry was put into its list; false when it is not there.
func (in *Inspector) entryAt(ctx context.Context, account event.Account, list, key string) (at int64, ok bool, err error) {
	if err := in.waitForOthers(ctx); err != nil {
		return 0, false, err
	}
	ok, err = in.queryOne(ctx, selectEntryAt, []any{&at}, account.Shard(), string(account), list, key)
	return at, ok, err
}
