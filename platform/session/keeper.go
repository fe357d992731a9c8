package session

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Kept is what is kept of a session over a restart. The zero value is an account that never signed in.
type Kept struct {
	platform.Tokens

	User     platform.UserID // the account's own id
	Username string          // without "@"
	Obtained time.Time       // when the tokens were issued to us
	Lately   string          // when sessions were got in the last hour, for Config.PerMinute; to be kept as it is

	// Identity tells which credentials signed in (it holds no secret). A session kept for other credentials is not
	// used, so that a changed e-mail address does not go on as the account of before; nor does it replace one of another User.
	// Empty fits all.
	Identity string
}

// Keeper keeps the session of one account. The tokens are in the clear: encrypting them is the keeper's business.
type Keeper interface {
	// LoadSession returns what was saved last, or the zero Kept.
	LoadSession(ctx context.Context) (Kept, error)

	// SaveSession replaces what was saved. It is called before the tokens in k are used.
	SaveSession(ctx context.Context, k Kept) error
}

// shortest is the shortest lifetime of a session that is believed.
const shortest = 10 * time.Second

// renewAt returns when the session should be renewed ahead of its expiry, or the zero time when that is not known: no
// expiry was given, or one that makes no sense.
func (k Kept) renewAt(cfg *Config) time.Time {
	lifetime := k.Expiry.Sub(k.Obtained)
	if k.Expiry.IsZero() || k.Obtained.IsZero() || lifetime < shortest {
		return time.Time{}
	}
	return k.Expiry.Add(-cfg.renewalLead(lifetime))
}

// isDue reports whether it is time to renew the session.
func (k Kept) isDue(cfg *Config, now time.Time) bool {
	at := k.renewAt(cfg)
	return !at.IsZero() && !now.Before(at)
}

// isExpired reports whether the session is past its expiry by our clock.
func (k Kept) isExpired(cfg *Config, now time.Time) bool {
	return !k.renewAt(cfg).IsZero() && !now.Before(k.Expiry)
}
