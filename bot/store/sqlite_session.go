package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

const selectSession = `SELECT sealed FROM session WHERE shard = $1 AND account = $2`

// Keeper keeps the account's session.
func (s *SQLite) Keeper(account event.Account) session.Keeper { return keeper{s, account} }

type keeper struct {
	store   *SQLite
	account event.Account
}

// keptSession is a session as it is stored. The types that hide secrets would hide them here too.
type keptSession struct {
	SessionID string          `json:"session_id"`
	Refresh   string          `json:"refresh_token"`
	Expiry    time.Time       `json:"expiry,omitzero"`
	User      platform.UserID `json:"user"`
	Username  string          `json:"username"`
	Obtained  time.Time       `json:"obtained,omitzero"`
	Identity  string          `json:"identity"`
}

// LoadSession returns the stored session, or the zero one. A session that was encrypted with another
// key counts as none: the account signs in again.
func (k keeper) LoadSession(ctx context.Context) (session.Kept, error) {
	var box []byte
	found, err := k.store.one(ctx, k.store.session, []any{&box}, k.account.Shard(), string(k.account))
	if err != nil {
		return session.Kept{}, fmt.Errorf("read the session of %s: %w", k.account, err)
	}
	if !found {
		return session.Kept{}, nil
	}
	var row keptSession
	if err := k.store.cipher.open(&row, box, string(k.account)); err != nil {
		if errors.Is(err, ErrSealed) {
			k.store.log.Warn("the stored session cannot be read; signing in again", "account", k.account, "err", err)
			return session.Kept{}, nil
		}
		return session.Kept{}, fmt.Errorf("read the session of %s: %w", k.account, err)
	}
	return row.kept(), nil
}

func (row *keptSession) kept() session.Kept {
	return session.Kept{
		Tokens: platform.Tokens{
			SessionID: platform.Secret(row.SessionID), RefreshToken: platform.Secret(row.Refresh), Expiry: row.Expiry,
		},
		User: row.User, Username: row.Username, Obtained: row.Obtained, Identity: row.Identity,
	}
}

// SaveSession stores the session before its tokens are used.
func (k keeper) SaveSession(ctx context.Context, s session.Kept) error {
	box, err := k.store.cipher.seal(keptSession{
		SessionID: s.SessionID.Reveal(), Refresh: s.RefreshToken.Reveal(), Expiry: s.Expiry,
		User: s.User, Username: s.Username, Obtained: s.Obtained, Identity: s.Identity,
	}, string(k.account))
	if err != nil {
		return err
	}
	got := make(chan error, 1)
	k.store.Commit(Write{session: &sealedSession{k.account, box, time.Now()}, Done: func(r Receipt) { got <- r.Err }})
	select {
	case err = <-got:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("store the session of %s: %w", k.account, err)
	}
	return nil
}

type sealedSession struct {
	account event.Account
	box     []byte
	at      time.Time
}
