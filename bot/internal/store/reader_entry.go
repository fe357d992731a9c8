package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectEntryRow = `SELECT list, key, peer, trigger_id, text, data, at FROM entry `
	selectEntries  = selectEntryRow + `WHERE shard = $1 AND account = $2 AND list = $3 AND key > $4 ORDER BY key LIMIT $5 + 0`
	selectEntry    = `SELECT 1 FROM entry WHERE shard = $1 AND account = $2 AND list = $3 AND key = $4`
	selectListed   = `SELECT 1 FROM entry INDEXED BY entry_peer WHERE shard = $1 AND account = $2 AND list = $3 AND peer = $4 LIMIT 1`
	// It reads all entries of the account's lists.
	selectLists = `SELECT list, count(*) FROM entry INDEXED BY entry_peer WHERE shard = $1 AND account = $2 GROUP BY list ORDER BY list`
)

// Entries returns entries of a list by key, those behind after; "" for the first ones.
func (r *Reader) Entries(ctx context.Context, account event.Account, list, after string, limit int) ([]event.Entry, error) {
	entries, err := rowsOf(ctx, r, selectEntries, func(rows scanner) (event.Entry, error) { return r.scanEntry(rows, account) },
		account.Shard(), string(account), list, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the list %s of %s: %w", list, account, err)
	}
	return entries, nil
}

// scanEntry reads a row of selectEntryRow.
func (r *Reader) scanEntry(rows scanner, account event.Account) (event.Entry, error) {
	e := event.Entry{Account: account}
	var text, stored seal.Value
	var data string
	var at int64
	err := rows.Scan(&e.List, &e.Key, &e.Peer, &e.Trigger, &text, &stored, &at)
	if err == nil {
		e.Text, err = text.TextFrom(r.vault, seal.EntryText.CellWithin(account, e.List, e.Key))
	}
	if err == nil {
		data, err = stored.TextFrom(r.vault, seal.EntryData.CellWithin(account, e.List, e.Key))
	}
	e.Data, e.At = blobOf(data), bind.FromMicros(at)
	return e, err
}

// HasEntry reports whether a list has an entry of a key.
func (r *Reader) HasEntry(ctx context.Context, account event.Account, list, key string) (bool, error) {
	var one int
	found, err := r.queryOne(ctx, selectEntry, []any{&one}, account.Shard(), string(account), list, key)
	if err != nil {
		return false, fmt.Errorf("look for %s in the list %s of %s: %w", key, list, account, err)
	}
	return found, nil
}

// Listed reports whether a list has an entry about the peer.
func (r *Reader) Listed(ctx context.Context, key event.Key, list string) (bool, error) {
	var one int
	found, err := r.queryOne(ctx, selectListed, []any{&one}, key.Account.Shard(), string(key.Account), list, int64(key.Peer))
	if err != nil {
		return false, fmt.Errorf("look for %d in the list %s of %s: %w", key.Peer, list, key.Account, err)
	}
	return found, nil
}

// Lists returns the account's lists by name. It counts all their entries.
func (r *Reader) Lists(ctx context.Context, account event.Account) ([]record.ListCount, error) {
	lists, err := rareRowsOf(ctx, r, selectLists, func(rows scanner) (l record.ListCount, err error) {
		err = rows.Scan(&l.List, &l.Entries)
		return l, err
	}, account.Shard(), string(account))
	if err != nil {
		return nil, fmt.Errorf("count the lists of %s: %w", account, err)
	}
	return lists, nil
}
