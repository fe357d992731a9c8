package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	selectCursor       = `SELECT peer, number, mark, polled_at FROM cursor WHERE shard = $1 AND account = $2 AND source = $3 `
	selectCursors      = selectCursor + `AND peer IN (SELECT value FROM json_each($4))`
	selectCursorsAfter = selectCursor + `AND peer > $4 ORDER BY peer LIMIT $5 + 0`
)

// Cursors returns the stored cursors of a source for peers; missing ones are absent.
func (r *Reader) Cursors(ctx context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]record.Cursor, error) {
	return r.readCursors(ctx, selectCursors, account, source, bind.NumbersOf(peers))
}

// CursorsAfter returns the stored cursors of a source for peers above after, by peer, at most limit of them.
func (r *Reader) CursorsAfter(ctx context.Context, account event.Account, source event.Source, after platform.UserID, limit int) ([]record.Cursor, error) {
	return r.readCursors(ctx, selectCursorsAfter, account, source, int64(after), limit)
}

func (r *Reader) readCursors(ctx context.Context, text string, account event.Account, source event.Source, which ...any) ([]record.Cursor, error) {
	cursors, err := rowsOf(ctx, r, text, func(rows scanner) (record.Cursor, error) {
		c := record.Cursor{Account: account, Source: source}
		var mark, polledAt int64
		err := rows.Scan(&c.Peer, &c.ID, &mark, &polledAt)
		c.Mark, c.PolledAt = uint64(mark), bind.FromMicros(polledAt) // the digest's bits were stored, not its value
		return c, err
	}, append([]any{account.Shard(), string(account), int64(source)}, which...)...)
	if err != nil {
		return nil, fmt.Errorf("read the cursors of %s: %w", account, err)
	}
	return cursors, nil
}
