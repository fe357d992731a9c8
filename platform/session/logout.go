package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Logout ends the session on the platform and forgets its tokens, here and in the keeper; who the account is stays
// known. It sends nothing when there is no session. When the platform cannot be reached the session stays. The next
// SessionID signs in again.
func (b *Broker) Logout(ctx context.Context) error {
	for {
		b.mu.Lock()
		f := b.flight
		mine := f == nil
		if mine {
			f = b.takeOffLocked(ctx, &b.flight, ending, b.end)
		}
		b.mu.Unlock()
		if _, err := b.wait(ctx, f, 0); err != nil {
			return err
		}
		if mine {
			return f.err
		}
	}
}

// end is the flight that logs out.
func (b *Broker) end(ctx context.Context) error {
	if err := b.load(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	k := b.kept
	b.mu.Unlock()
	if k.SessionID == "" {
		return nil
	}
	err := b.cfg.Client.WithSession(fixed(k.SessionID)).Logout(ctx)
	if over := errors.Is(err, platform.ErrUnauthorized) || errors.Is(err, platform.ErrInvalid); err != nil && !over {
		return fmt.Errorf("logging out account %q: %w", b.cfg.Account, err)
	}
	k.Tokens, k.Obtained = platform.Tokens{}, time.Time{}
	err = b.save(ctx, k)
	b.mu.Lock()
	b.kept, b.refused, b.check = k, false, nil
	b.savedLocked(err)
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("forgetting the session of account %q: %w", b.cfg.Account, err)
	}
	b.cfg.Log.InfoContext(ctx, "logged out", slog.String("account", b.cfg.Account))
	return nil
}
