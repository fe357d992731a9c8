package bot

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// A peer who refuses messages – privacy settings, a block – is left alone for a while, or until they
// write themselves.

const (
	unreachableFor = 24 * time.Hour
	refusedChoice  = "unreachable/" // the decision that a refusal leads to, with the action's key
	maxRefusals    = 256            // waiting to be noted; more are forgotten, and tried again
)

// noteRefusals lets the conversations of refused messages remember it, until ctx is done.
func (b *Bot) noteRefusals(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-b.refusals:
			if acc := b.accounts.byName(a.Account); acc.beginWork() {
				acc.submitJob(&job{trigger: event.Trigger{Kind: event.ByRequest, Key: a.Conversation(), Choice: refusedChoice + a.Key}})
				acc.endWork()
			}
		}
	}
}

// noteUnreachable notes that the platform refused a message to a peer.
func (b *Bot) noteUnreachable(a event.Action) {
	select {
	case b.refusals <- a:
	default:
	}
}

// refusedMessage notes that the peer refused a message.
func (t *Turn) refusedMessage() {
	t.Conversation.Unreachable, t.changed = t.Now.Add(unreachableFor), true
	t.Note("%s refused a message; no more are tried until %s", t.Peer().User, t.Conversation.Unreachable.UTC().Format(time.RFC3339))
}

// clearUnreachable clears what an earlier refusal left once the peer writes.
func (t *Turn) clearUnreachable() {
	if t.Event.Kind == event.KindMessage && !t.Conversation.Unreachable.IsZero() { //mutate:reachable
		t.Conversation.Unreachable, t.changed = time.Time{}, true
	}
}
