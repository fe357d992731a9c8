package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/platform"
)

const selectCursors = `SELECT peer, number, mark, polled_at FROM cursor
	WHERE shard = $1 AND account = $2 AND source = $3 AND peer IN (SELECT value FROM json_each($4))`

// Cursors returns the stored cursors of a source for peers; missing ones are absent.
func (r *Reader) Cursors(ctx context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]poll.Cursor, error) {
	var cursors []poll.Cursor
	err := r.each(ctx, r.cursors, func(rows *sql.Rows) error {
		c := poll.Cursor{Account: account, Source: source}
		var mark, polledAt int64
		if err := rows.Scan(&c.Peer, &c.ID, &mark, &polledAt); err != nil {
			return err
		}
		c.Mark, c.PolledAt = uint64(mark), moment(polledAt) // the digest's bits were stored, not its value
		cursors = append(cursors, c)
		return nil
	}, account.Shard(), string(account), int64(source), list(peers))
	if err != nil {
		return nil, fmt.Errorf("read the cursors of %s: %w", account, err)
	}
	return cursors, nil
}
