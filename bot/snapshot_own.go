package bot

import (
	"context"
	"fmt"

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

// eachSent tells the poller what earlier incarnations sent; see poll.Config.RecentOwnMessages.
func (a *account) eachSent(ctx context.Context, after platform.MessageID, each func(poll.Own)) error {
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

// snapshotRow tells the dispatcher what the chat list shows; see outbox.AccountConfig.SnapshotRow.
func (a *account) snapshotRow(peer platform.UserID, text string) (outbox.SnapshotRow, bool) {
	if a.poller == nil {
		return outbox.SnapshotRow{}, false
	}
	row, ok := a.poller.SnapshotRow(peer, text)
	return outbox.SnapshotRow(row), ok
}
