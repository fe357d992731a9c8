package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectEntries = `SELECT key, peer, trigger_id, text, data, at FROM entry
		WHERE shard = $1 AND account = $2 AND list = $3 AND key > $4 ORDER BY key LIMIT $5 + 0`
	selectEntry  = `SELECT 1 FROM entry WHERE shard = $1 AND account = $2 AND list = $3 AND key = $4`
	selectListed = `SELECT 1 FROM entry INDEXED BY entry_peer WHERE shard = $1 AND account = $2 AND list = $3 AND peer = $4 LIMIT 1`
	// It counts all that an account has in its lists.
	selectLists = `SELECT list, count(*) FROM entry INDEXED BY entry_peer WHERE shard = $1 AND account = $2 GROUP BY list ORDER BY list`
)

// Entries returns entries of a list by key, those behind after; "" for the first ones.
func (r *Reader) Entries(ctx context.Context, account event.Account, list, after string, limit int) ([]event.Entry, error) {
	var entries []event.Entry
	err := r.each(ctx, r.entries, func(rows *sql.Rows) error {
		e := event.Entry{Account: account, List: list}
		var text, data seal.Value
		var at int64
		if err := rows.Scan(&e.Key, &e.Peer, &e.Trigger, &text, &data, &at); err != nil {
			return err
		}
		var err error
		if e.Text, err = text.TextFrom(r.vault, seal.EntryText.CellWithin(account, list, e.Key)); err != nil {
			return err
		}
		opened, err := data.TextFrom(r.vault, seal.EntryData.CellWithin(account, list, e.Key))
		if err != nil {
			return err
		}
		e.Data, e.At = blobOf(opened), bind.FromMicros(at)
		entries = append(entries, e)
		return nil
	}, account.Shard(), string(account), list, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the list %s of %s: %w", list, account, err)
	}
	return entries, nil
}

// HasEntry reports whether a list has an entry of a key.
func (r *Reader) HasEntry(ctx context.Context, account event.Account, list, key string) (bool, error) {
	var one int
	found, err := r.queryOne(ctx, r.oneEntry, []any{&one}, account.Shard(), string(account), list, key)
	if err != nil {
		return false, fmt.Errorf("look for %s in the list %s of %s: %w", key, list, account, err)
	}
	return found, nil
}

// Listed reports whether a list has an entry about the peer.
func (r *Reader) Listed(ctx context.Context, key event.Key, list string) (bool, error) {
	var one int
	found, err := r.queryOne(ctx, r.listed, []any{&one}, key.Account.Shard(), string(key.Account), list, int64(key.Peer))
	if err != nil {
		return false, fmt.Errorf("look for %d in the list %s of %s: %w", key.Peer, list, key.Account, err)
	}
	return found, nil
}

// Lists returns the account's lists by name. It counts all their entries.
func (r *Reader) Lists(ctx context.Context, account event.Account) ([]record.ListCount, error) {
	var lists []record.ListCount
	var l record.ListCount
	err := r.query(ctx, selectLists, []any{account.Shard(), string(account)}, []any{&l.List, &l.Entries}, func() { lists = append(lists, l) })
	if err != nil {
		return nil, fmt.Errorf("count the lists of %s: %w", account, err)
	}
	return lists, nil
}
