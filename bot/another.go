package bot

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
)

// What is stored for an account is one person's on the platform. An account whose credentials sign in as somebody else has no term:
// it would answer with what the one before owes, and pass over what was written to it before the other's cursors. Nor is it tried
// again before somebody has changed it, since each try is a sign-in.

// isAnother reports whether an account could not be taken up since its credentials are another person's.
func isAnother(err error) bool {
	if parked, is := errors.AsType[*session.ParkedError](err); is && parked.Other.ID != 0 { //mutate:another-term
		return true
	}
	return false
}

// tellParked says why an account is not taken up, nor tried again.
func (b *Bot) tellParked(name event.Account, err error) {
	b.log.Error("an account is not taken up: its credentials are another person's", "account", name, "err", err)
	b.cfg.Observe(name, event.PollResult{}, err)
}

// noneBegan returns the error of a start with which no account could be taken up.
func noneBegan(errs []error) error {
	for _, err := range errs {
		if !isAnother(err) {
			return err
		}
	}
	return errors.Join(errs...)
}

// restore learns who the account is, as it is kept. Why a session cannot be read, or got, says the first call; the error is that of
// credentials which are another person's.
func (a *account) restore(ctx context.Context) error {
	if _, err := a.broker.Restore(ctx); isAnother(err) {
		return fmt.Errorf("start account %s: %w", a.name, err)
	}
	return nil
}
