package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

const (
	selectEventOf = `SELECT source, number, peer, kind, name, username, text, image, post, subject, seen_at FROM event `
	selectHighest = selectEventOf + `WHERE shard = $1 AND account = $2 AND source = $3 ORDER BY number DESC LIMIT $4 + 0`
	selectRecent  = selectEventOf + `INDEXED BY event_peer WHERE shard = $1 AND account = $2 AND peer = $3 AND source <> 5 ORDER BY seen_at DESC LIMIT $4 + 0`
)

const selectHasDone = `SELECT 1 FROM event INDEXED BY event_peer WHERE shard = $1 AND account = $2 AND peer = $3 AND source <> 5 AND outcome <> '` + Forgotten + `' LIMIT 1`

// HasDone reports whether the person of a conversation has done anything that is kept, and not forgotten.
func (r *Reader) HasDone(ctx context.Context, key event.Key) (bool, error) {
	var one int64
	done, err := r.queryOne(ctx, selectHasDone, []any{&one}, key.Account.Shard(), string(key.Account), int64(key.Peer))
	if err != nil {
		return false, fmt.Errorf("look whether %d has done anything with %s: %w", key.Peer, key.Account, err)
	}
	return done, nil
}

// Newest returns events of a source, those with the highest numbers first, in any state.
func (r *Reader) Newest(ctx context.Context, account event.Account, source event.Source, limit int) ([]event.Event, error) {
	events, err := r.newestOf(ctx, selectHighest, account, int64(source), limit)
	if err != nil {
		return nil, fmt.Errorf("read the newest events of %s: %w", account, err)
	}
	return events, nil
}

// RecentEvents returns events of a conversation that the platform has told of, those seen last first, in any state.
func (r *Reader) RecentEvents(ctx context.Context, key event.Key, limit int) ([]event.Event, error) {
	events, err := r.newestOf(ctx, selectRecent, key.Account, int64(key.Peer), limit)
	if err != nil {
		return nil, fmt.Errorf("read the last events of %s with %d: %w", key.Account, key.Peer, err)
	}
	return events, nil
}

func (r *Reader) newestOf(ctx context.Context, text string, account event.Account, of int64, limit int) ([]event.Event, error) {
	return rowsOf(ctx, r, text, func(rows scanner) (event.Event, error) {
		e := event.Event{Account: account}
		var seenAt int64
		var said saying
		err := rows.Scan(&e.ID.Source, &e.ID.Number, &e.Peer, &e.Kind, &e.Name, &e.User, &said.text, &said.image, &e.Post, &e.Subject, &seenAt)
		if err == nil {
			err = said.decodeInto(r.vault, &e)
		}
		e.SeenAt = bind.FromMicros(seenAt)
		return e, err
	}, account.Shard(), string(account), of, limit)
}
