package platform

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
)

// Tokens are what a session is made of.
type Tokens struct {
	SessionID    Secret    // sent as session_id
	RefreshToken Secret    // empty when the answer has none
	Expiry       time.Time // of SessionID; zero when the platform does not tell
}

// SignIn is a new session, and the user it belongs to.
type SignIn struct {
	Tokens
	User Profile // zero where the answer holds no user
}

// LoginParams are the credentials of an account.
type LoginParams struct {
	Email      string
	Password   Secret
	DeviceType string // "ios" or "android"; the platform's default is android
}

// Login signs in with a password. Wrong credentials are ErrBadCredentials.
func (c *Client) Login(ctx context.Context, p LoginParams) (SignIn, error) {
	params := newParams().text("email", p.Email).addSecret("password", p.Password)
	return c.signIn(ctx, "login", params.addOptional("device_type", p.DeviceType))
}

// OAuthParams are the proof of identity that a social network issued.
type OAuthParams struct {
	AccessToken Secret
	Type        string // the provider: "facebook" and "google" are documented by deployments
	DeviceType  string // "ios" or "android"
}

// OAuth signs in with the token of a social network. A token that the platform does not take is
// ErrBadCredentials.
func (c *Client) OAuth(ctx context.Context, p OAuthParams) (SignIn, error) {
	params := newParams().addSecret("access_token", p.AccessToken).text("type", p.Type)
	return c.signIn(ctx, "oauth", params.addOptional("device_type", p.DeviceType))
}

func (c *Client) signIn(ctx context.Context, endpoint string, params params) (in SignIn, err error) {
	req := request{method: http.MethodPost, endpoint: endpoint, params: params, signsIn: true}
	c.core.known.add(params.secretValues()...)
	err = c.call(ctx, req, func(e envelope) error {
		in.User = readProfile(e.data)
		in.Tokens, err = c.readTokens(e)
		return err
	})
	if err != nil {
		return SignIn{}, err
	}
	return in, nil
}

// RefreshAccessToken renews a session. The answer may come without a refresh token; the old one is
// then still good, as far as clients show.
func (c *Client) RefreshAccessToken(ctx context.Context, refresh Secret) (tokens Tokens, err error) {
	req := request{
		method: http.MethodPost, endpoint: "refresh_access_token",
		params: newParams().addSecret("refresh_token", refresh), signsIn: true,
	}
	c.core.known.add(refresh.Reveal())
	err = c.call(ctx, req, func(e envelope) error {
		tokens, err = c.readTokens(e)
		return err
	})
	return tokens, err
}

// readTokens reads new tokens, which errors do not show from now on.
func (c *Client) readTokens(e envelope) (Tokens, error) {
	tokens, err := readTokens(e)
	c.core.known.add(tokens.SessionID.Reveal(), tokens.RefreshToken.Reveal())
	return tokens, err
}

// Logout ends the session. The Authorizer is not told of a refusal: a session that is refused has
// ended.
func (c *Client) Logout(ctx context.Context) error {
	return c.call(ctx, request{method: http.MethodPost, endpoint: "logout", access: ending}, nil)
}

// Secret is a text that must not be printed: a password, a session id or a refresh token.
// Every way of printing it (fmt, slog, JSON) shows "[redacted]"; Reveal gives the text itself.
type Secret string

// Reveal returns the text itself, for the request that needs it.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return scrub.Mark
}

// GoString keeps %#v from showing the text.
func (s Secret) GoString() string { return s.String() }

// Format keeps every verb from showing the text.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText keeps encoders from showing the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue keeps slog from showing the text.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// knownSecrets are the secrets of the sign-ins of a client: what a platform says later may repeat them, too.
type knownSecrets struct {
	mu   sync.Mutex // guards the field below
	last []string   // the newest last
}

const mostKnown = 16

func (k *knownSecrets) add(secrets ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= scrub.Plenty && !slices.Contains(k.last, secret) {
			k.last = append(k.last, secret)
		}
	}
	k.last = slices.Delete(k.last, 0, max(0, len(k.last)-mostKnown))
}

// allSecrets returns the secrets of a request, and all that are known.
func (k *knownSecrets) allSecrets(p params) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append(p.secretValues(), k.last...) //mutate:known-secrets
}
