package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectWait        = `SELECT peer, since, source, number, said_at, why, lasts, later FROM waiting `
	selectWaitOf      = selectWait + `WHERE shard = $1 AND account = $2 AND peer = $3`
	selectCalledAbout = selectNotice + `INDEXED BY notice_at WHERE at >= $4 + 0 AND shard = $1 AND account = $2 AND peer = $3 ORDER BY at`
)

// scanWaiting reads a row of who waits on an account.
func scanWaiting(rows scanner, account event.Account) (w record.Waiting, err error) {
	var since, said, later int64
	w.Key.Account = account
	err = rows.Scan(&w.Key.Peer, &since, &w.Words.Source, &w.Words.Number, &said, &w.Why, &w.Lasts, &later)
	w.Since, w.Said, w.Later = bind.FromMicros(since), bind.FromMicros(said), bind.FromMicros(later)
	return w, err
}

// WaitOf returns since when, and why, the peer of a conversation waits for a person of ours; false when the peer does not.
func (r *Reader) WaitOf(ctx context.Context, key event.Key) (w record.Waiting, waits bool, err error) {
	w, waits, err = firstOf(rowsOf(ctx, r, selectWaitOf, func(rows scanner) (record.Waiting, error) { return scanWaiting(rows, key.Account) }, withPerson(key)...))
	if err != nil {
		return w, false, fmt.Errorf("look whether %d waits: %w", key.Peer, err)
	}
	return w, waits, nil
}

// CalledAbout returns what people were called for about the other one of a conversation since a time, without what has ended.
func (r *Reader) CalledAbout(ctx context.Context, key event.Key, since time.Time) ([]event.Notice, error) {
	all, err := r.readNotices(ctx, selectCalledAbout, key.Account.Shard(), string(key.Account), int64(key.Peer), bind.ToMicros(since))
	return slices.DeleteFunc(all, func(n event.Notice) bool { return n.Detailed().Over }), err
}
