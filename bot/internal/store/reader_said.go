package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/platform"
)

// Said is a private message of the account, in any state, and what it answers.
type Said struct {
	event.Action
	// To is the event that it answers; for a message of a timer the last one that was seen before it was decided, zero
	// for none.
	To event.ID
	// SeenAt and NotBefore are those of that event.
	SeenAt, NotBefore time.Time
}

// manySaid is how many events of a conversation, and messages of its timers, are looked at.
const manySaid = 64

// manyAround is how many messages are looked at that came after another one.
const manyAround = 8

const (
	selectSaidTo = `SELECT source, number, seen_at, not_before FROM event INDEXED BY event_peer
		WHERE shard = $1 AND account = $2 AND peer = $3 AND seen_at >= $4 ORDER BY seen_at DESC LIMIT $5 + 0`
	selectSaidBy = selectAction + `WHERE shard = $1 AND account = $2 AND key >= $3 AND key < $4 AND verb = 'message'
		ORDER BY key DESC LIMIT $5 + 0`
	selectBelow = `SELECT left_at FROM action INDEXED BY action_result WHERE result > 0 AND result < $3
		AND shard = $1 AND account = $2 AND verb = 'message' AND state = 'done' ORDER BY result DESC LIMIT 1 + 0`
	// Of the two bounds, SQLite seeks the first one in the index.
	selectAbove = `SELECT ended_at FROM action INDEXED BY action_result WHERE result > $3 AND result > 0
		AND shard = $1 AND account = $2 AND verb = 'message' AND state = 'done' ORDER BY result LIMIT $4 + 0`
)

// SaidSince returns the messages of a conversation that answer its events seen since then, those of the newest events
// first, and then those of its timers decided since then. Of very many, some are left out.
func (r *Reader) SaidSince(ctx context.Context, key event.Key, since time.Time) ([]Said, error) {
	var all []Said
	events, err := rowsOf(ctx, r, selectSaidTo, func(rows scanner) (e Said, err error) {
		var seenAt, notBefore int64
		err = rows.Scan(&e.To.Source, &e.To.Number, &seenAt, &notBefore)
		e.SeenAt, e.NotBefore = bind.FromMicros(seenAt), bind.FromMicros(notBefore)
		return e, err
	}, key.Account.Shard(), string(key.Account), int64(key.Peer), since.UnixMicro(), manySaid)
	for i := 0; i < len(events) && err == nil; i++ {
		err = r.saidAs(ctx, key.Account, events[i].To.String(), func(a event.Action) {
			e := events[i]
			e.Action = a
			all = append(all, e)
		})
	}
	if err == nil {
		err = r.saidAs(ctx, key.Account, fmt.Sprintf("timer:%d", key.Peer), func(a event.Action) {
			var e Said
			// What a timer says answers what was written before it: the newest event that was seen by then.
			if i := slices.IndexFunc(events, func(e Said) bool { return !e.SeenAt.After(a.DecidedAt) }); i >= 0 {
				e = events[i]
			}
			if e.Action = a; !a.DecidedAt.Before(since) {
				all = append(all, e)
			}
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read what was said to %d: %w", key.Peer, err)
	}
	return all, nil
}

// saidAs calls each with the messages of a trigger, found by the beginning of their keys; of a part of an id that ends before "/", those of
// all triggers that begin with it.
func (r *Reader) saidAs(ctx context.Context, account event.Account, trigger string, each func(event.Action)) error {
	said, err := r.readActions(ctx, selectSaidBy, account.Shard(), string(account), trigger+"/", trigger+"0", manySaid) // "0" comes after "/"
	for i := range said {
		each(said[i])
	}
	return err
}

// TimesAround returns what the account's own messages tell of when another message came into being: not before the one
// below it left, and not after one above it had arrived. Ids grow on the whole platform. Zero: they do not tell.
func (r *Reader) TimesAround(ctx context.Context, account event.Account, id platform.MessageID) (from, to time.Time, err error) {
	var left, ended int64
	_, err = r.queryOne(ctx, selectBelow, []any{&left}, account.Shard(), string(account), int64(id))
	if err == nil {
		err = r.each(ctx, selectAbove, func(rows scanner) error { // an answer that got lost is found later
			var at int64
			err := rows.Scan(&at)
			if at > 0 && (ended == 0 || at < ended) {
				ended = at
			}
			return err
		}, account.Shard(), string(account), int64(id), manyAround)
	}
	if err != nil {
		return from, to, fmt.Errorf("read what %s sent before and after %d: %w", account, id, err)
	}
	return bind.FromMicros(left), bind.FromMicros(ended), nil
}
