package platform_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// slowly lets each request leave after a minute.
type slowly struct {
	signIns, calls, charged atomic.Int64
}

func (s *slowly) Limited() bool { return true }

func (s *slowly) Charge() { s.charged.Add(1) }

func (s *slowly) Wait(ctx context.Context, signsIn bool) error {
	if signsIn {
		s.signIns.Add(1)
	} else {
		s.calls.Add(1)
	}
	select {
	case <-time.After(time.Minute):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// signedIn has a session.
type signedIn struct{ id platform.Secret }

func (s signedIn) SessionID(context.Context) (platform.Secret, error) { return s.id, nil }

func (s signedIn) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

// A request's time begins when the limiter lets it leave; one that does not leave in the time of whoever asks for it has not been sent.
func TestLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := emulator.New(emulator.Config{})
		p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", "correct horse")
		pipe := emulator.NewPipe(p)
		defer func() { _ = pipe.Close() }()
		limiter := &slowly{}
		c, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport(), Timeout: 2 * time.Second, Limiter: limiter})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Limited() {
			t.Error("it has no limit")
		}
		in, err := c.Login(t.Context(), platform.LoginParams{Email: "shop@social.example", Password: "correct horse"})
		if err != nil {
			t.Fatal(err)
		}
		c = c.WithSession(signedIn{in.SessionID})
		permitted := time.Time{}
		ctx := platform.WithPermit(t.Context(), func() error { permitted = time.Now(); return nil })
		waited, began := atomic.Int64{}, time.Now()
		if _, err := c.Feed(platform.WithWaited(ctx, &waited), platform.PageParams{}); err != nil {
			t.Error(err)
		}
		if time.Duration(waited.Load()) != time.Minute || permitted.Sub(began) != time.Minute {
			t.Errorf("it has waited for %v, and was permitted after %v", time.Duration(waited.Load()), permitted.Sub(began))
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Feed(short, platform.PageParams{})
		unreachable, is := errors.AsType[*platform.Unreachable](err)
		if !is || unreachable.Sent || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("what does not leave in time gets %v", err)
		}
		if limiter.signIns.Load() != 1 || limiter.calls.Load() != 2 || limiter.charged.Load() != 0 || p.Calls("get_feed_posts")+p.Calls("get_feed") > 1 {
			t.Errorf("%d sign-ins and %d calls wait, %d are charged", limiter.signIns.Load(), limiter.calls.Load(), limiter.charged.Load())
		}
	})
}

// A request that follows a redirect is charged.
func TestLimiterAndRedirects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := emulator.New(emulator.Config{})
		pipe := emulator.NewPipe(p)
		defer func() { _ = pipe.Close() }()
		limiter, first := &slowly{}, true
		over := roundTripper(func(r *http.Request) (*http.Response, error) {
			if first {
				first = false
				return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {r.URL.String()}}, Body: http.NoBody, Request: r}, nil
			}
			return pipe.Transport().RoundTrip(r)
		})
		c, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: over, Limiter: limiter})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Login(t.Context(), platform.LoginParams{Email: "nobody@social.example", Password: "wrong"}) // it is refused
		if limiter.signIns.Load() != 1 || limiter.charged.Load() != 1 {
			t.Errorf("%d sign-ins wait, %d are charged", limiter.signIns.Load(), limiter.charged.Load())
		}
	})
}

// roundTripper is a function as a transport.
type roundTripper func(r *http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
