package bot

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// MayLeave says whether an action may leave as far as people of ours are concerned; see outbox.People.
func (a *account) MayLeave(ctx context.Context, x *event.Action, earlier bool) outbox.Verdict {
	// First, or it could become known in between that somebody has spoken: what was decided before that is taken back before this ends.
	if ended := a.quietEnded(x.Peer); ended != nil {
		return outbox.Verdict{Then: outbox.Wait, Changed: ended}
	}
	revoked, err := a.RevokedReason(ctx, x, earlier)
	switch {
	case err != nil: // the store cannot be read now
		return outbox.Verdict{Then: outbox.Wait}
	case revoked != "":
		return outbox.Verdict{Then: outbox.Withdraw, Why: event.Because(reason.TakenBack), Text: revoked}
	}
	if why := a.OutdatedReason(x); why != "" {
		return outbox.Verdict{Then: outbox.Withdraw, Why: why}
	}
	if why := a.pauseReason(x); why != "" { //mutate:aside
		return outbox.Verdict{Then: outbox.Hold, Why: why}
	}
	return outbox.Verdict{}
}

// NothingInFlight judges own messages of a conversation that might have been on their way until now; see outbox.Chats.
func (a *account) NothingInFlight(peer platform.UserID) {
	if a.unattributed.hasDoubt(peer) {
		a.judgeOwnMessages(a.term, peer)
	}
}
