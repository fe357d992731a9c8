package bot

import (
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// Without get_messages, the chat list is all that is known of messages. Poller and dispatcher tell each other
// what they know: the one what was sent, the other what is shown.

const (
	saidAtOnce = 1000 // messages in one reading of the store
	saidHeld   = 256
)

// RecentOwnMessages tells the poller what earlier incarnations sent; see poll.Bot.
func (a *account) RecentOwnMessages(ctx context.Context, after platform.MessageID, each func(poll.Own)) error {
	for {
		sent, err := a.bot.store.Sent(ctx, a.name, after, saidAtOnce)
		if err != nil {
			return fmt.Errorf("read the messages that arrived: %w", err)
		}
		for i := range sent {
			after = platform.MessageID(sent[i].Result)
			each(poll.Own{Peer: sent[i].Peer, ID: after, Text: sent[i].Text})
		}
		if len(sent) < saidAtOnce {
			break
		}
	}
	// What is held or open may be on the platform, too. Without it, the bot's own words at the end of a chat would be somebody's who is answered.
	held, err := a.bot.store.HeldActions(ctx, a.name, saidHeld)
	if err != nil {
		return fmt.Errorf("read the messages that are held: %w", err)
	}
	open, err := a.bot.store.Open(ctx, a.name)
	if err != nil {
		return fmt.Errorf("read the messages that may have left: %w", err)
	}
	for _, x := range append(held, open...) { //mutate:restore-open
		if x.Verb == event.VerbMessage {
			each(poll.Own{Peer: x.Peer, Text: x.Text})
		}
	}
	return nil
}

// SnapshotRow tells the dispatcher what the chat list shows; see outbox.Chats.
func (a *account) SnapshotRow(peer platform.UserID, text string) (outbox.SnapshotRow, bool) {
	if a.poller == nil {
		return outbox.SnapshotRow{}, false
	}
	row, ok := a.poller.SnapshotRow(peer, text)
	return outbox.SnapshotRow(row), ok
}

// The ledger knows the bot's messages by their ids. One that shows an absurd id for a while, or of which the answer
// told such an id, it knows by another one: its text tells then.

const (
	oddReach  = 1 << 20 // how far below what is known the message may be that shows an absurd id, and how far above it such ids are at least
	oddAtOnce = 1000    // messages in one reading of the ledger
)

// withoutOdd returns those of messages that the ledger does not know by an absurd id, or by a proper one while they show
// an absurd one.
func (a *account) withoutOdd(ctx context.Context, unknown []platform.Message) ([]platform.Message, error) {
	if len(unknown) == 0 {
		return nil, nil
	}
	if err := a.bot.store.MarkNow(ctx); err != nil { // what has arrived is stored lazily
		return nil, err
	}
	var rest []platform.Message
	for i := range unknown {
		ours, err := a.sentAs(ctx, &unknown[i])
		if err != nil {
			return nil, err
		}
		if !ours {
			rest = append(rest, unknown[i])
		}
	}
	return rest, nil
}

// sentAs reports whether the bot sent a message under another id, one of the two being absurd.
func (a *account) sentAs(ctx context.Context, m *platform.Message) (bool, error) {
	after, believed := a.BelievedMessageID(m.ID)
	if believed { // absurd ids alone: all the others may be as many as the account ever sent
		after += oddReach
	} else {
		after = max(0, after-oddReach)
	}
	for {
		sent, err := a.bot.store.Sent(ctx, a.name, after, oddAtOnce)
		if err != nil || len(sent) == 0 {
			return false, err
		}
		if slices.ContainsFunc(sent, func(x event.Action) bool {
			_, plain := a.BelievedMessageID(platform.MessageID(x.Result))
			return (m.To == 0 || x.Peer == m.To) && plain != believed && outbox.SameText(x.Text, m.Text)
		}) {
			return true, nil
		}
		if len(sent) < oddAtOnce {
			return false, nil
		}
		after = platform.MessageID(sent[len(sent)-1].Result)
	}
}
