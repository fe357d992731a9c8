package store

import (
	"context"
	"fmt"
	"math"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	selectRow = `SELECT account, peer, version, name, username, owner, owner_since, unreachable, labels, body, changed_at
		FROM conversation `
	selectConversations = selectRow + `WHERE shard = $1 AND account = $2 AND peer IN (SELECT value FROM json_each($3))`
	selectOwned         = selectRow + `INDEXED BY conversation_owned WHERE owner <> '' AND shard = $1 AND account = $2
		AND ($3 = '' OR owner = $3) AND owner_since <= $5 AND (owner_since < $5 OR peer < $6) ORDER BY owner_since DESC, peer DESC LIMIT $4 + 0`
	selectNamed = `SELECT peer, name, username FROM conversation INDEXED BY conversation_user
		WHERE username <> '' AND shard = $1 AND account = $2 AND username = $3 COLLATE NOCASE`
	// A person of whom the first event failed has no conversation yet.
	selectNamedStuck = `SELECT peer, name, username FROM event INDEXED BY event_open
		WHERE state <> 'handled' AND shard = $1 AND account = $2 AND username = $3 COLLATE NOCASE LIMIT 1`
)

// PeersNamed returns the people with a user name, in upper or lower case: one, unless names have changed hands.
func (in *Inspector) PeersNamed(ctx context.Context, account event.Account, user string) (peers []event.Peer, err error) {
	for _, text := range []string{selectNamed, selectNamedStuck} {
		peers, err = rowsOf(ctx, in.Reader, text, scanPeer, account.Shard(), string(account), user)
		if err != nil {
			return nil, fmt.Errorf("look for %s of %s: %w", user, account, err)
		}
		if len(peers) > 0 {
			break
		}
	}
	return peers, nil
}

// Conversations returns the conversations with these peers, those that are stored, in no order.
func (in *Inspector) Conversations(ctx context.Context, account event.Account, peers []platform.UserID) ([]record.ConversationRow, error) {
	return in.conversationRows(ctx, selectConversations, account, account.Shard(), string(account), bind.NumbersOf(peers))
}

// Owned returns the conversations that a person or team has, the latest first, whether the query says Owned or not.
func (in *Inspector) Owned(ctx context.Context, q record.ConversationQuery) ([]record.ConversationRow, error) {
	since, peer := int64(math.MaxInt64), int64(math.MaxInt64)
	if q.After != nil {
		since, peer = bind.ToMicros(q.After.OwnerSince), int64(q.After.Key.Peer)
	}
	return in.conversationRows(ctx, selectOwned, q.Account, q.Account.Shard(), string(q.Account), q.Owner, q.Limit, since, peer)
}

func (in *Inspector) conversationRows(ctx context.Context, text string, account event.Account, args ...any) ([]record.ConversationRow, error) {
	found, err := rowsOf(ctx, in.Reader, text, func(rows scanner) (c record.ConversationRow, err error) {
		var ownerSince, unreachable, changedAt int64
		var body conversationBody
		if err = rows.Scan(&c.Key.Account, &c.Key.Peer, &c.Version, &c.Name, &c.User, &c.Owner, &ownerSince, &unreachable,
			&body.labels, &body.stored, &changedAt); err != nil {
			return c, err
		}
		c.OwnerSince, c.Unreachable, c.ChangedAt = bind.FromMicros(ownerSince), bind.FromMicros(unreachable), bind.FromMicros(changedAt)
		err = body.decode(in.vault, &c.State)
		return c, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read conversations of %s: %w", account, err)
	}
	return found, nil
}
