package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// saveEvery is how long after a failed save the next one is tried.
const saveEvery = 30 * time.Second

// refreshPatience is how many renewals in a row may fail without a clear word before a sign-in is tried
// as well: some minutes, since the pauses grow. A refresh that is broken for good must not end an account.
const refreshPatience = 12

// renewSession is the flight that gets a session: the kept one, a refreshed one, or that of a new sign-in.
func (b *Broker) renewSession(ctx context.Context) error {
	if err := b.load(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	old := b.kept
	good := b.usableLocked() && !old.isDue(&b.cfg, time.Now())
	b.mu.Unlock()
	if good {
		return nil
	}
	k, by, err := b.obtain(ctx, old)
	if err != nil {
		return b.stumble(ctx, err)
	}
	b.adopt(ctx, k)
	b.cfg.Log.InfoContext(ctx, "new session", slog.String("account", b.cfg.Account), slog.String("by", by),
		slog.String("username", k.Username), slog.Time("expiry", k.Expiry))
	return nil
}

// load reads what is kept, once.
func (b *Broker) load(ctx context.Context) error {
	b.mu.Lock()
	loaded := b.loaded
	b.mu.Unlock()
	if loaded {
		return nil
	}
	var k Kept
	if b.cfg.Keeper != nil {
		var err error
		if k, err = b.cfg.Keeper.LoadSession(ctx); err != nil {
			return fmt.Errorf("reading the kept session of account %q: %w", b.cfg.Account, err)
		}
	}
	var unproven *platform.Person
	// Under the same name somebody has put other credentials: going on with the old session might be acting as somebody else.
	if mine := b.cfg.identityKey(); k.Identity != "" && mine != "" && k.Identity != mine { //mutate:other-credentials
		b.cfg.Log.InfoContext(ctx, "the kept session belongs to other credentials and is not used", slog.String("account", b.cfg.Account))
		// Not in the keeper: with the credentials of before, all goes on from there.
		if k.User != 0 {
			unproven = &platform.Person{ID: k.User, Username: k.Username}
		}
		k = Kept{}
	}
	b.learnt(k)
	b.mu.Lock()
	defer b.mu.Unlock()
	// Another one may have read it meanwhile, and used it up.
	if !b.loaded { //mutate:late-reading
		b.kept, b.unproven, b.loaded = k, unproven, true
		p := b.pastLocked()
		p.grants = append(grantsOf(k.Lately, time.Now()), p.grants...)
	}
	return nil
}

// learnt tells who the account is, when k says it.
func (b *Broker) learnt(k Kept) {
	if k.User != 0 {
		b.cfg.Known(k.User)
	}
}

// obtain gets new tokens: with the refresh token while it is good, then with the credentials.
func (b *Broker) obtain(ctx context.Context, old Kept) (k Kept, by string, err error) {
	var unclear error
	if old.RefreshToken != "" {
		k, err = b.refresh(ctx, old)
		switch {
		case err == nil:
			return k, "refresh", nil
		// Only a clear no drops the token: after an outage it may be good, and a social sign-in has nothing else to come back with.
		case refreshRefused(err): //mutate:refresh-refused
			b.mu.Lock()
			b.kept.RefreshToken = ""
			b.mu.Unlock()
		// A client that is asked to slow down, or has had too many sessions, must not go on with a sign-in, which costs more than a renewal.
		case errors.Is(err, platform.ErrRateLimited), errors.As(err, new(*limitError)), !b.tired():
			return k, "refresh", err
		default:
			unclear = err
		}
	}
	k, err = b.signIn(ctx, old)
	if unclear != nil && errors.As(err, new(*ParkedError)) && !isAnother(err) { // the refresh token may still be good
		return k, "refresh", unclear
	}
	return k, "sign-in", err
}

// tired reports whether renewing has failed often enough to try something else.
func (b *Broker) tired() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pause != nil && b.pause.outages >= refreshPatience
}

func (b *Broker) refresh(ctx context.Context, old Kept) (Kept, error) {
	tokens, err := b.exchangeToken(ctx, old.RefreshToken)
	if platform.InDoubt(err) {
		// The answer may be lost and the old token used up: asking again tells.
		tokens, err = b.exchangeToken(ctx, old.RefreshToken)
	}
	if err != nil {
		return Kept{}, fmt.Errorf("renewing the session: %w", err)
	}
	if tokens.RefreshToken == "" {
		tokens.RefreshToken = old.RefreshToken
	}
	// Who the account is, and with which credentials it signed in, a refresh does not tell.
	k := old
	k.Tokens, k.Obtained = tokens, time.Now()
	return k, nil
}

