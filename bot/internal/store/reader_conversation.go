package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

const (
	selectConversation = `SELECT version, name, username, owner, owner_since, unreachable, labels, body
		FROM conversation WHERE shard = $1 AND account = $2 AND peer = $3`
	selectFlowStates = `SELECT flow, flow_state, account, count(*) FROM conversation WHERE flow <> ''
		GROUP BY flow, flow_state, shard, account ORDER BY flow, flow_state, shard, account`
)

// Conversation returns a conversation; a fresh one when none is stored.
func (r *Reader) Conversation(ctx context.Context, key event.Key) (conversation.State, error) {
	c := conversation.State{Key: key}
	var ownerSince, unreachable int64
	var body conversationBody
	found, err := r.queryOne(ctx, selectConversation,
		[]any{&c.Version, &c.Name, &c.User, &c.Owner, &ownerSince, &unreachable, &body.labels, &body.stored},
		key.Account.Shard(), string(key.Account), int64(key.Peer))
	if err != nil {
		return c, fmt.Errorf("read the conversation of %s with %d: %w", key.Account, key.Peer, err)
	}
	if !found {
		return c, nil
	}
	c.OwnerSince, c.Unreachable = bind.FromMicros(ownerSince), bind.FromMicros(unreachable)
	if err := body.decode(r.vault, &c); err != nil {
		return c, fmt.Errorf("decode the conversation of %s with %d: %w", key.Account, key.Peer, err)
	}
	return c, nil
}

// FlowStates counts the conversations in each state of each flow: those of accounts, or all.
func (r *Reader) FlowStates(ctx context.Context, accounts ...event.Account) ([]conversation.Count, error) {
	var counts []conversation.Count
	err := r.each(ctx, selectFlowStates, func(rows scanner) error {
		var c conversation.Count
		var account event.Account
		if err := rows.Scan(&c.Flow, &c.State, &account, &c.Conversations); err != nil {
			return err
		}
		if len(accounts) > 0 && !slices.Contains(accounts, account) {
			return nil
		}
		if n := len(counts); n > 0 && counts[n-1].Flow == c.Flow && counts[n-1].State == c.State {
			counts[n-1].Conversations += c.Conversations
			return nil
		}
		counts = append(counts, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count the conversations in flows: %w", err)
	}
	return counts, nil
}
