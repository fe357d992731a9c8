package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

const selectSession = `SELECT sealed FROM session WHERE shard = $1 AND account = $2`

// Keeper keeps the account's session.
func (m *memory) Keeper(account event.Account) session.Keeper { return keeper{m, account} }

type keeper struct {
	store   *memory
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
	Lately    string          `json:"lately,omitempty"`
}

// LoadSession returns the stored session, or the zero one. One that does not open counts as none: the account signs
// in again. The error is a MovedError where the account has gone to another database: it must not sign in here.
func (k keeper) LoadSession(ctx context.Context) (session.Kept, error) {
	if moved, gone := k.store.gone[k.account]; gone { //mutate:moved-account
		return session.Kept{}, moved
	}
	var sealed []byte
	found, err := k.store.queryOne(ctx, selectSession, []any{&sealed}, k.account.Shard(), string(k.account))
	if err != nil {
		return session.Kept{}, fmt.Errorf("read the session of %s: %w", k.account, err)
	}
	if !found {
		return session.Kept{}, nil
	}
	kept, err := openKept(k.store.vault, k.account, sealed)
	if errors.Is(err, seal.ErrSealed) || errors.Is(err, seal.ErrChanged) {
		k.store.log.Warn("the stored session cannot be read; signing in again", "account", k.account, "err", err)
		return session.Kept{}, nil
	}
	if err != nil {
		return session.Kept{}, fmt.Errorf("read the session of %s: %w", k.account, err)
	}
	return kept, nil
}

// openKept opens a stored session.
func openKept(v *seal.Vault, account event.Account, sealed []byte) (session.Kept, error) {
	text, err := v.OpenSession(account, sealed)
	if err != nil {
		return session.Kept{}, err
	}
	var row keptSession
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		return session.Kept{}, fmt.Errorf("decode the stored session: %w", err)
	}
	return row.toKept(), nil
}

func (k *keptSession) toKept() session.Kept {
	return session.Kept{
		Tokens: platform.Tokens{
			SessionID: platform.Secret(k.SessionID), RefreshToken: platform.Secret(k.Refresh), Expiry: k.Expiry,
		},
		User: k.User, Username: k.Username, Obtained: k.Obtained, Identity: k.Identity, Lately: k.Lately,
	}
}

// SaveSession stores the session before its tokens are used.
func (k keeper) SaveSession(ctx context.Context, s session.Kept) error {
	text, err := json.Marshal(keptSession{
		SessionID: s.SessionID.Reveal(), Refresh: s.RefreshToken.Reveal(), Expiry: s.Expiry,
		User: s.User, Username: s.Username, Obtained: s.Obtained, Identity: s.Identity, Lately: s.Lately,
	})
	if err != nil {
		return fmt.Errorf("encode the session of %s: %w", k.account, err)
	}
	got := make(chan error, 1)
	k.store.Commit(Write{session: &tokens{k.account, string(text), time.Now()}, Done: func(r Receipt) { got <- r.Err }})
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

// tokens is a session to be stored.
type tokens struct {
	account event.Account
	text    string // JSON
	at      time.Time
}

// storeSession stores a session: the first byte says whether it is sealed.
func (a *applier) storeSession(s *tokens) error {
	sealed := append([]byte{seal.ClearSession}, s.text...)
	if a.vault.IsSealing() {
		sealed = a.vault.Seal(seal.SessionTokens.CellOf(s.account, ""), s.text)
	}
	return a.session.key(s.account).addSealed(sealed).at(s.at).do()
}
