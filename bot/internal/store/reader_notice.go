package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	selectNotice   = `SELECT account, id, who, text, peer, at, sent_at, private, kind, details, reached FROM notice `
	selectUnsent   = selectNotice + `INDEXED BY notice_unsent WHERE sent_at = 0 ORDER BY at LIMIT $1 + 0`
	selectUnsentOf = selectNotice + `INDEXED BY notice_unsent WHERE sent_at = 0 AND shard IN (SELECT value FROM json_each($2)) ORDER BY at LIMIT $1 + 0`
	// The newest first; an account, or '' for all.
	selectNotices = selectNotice + `INDEXED BY notice_at WHERE at >= $1 + 0 AND ($2 = '' OR account = $2 OR account = '')
		AND at <= $4 AND (at < $4 OR shard < $5 OR shard = $5 AND (account < $6 OR account = $6 AND id < $7))
		ORDER BY at DESC, shard DESC, account DESC, id DESC LIMIT $3 + 0`
	selectAddresses = `SELECT id, pace FROM address`
	selectAlarms    = `SELECT account, kind, subject, since FROM alarm`
	// When a person of ours last decided something, or wrote a message.
	selectAttended = `SELECT max(
			coalesce((SELECT max(handled_at) FROM turn WHERE shard = $1 AND account = $2 AND id >= 'decision:request/' AND id < 'decision:request0'), 0),
			coalesce((SELECT max(handled_at) FROM turn WHERE shard = $1 AND account = $2 AND id >= 'decision:takeover/' AND id < 'decision:takeover0'), 0))`
	selectHeldLong = `SELECT account, key, peer, verb, decided_at, reason, why FROM action INDEXED BY action_open ` + whereOpen +
		` AND shard = $1 AND account = $2 AND state = 'held' AND position < $3 + 0 ORDER BY position LIMIT $4 + 0`
)

// Unsent returns notices of the shards that are served that were not sent yet, oldest first. Those of the whole bot are in the
// shard of the account "".
func (r *Reader) Unsent(ctx context.Context, limit int) ([]event.Notice, error) {
	if shards, some := r.served.shardList(); some { //mutate:served-notices
		return r.readNotices(ctx, selectUnsentOf, limit, shards)
	}
	return r.readNotices(ctx, selectUnsent, limit)
}

// Notices returns notices, the newest first.
func (r *Reader) Notices(ctx context.Context, q record.NoticeQuery) ([]event.Notice, error) {
	at, shard, account, id := int64(math.MaxInt64), int64(math.MaxInt32), "", ""
	if q.After != nil {
		at, shard, account, id = bind.ToMicros(q.After.At), int64(q.After.Account.Shard()), string(q.After.Account), q.After.ID
	}
	return r.readNotices(ctx, selectNotices, bind.ToMicros(q.Since), string(q.Account), q.Limit, at, shard, account, id)
}

func (r *Reader) readNotices(ctx context.Context, text string, args ...any) ([]event.Notice, error) {
	notices, err := rowsOf(ctx, r, text, r.scanNotice, args...)
	if err != nil {
		return nil, fmt.Errorf("read the notices: %w", err)
	}
	return notices, nil
}

// scanNotice reads a row of selectNotice.
func (r *Reader) scanNotice(rows scanner) (n event.Notice, err error) {
	var text, stored seal.Value
	var details, reached string
	var at, sent int64
	err = rows.Scan(&n.Account, &n.ID, &n.Who, &text, &n.Peer, &at, &sent, &n.Private, &n.Kind, &stored, &reached)
	if err == nil {
		n.Text, err = text.TextFrom(r.vault, seal.NoticeText.CellOf(n.Account, n.ID))
	}
	if err == nil {
		details, err = stored.TextFrom(r.vault, seal.NoticeDetails.CellOf(n.Account, n.ID))
	}
	n.Details, n.Reached, n.At, n.SentAt = blobOf(details), blobOf(reached), bind.FromMicros(at), bind.FromMicros(sent)
	return n, err
}

// Addresses returns how the addresses of people of ours stand, by their names.
func (r *Reader) Addresses(ctx context.Context) (map[string]json.RawMessage, error) {
	paces := map[string]json.RawMessage{}
	var id, pace string
	if err := r.each(ctx, selectAddresses, func(rows scanner) error {
		err := rows.Scan(&id, &pace)
		paces[id] = blobOf(pace)
		return err
	}); err != nil {
		return nil, fmt.Errorf("read how the addresses of teams stand: %w", err)
	}
	return paces, nil
}

// Alarms returns what lasts and was told.
func (r *Reader) Alarms(ctx context.Context) ([]event.Alarm, error) {
	alarms, err := rowsOf(ctx, r, selectAlarms, func(rows scanner) (a event.Alarm, err error) {
		var since int64
		err = rows.Scan(&a.Account, &a.Kind, &a.Subject, &since)
		a.Since = bind.FromMicros(since)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what lasts: %w", err)
	}
	return alarms, nil
}

// Attended returns when a person of ours last decided something about the account, or wrote a message; zero for never.
func (r *Reader) Attended(ctx context.Context, account event.Account) (time.Time, error) {
	var at int64
	if _, err := r.queryOne(ctx, selectAttended, []any{&at}, account.Shard(), string(account)); err != nil {
		return time.Time{}, fmt.Errorf("look when a person last decided about %s: %w", account, err)
	}
	return bind.FromMicros(at), nil
}

// HeldBefore returns actions of the account that have been held since before a time, those that have waited longest
// first, without their texts.
func (r *Reader) HeldBefore(ctx context.Context, account event.Account, before time.Time, limit int) ([]event.Action, error) {
	held, err := rowsOf(ctx, r, selectHeldLong, func(rows scanner) (event.Action, error) {
		a := event.Action{State: event.StateHeld}
		var peer, decided int64
		err := rows.Scan(&a.Account, &a.Key, &peer, &a.Verb, &decided, &a.Reason, &a.Why)
		a.Peer, a.DecidedAt = platform.UserID(peer), bind.FromMicros(decided)
		return a, err
	}, account.Shard(), string(account), bind.Instant(bind.ToMicros(before)), limit)
	if err != nil {
		return nil, fmt.Errorf("read what has been held for long of %s: %w", account, err)
	}
	return held, nil
}
