package readback

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// Borrowed is the session of the running bot, as it is stored at the moment. It is the bot that renews it:
// to do so here would end the bot's own.
type Borrowed struct {
	Stored func(ctx context.Context) (session.Kept, error)
	Client *platform.Client // without a session
}

const (
	renewPatience = 10 * time.Second // for the bot to renew it, within the timeout of the call that waits
	renewLook     = 250 * time.Millisecond
)

// ErrBorrowed is what calls fail with while the session that they borrow is not valid.
var ErrBorrowed = errors.New("the running bot's session is not valid now: it renews it by itself, so try again in a minute; " +
	"if that does not help, see its log, or stop it and run the audit again")

// SessionID implements platform.Authorizer.
func (b *Borrowed) SessionID(ctx context.Context) (platform.Secret, error) {
	kept, err := b.Stored(ctx)
	if err == nil && kept.SessionID == "" {
		err = ErrBorrowed
	}
	return kept.SessionID, err
}

// Rejected implements platform.Authorizer. Code 400 may be about something else than the session: unless
// the bot has renewed it since, a call that is in order tells.
func (b *Borrowed) Rejected(ctx context.Context, id platform.Secret, why *platform.Refused) (bool, error) {
	now, err := b.SessionID(ctx)
	if err != nil || now != id {
		return err == nil, err
	}
	if !errors.Is(why, platform.ErrUnauthorized) {
		_, err := b.Client.WithSession(lent(id)).Feed(ctx, platform.PageParams{PageSize: 1})
		if !errors.Is(err, platform.ErrUnauthorized) && !errors.Is(err, platform.ErrInvalid) && !errors.Is(err, platform.ErrBadCredentials) {
			return false, nil
		}
	}
	return b.renewed(ctx, id)
}

// renewed waits until the bot has stored another session than id.
func (b *Borrowed) renewed(ctx context.Context, id platform.Secret) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, renewPatience)
	defer cancel()
	tick := time.NewTicker(renewLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false, ErrBorrowed
		}
		if now, err := b.SessionID(ctx); err == nil && now != id {
			return true, nil
		}
	}
}

// lent is a session as it is.
type lent platform.Secret

// SessionID implements platform.Authorizer.
func (l lent) SessionID(context.Context) (platform.Secret, error) { return platform.Secret(l), nil }

// Rejected implements platform.Authorizer.
func (lent) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}
