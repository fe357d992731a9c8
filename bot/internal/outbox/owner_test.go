package outbox_test

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/internal/reason"
)

// owner is the account's bot: it says what its setup says, and keeps in mind what has ended.
type owner struct {
	outbox.NoBot
	setup
	of *incarnation
}

func (o owner) MayLeave(ctx context.Context, a *event.Action, earlier bool) outbox.Verdict {
	if o.hush != nil {
		if ended := o.hush(a.Peer); ended != nil {
			return outbox.Verdict{Then: outbox.Wait, Changed: ended}
		}
	}
	if why, _ := o.RevokedReason(ctx, a, earlier); why != "" {
		return outbox.Verdict{Then: outbox.Withdraw, Why: event.Because(reason.TakenBack), Text: why}
	}
	return outbox.Verdict{}
}

func (o owner) RevokedReason(_ context.Context, a *event.Action, earlier bool) (string, error) {
	if o.revoked == nil {
		return "", nil
	}
	return o.revoked(a, earlier), nil
}

func (o owner) IsPlatformDown() bool { return o.out != nil && o.out() }

func (o owner) ActionEnded(a event.Action) {
	if o.onEnd != nil {
		o.onEnd(a)
	}
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.of.ended = append(o.of.ended, a)
}

func (o owner) PublicationWarned(_ event.Action, kind event.WarningKind, _ string) {
	if o.onWarning != nil {
		o.onWarning(kind)
	}
}
