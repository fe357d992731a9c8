package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// borrowed is the session of the running bot, as it is stored at the moment. It is the bot that renews it:
// to do so here would end the bot's own.
type borrowed struct {
	stored func(ctx context.Context) (session.Kept, error)
	client *platform.Client // without a session
}

const (
	renewPatience = 10 * time.Second // for the bot to renew it, within the timeout of the call that waits
	renewLook     = 250 * time.Millisecond
)

var errBorrowed = errors.New("the running bot's session is not valid now: it renews it by itself, so try again in a minute; " +
	"if that does not help, see its log, or stop it and run the audit again")

// SessionID implements platform.Authorizer.
func (b *borrowed) SessionID(ctx context.Context) (platform.Secret, error) {
	kept, err := b.stored(ctx)
	if err == nil && kept.SessionID == "" {
		err = errBorrowed
	}
	return kept.SessionID, err
}

// Rejected implements platform.Authorizer. Code 400 may be about something else than the session: unless
// the bot has renewed it since, a call that is in order tells.
func (b *borrowed) Rejected(ctx context.Context, id platform.Secret, why *platform.Refused) (bool, error) {
	now, err := b.SessionID(ctx)
	if err != nil || now != id {
		return err == nil, err
	}
	if !errors.Is(why, platform.ErrUnauthorized) {
		_, err := b.client.WithSession(lent(id)).Feed(ctx, platform.PageParams{PageSize: 1})
		if !errors.Is(err, platform.ErrUnauthorized) && !errors.Is(err, platform.ErrInvalid) && !errors.Is(err, platform.ErrBadCredentials) {
			return false, nil
		}
	}
	return b.renewed(ctx, id)
}

// renewed waits until the bot has stored another session than id.
func (b *borrowed) renewed(ctx context.Context, id platform.Secret) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, renewPatience)
	defer cancel()
	tick := time.NewTicker(renewLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false, errBorrowed
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
