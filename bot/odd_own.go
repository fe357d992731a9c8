package bot

import (
	"context"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
)

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
	after, believed := a.believedMessageID(m.ID)
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
			_, plain := a.believedMessageID(platform.MessageID(x.Result))
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