func (b *Broker) signIn(ctx context.Context, old Kept) (Kept, error) {
	cfg := &b.cfg
	if err := b.mayGet(byPassword); err != nil {
		return Kept{}, err
	}
	first, err := b.mayEnter(&old)
	if err != nil {
		return Kept{}, err
	}
	ctx, cancel := b.boundFlight(ctx)
	defer cancel()
	var in platform.SignIn
	switch {
	case cfg.Email != "":
		in, err = cfg.Client.Login(ctx, platform.LoginParams{Email: cfg.Email, Password: cfg.Password, DeviceType: cfg.DeviceType})
	case cfg.OAuthType != "":
		in, err = cfg.Client.OAuth(ctx, platform.OAuthParams{AccessToken: cfg.OAuthToken, Type: cfg.OAuthType, DeviceType: cfg.DeviceType})
		if isClearNo(err) {
			err = &ParkedError{Account: cfg.Account, Provider: cfg.OAuthType, Err: err}
		}
	default:
		err = &ParkedError{Account: cfg.Account}
	}
	if refused := errors.As(err, new(*ParkedError)) || isClearNo(err); first && (refused || err == nil) {
		cfg.Door.noteEntered(ctx, cfg.Account, refused)
	}
	if err == nil || platform.InDoubt(err) {
		b.noteGrant(byPassword)
	}
	if err != nil {
		return Kept{}, &signInError{err}
	}
	return b.samePerson(Kept{Tokens: in.Tokens, User: in.User.ID, Username: in.User.Username, Obtained: time.Now(), Identity: cfg.identityKey()}, old)
}

// signInError tells the failure of a sign-in from that of a refresh.
type signInError struct{ err error }

func (e *signInError) Error() string { return "signing in: " + e.err.Error() }
func (e *signInError) Unwrap() error { return e.err }

// signInRefused reports whether err is the platform's no to the credentials.
func signInRefused(err error) bool {
	in := (*signInError)(nil)
	return errors.As(err, &in) && isClearNo(err)
}

// refreshRefused reports whether the refresh token is of no more use: it was refused, this deployment renews nothing, or
// what it answers, twice, holds no session.
func refreshRefused(err error) bool {
	if unreadable := (*platform.Unreadable)(nil); errors.As(err, &unreadable) {
		status := unreadable.HTTPStatus
		//mutate:refresh-switched
		return status >= http.StatusOK && status < http.StatusMultipleChoices || status == http.StatusNotFound || status == http.StatusMethodNotAllowed
	}
	return isClearNo(err)
}

// isClearNo reports whether err is a clear no: neither an outage, nor a request to slow down, nor an answer that nobody
// knows. For what a session is got with, that is also what says nothing about other matters.
func isClearNo(err error) bool {
	return platform.Final(err) || isInvalidSession(err)
}

// adopt saves new tokens, then lets them be used. A session that cannot be saved is used all the same: the old one may
// be dead already, and losing the new one costs a sign-in after a restart, not more.
func (b *Broker) adopt(ctx context.Context, k Kept) {
	b.mu.Lock()
	k.Lately = grantsText(b.pastLocked().grants)
	b.mu.Unlock()
	// Before anything else: until it is stored, a crash leaves the store with a refresh token that may be used up.
	err := b.save(ctx, k)
	b.learnt(k)
	b.mu.Lock()
	if !b.refused { // the session was good until it ended
		b.vain = 0
	}
	b.kept, b.refused, b.unproven = k, false, nil
	// What probes have shown, and why it had to wait, was about the session before this one.
	b.pause, b.check = nil, nil
	b.savedLocked(err)
	b.mu.Unlock()
	if err != nil {
		b.cfg.Log.ErrorContext(ctx, "the session could not be saved and is kept in memory only; saving is tried again",
			slog.String("account", b.cfg.Account), slog.Any("error", err))
	}
}

// stumble notes a failed renewal and returns what its callers get. What goes on as before is no news for the log.
func (b *Broker) stumble(ctx context.Context, err error) error {
	b.mu.Lock()
	before := b.pause
	now := before.nextPause(&b.cfg, err, time.Now())
	// Kept beyond its end: how often it has failed is in it, and makes the next one longer.
	b.pause = now
	told := b.restore && isAnother(err)
	b.mu.Unlock()
	if r, ok := now.asRefusal(&b.cfg.Credentials); ok {
		b.cfg.Refused(r)
	}
	level := slog.LevelWarn
	switch {
	case told: // the caller, which restores the session, logs it
		level = slog.LevelDebug
	case now.reason == forGood:
		level = slog.LevelError
	case before != nil && before.reason == now.reason, errors.Is(err, platform.ErrUnsent), now.reason == byTurn:
		level = slog.LevelDebug
	}
	b.cfg.Log.Log(ctx, level, "no new session", slog.String("account", b.cfg.Account), slog.Any("error", now.err))
	return now.err
}

func (b *Broker) save(ctx context.Context, k Kept) error {
	if b.cfg.Keeper == nil {
		return nil
	}
	return b.cfg.Keeper.SaveSession(ctx, k)
}

// savedLocked notes how a save went.
func (b *Broker) savedLocked(err error) {
	b.unsaved = nil
	if err != nil {
		at := time.Now().Add(saveEvery)
		b.unsaved = &at
	}
}

// saveAgainLocked starts another try to save tokens that could not be saved.
func (b *Broker) saveAgainLocked(ctx context.Context, now time.Time) {
	if b.unsaved == nil || b.flight != nil || now.Before(*b.unsaved) {
		return
	}
	// A copy: the flight runs without the lock, and no renewal can change kept meanwhile, as there is one flight at a time.
	k := b.kept
	b.takeOffLocked(ctx, &b.flight, saving, func(ctx context.Context) error {
		err := b.save(ctx, k)
		b.mu.Lock()
		b.savedLocked(err)
		b.mu.Unlock()
		if err == nil {
			b.cfg.Log.InfoContext(ctx, "the session is saved", slog.String("account", b.cfg.Account))
		}
		return nil
	})
}
