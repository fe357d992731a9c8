package store

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

const (
	selectRequest    = `SELECT account, number, peer, wish, subject, until, asked_at, text, asked_by FROM request `
	selectRequests   = selectRequest + `WHERE (shard, account, number) > ($1, $2, $3) ORDER BY shard, account, number LIMIT $4 + 0`
	selectRequestsOf = selectRequest + `WHERE (shard, account, number) > ($1, $2, $3) AND shard IN (SELECT value FROM json_each($5))
		ORDER BY shard, account, number LIMIT $4 + 0`
	selectRequestsAt = selectRequest + `WHERE shard = $1 AND account = $2 ORDER BY number`
)

// RequestsOf returns what people ask of an account, in the order in which they asked; see Requests.
func (r *Reader) RequestsOf(ctx context.Context, account event.Account) ([]event.Request, error) {
	return r.readRequests(ctx, selectRequestsAt, account.Shard(), string(account))
}

// Requests returns what people ask for in the shards that are served, by account, in the order in which they asked. A request that cannot
// be read as a whole has an unknown wish: so it comes to nothing, and does not stop the others.
func (r *Reader) Requests(ctx context.Context, after event.Request, limit int) ([]event.Request, error) {
	shard := -1
	if after.Number != 0 {
		shard = after.Key.Account.Shard()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// It is asked every second, and there is next to nothing: see queryOne.
	query, args := selectRequests, []any{shard, string(after.Key.Account), after.Number, limit}
	if shards, some := r.served.shardList(); some {
		query, args = selectRequestsOf, append(args, shards)
	}
	return r.readRequests(ctx, query, args...)
}

func (r *Reader) readRequests(ctx context.Context, text string, args ...any) ([]event.Request, error) {
	requests, err := rowsOf(ctx, r, text, func(rows scanner) (q event.Request, err error) {
		var subject string
		var text seal.Value
		var until, askedAt int64
		err = rows.Scan(&q.Key.Account, &q.Number, &q.Key.Peer, &q.Wish, &subject, &until, &askedAt, &text, &q.By)
		q.Until, q.AskedAt = bind.FromMicros(until), bind.FromMicros(askedAt)
		if err == nil {
			q.Text, err = text.TextFrom(r.vault, seal.RequestText.OfRequest(&q))
		}
		// Written by a newer version, or changed from outside. As an unknown request it gets a turn, which says so and deletes it; an error here
		// would keep all requests of all accounts from being read.
		if err == nil && readSubject(&q, subject) != nil {
			q.Wish, q.Events, q.Timers = event.Wish(string(q.Wish)+" "+subject), nil, nil
		}
		return q, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read what people ask for: %w", err)
	}
	return requests, nil
}

// andIgnore is the subject of a request to forget somebody who is to be left alone.
const andIgnore = "ignore"

// requestSubject is what a request is about, as it is stored.
func requestSubject(q *event.Request) string {
	switch q.Wish {
	case event.WishRetry, event.WishReread:
		ids := make([]string, 0, len(q.Events)+len(q.Timers))
		for _, id := range q.Events {
			ids = append(ids, id.String())
		}
		for _, id := range q.Timers { // their names may have spaces
			ids = append(ids, url.PathEscape(id))
		}
		return strings.Join(ids, " ")
	case event.WishRelease, event.WishInsist, event.WishDrop, event.WishEdit, event.WishWithdraw, event.WishPause, event.WishGoOn:
		return q.Action
	case event.WishTakeOver:
		return q.Owner
	case event.WishTell, event.WishSay, event.WishDeliver:
		return q.Subject
	case event.WishForget:
		if q.Ignore {
			return andIgnore
		}
	case event.WishGiveBack, event.WishResume, event.WishHeed, event.WishDone, event.WishLater, event.WishAck:
	}
	return ""
}

// readRetried reads the id of an event, or of a timer.
func readRetried(q *event.Request, word string) error {
	if id, err := event.ParseID(word); err == nil {
		q.Events = append(q.Events, id)
		return nil
	}
	id, err := url.PathUnescape(word)
	if err == nil {
		_, err = event.ParseTimer(id)
	}
	if err == nil {
		q.Timers = append(q.Timers, id)
	}
	return err
}

// readSubject reads what subject writes.
func readSubject(q *event.Request, text string) error {
	switch q.Wish {
	case event.WishRetry, event.WishReread:
		for word := range strings.FieldsSeq(text) {
			if err := readRetried(q, word); err != nil {
				return err
			}
		}
	case event.WishRelease, event.WishInsist, event.WishDrop, event.WishEdit, event.WishWithdraw, event.WishPause, event.WishGoOn:
		q.Action = text
	case event.WishTakeOver:
		q.Owner = text
	case event.WishTell, event.WishSay, event.WishDeliver:
		q.Subject = text
	case event.WishForget:
		q.Ignore = text == andIgnore
	case event.WishGiveBack, event.WishResume, event.WishHeed, event.WishDone, event.WishLater, event.WishAck:
	}
	return nil
}
