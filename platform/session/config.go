package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Credentials sign an account in: an e-mail address with a password, or the token of a social identity provider.
type Credentials struct {
	// Email and Password are used when Email is not empty.
	Email    string
	Password platform.Secret

	// OAuthType names the provider ("facebook", "google"; documented) and OAuthToken is what it issued. They are used
	// when Email is empty. Such a token cannot be renewed here: see [ParkedError].
	OAuthType  string
	OAuthToken platform.Secret

	// DeviceType is "ios" or "android". Empty leaves the choice to the platform, which takes android (the contract).
	DeviceType string
}

// Config says how a Broker signs its account in.
type Config struct {
	// Account is the local name of the account, for messages.
	Account string

	// Client makes the calls. It needs no session. Required.
	Client *platform.Client

	Credentials

	// Keeper keeps the tokens over a restart. Without one every start signs in.
	Keeper Keeper

	// Known is told who the account is, each time that is learnt: from the keeper, or from a sign-in or a renewal. It is called
	// before the Broker tells anybody else, and must not wait for the Broker.
	Known func(me platform.UserID)

	// Refused is told each time that the credentials are refused, for others to heed; see [Broker.Heed]. It must not wait. Optional.
	Refused func(r Refusal)

	// Door is what an account passes that has never signed in; see [Entrance.At]. Optional.
	Door *Door

	// Log takes one line per change of state, never a token. Defaults to nothing.
	Log *slog.Logger

	// RefreshAhead is how long before its expiry a session is renewed, at most half its lifetime. Defaults to 10 % of
	// the lifetime, at most 5 minutes. A session of unknown expiry is renewed when the platform refuses it.
	RefreshAhead time.Duration

	// MinPause and MaxPause bound the pauses after refused credentials; they double from one to the other, with up to
	// a fifth added at random. They default to 30 seconds and 30 minutes.
	MinPause, MaxPause time.Duration

	// PerMinute is how many new sessions the account gets with its password in a minute at most, and ten times as many in an hour; a renewal
	// counts half. Defaults to 6.
	PerMinute int

	// Probe makes one protected call with a session and returns its error; see [Broker.Rejected]. Defaults to reading
	// one item of the feed: that is protected on every deployment (the contract), names no other person and marks
	// nothing as read, which cannot be said of the notification and message lists; and unlike the bookmarks and follow
	// requests it is missing nowhere.
	Probe func(ctx context.Context, id platform.Secret) error
}

func (c Config) withDefaults() Config {
	c.MinPause = cmp.Or(max(c.MinPause, 0), 30*time.Second)
	c.MaxPause = max(cmp.Or(c.MaxPause, 30*time.Minute), c.MinPause)
	if c.PerMinute <= 0 {
		c.PerMinute = mostAMinute
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Refused == nil {
		c.Refused = func(Refusal) {}
	}
	if c.Known == nil {
		c.Known = func(platform.UserID) {}
	}
	return c
}

// identityKey tells the credentials of one sign-in from those of another, without showing either; "" for none. It leaves out
// the secrets: a changed password is still the same account.
func (c Credentials) identityKey() string {
	switch {
	case c.Email != "":
		sum := sha256.Sum256([]byte(strings.ToLower(c.Email)))
		return "email:" + hex.EncodeToString(sum[:8])
	case c.OAuthType != "":
		return "oauth:" + c.OAuthType
	default:
		return ""
	}
}

// renewalLead returns how long before its expiry a session of the given lifetime is renewed.
func (c Config) renewalLead(lifetime time.Duration) time.Duration {
	if c.RefreshAhead > 0 {
		return min(c.RefreshAhead, lifetime/2)
	}
	return min(lifetime/10, 5*time.Minute)
}
