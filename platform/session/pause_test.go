package session_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

func TestAnOutageOfTheRefreshKeepsTheSession(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker()
		w.must(b)
		w.barrier.disturb("refresh_access_token", fail)
		time.Sleep(56 * time.Minute)
		for range 30 {
			w.must(b)
			time.Sleep(5 * time.Second)
		}
		if n := w.barrier.count("refresh_access_token"); n < 4 || n > 20 {
			w.Errorf("%d refreshes in 150 s, want growing pauses", n)
		}
		time.Sleep(5 * time.Minute)
		paused := w.paused(w.chats(b)) // now the platform refuses the old session, too
		if paused.Refused || errors.Is(paused, platform.ErrBadCredentials) {
			w.Errorf("an outage looks like refused credentials: %v", paused)
		}
		w.expect(1, w.barrier.count("refresh_access_token"))
		w.barrier.disturb("refresh_access_token", nil)
		time.Sleep(time.Until(paused.Until))
		w.must(b)
		if w.barrier.count("login") != 1 {
			w.Error("the outage led to a sign-in")
		}
	})
}

// A refresh that fails for ever without a clear word must not end an account that can sign in.
func TestARefreshThatIsBrokenForGood(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker()
		w.must(b)
		w.barrier.disturb("refresh_access_token", fail)
		time.Sleep(61 * time.Minute) // the session is over
		failed := 0
		for end := time.Now().Add(20 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Second) {
			if w.chats(b) == nil {
				break
			}
			failed++
		}
		w.must(b)
		if n := w.barrier.count("login"); n != 2 {
			w.Errorf("%d sign-ins, want the first and one more", n)
		}
		if failed < 30 {
			w.Errorf("signed in again after %d calls: a refresh deserves some minutes", failed)
		}
	})
}

// A social sign-in whose own token has run out is not parked while its refresh token may still be good:
// neither because it is asked to slow down, nor because renewing fails without a clear word.
func TestAnOutageOfTheRefreshDoesNotPark(t *testing.T) {
	for name, faults := range map[string]hook{
		"too many": func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) {
			rw.WriteHeader(http.StatusTooManyRequests)
		},
		"fails": fail,
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, hourly, func(w *world) {
				w.people.SetOAuth(w.account, "google", social)
				b := w.broker(bySocial)
				w.must(b)
				w.barrier.disturb("oauth", answer(`{"code":402,"data":[],"error":{"error":"invalid"},"message":"Token expired"}`))
				time.Sleep(2 * time.Hour)
				w.barrier.disturb("refresh_access_token", faults)
				for range 20 {
					if err := w.chats(b); err == nil {
						w.Error("a session out of nowhere")
					}
					time.Sleep(75 * time.Second)
				}
				w.barrier.disturb("refresh_access_token", nil)
				time.Sleep(5 * time.Minute)
				w.must(b)
			})
		})
	}
}

// An answer that nobody knows is no word about a social sign-in: it may be another one in a while.
func TestAnUnknownAnswerDoesNotPark(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		w.people.SetOAuth(w.account, "google", social)
		b := w.broker(bySocial)
		w.barrier.disturb("oauth", answer(`{"code":420,"data":[],"message":"Enhance your calm"}`))
		if err := w.chats(b); err == nil {
			w.Error("a session out of nowhere")
		}
		w.barrier.disturb("oauth", nil)
		time.Sleep(5 * time.Minute)
		w.must(b)
	})
}

// Nor does a call that comes too fast end a session, whatever its code says.
func TestTooFastIsNotInvalid(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker()
		w.must(b)
		time.Sleep(10 * time.Minute)
		w.barrier.disturb("get_chats", func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) {
			rw.WriteHeader(http.StatusTooManyRequests)
			_, _ = rw.Write([]byte(`{"code":401,"data":[],"message":"Slow down"}`))
		})
		if err := w.chats(b); !errors.Is(err, platform.ErrRateLimited) {
			w.Errorf("got %v, want to be told that it was too fast", err)
		}
		w.barrier.disturb("get_chats", nil)
		w.must(b)
		w.expect(1, 0)
	})
}

func TestAWrongPasswordPausesAndComesBackByItself(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.people.SetPassword(w.account, "another")
		b := w.broker()
		var pauses []time.Duration
		for n := range 8 {
			err := w.chats(b)
			paused := w.paused(err)
			if !paused.Refused || !errors.Is(err, platform.ErrBadCredentials) || !strings.Contains(err.Error(), "password") {
				w.Errorf("%v: want refused credentials", err)
			}
			if platform.InDoubt(err) {
				w.Error("a call that never left is unsure")
			}
			pauses = append(pauses, time.Until(paused.Until))
			for range 10 {
				_ = w.paused(w.chats(b))
			}
			w.expect(n+1, 0)
			w.phase(b, session.Paused)
			time.Sleep(time.Until(paused.Until))
		}
		for n, got := range pauses {
			least := min(30*time.Second<<n, 30*time.Minute)
			if got < least || got > least+least/5 {
				w.Errorf("pause %d was %v, want %v and at most a fifth more", n, got, least)
			}
		}
		w.people.SetPassword(w.account, password)
		w.must(b)
		w.expect(9, 0)
		if s := b.State(); s.Phase != session.Active || s.Err != nil || s.User != w.account {
			w.Errorf("after the sign-in: %+v", s)
		}
		if n := strings.Count(w.logged.String(), `"level":"WARN"`); n != 1 {
			w.Errorf("%d warnings, want one:\n%s", n, w.logged)
		}
	})
}

func TestARequestToSlowDownIsHeeded(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.barrier.disturb("login", func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) {
			rw.Header().Set("Retry-After", "600")
			rw.WriteHeader(http.StatusTooManyRequests)
		}, nil)
		b := w.broker()
		paused := w.paused(w.chats(b))
		if wait := time.Until(paused.Until); wait < 10*time.Minute || paused.Refused {
			w.Errorf("waits %v, want 10 minutes: %v", wait, paused)
		}
		time.Sleep(10 * time.Minute)
		w.must(b)
		w.expect(2, 0)
	})
}

// A platform cannot silence an account for ever with one header.
func TestARequestToSlowDownForEver(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.barrier.disturb("login", func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) {
			rw.Header().Set("Retry-After", "2147483647")
			rw.WriteHeader(http.StatusTooManyRequests)
		}, nil)
		b := w.broker()
		if wait := time.Until(w.paused(w.chats(b)).Until); wait != time.Hour {
			w.Errorf("waits %v, want an hour", wait)
		}
		time.Sleep(time.Hour)
		w.must(b)
	})
}

func bySocial(c *session.Config) {
	c.Credentials = session.Credentials{OAuthType: "google", OAuthToken: social}
}

func TestASocialSignInThatCannotBeRenewedIsParked(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		w.people.SetOAuth(w.account, "google", social)
		b := w.broker(bySocial)
		w.must(b)
		time.Sleep(10 * time.Minute)
		w.people.Revoke(w.account)
		w.barrier.disturb("oauth", answer(`{"code":402,"data":[],"error":{"error":"invalid"},"message":"Token expired"}`))
		for range 5 {
			err := w.chats(b)
			parked := (*session.ParkedError)(nil)
			if !errors.As(err, &parked) || parked.Provider != "google" || !strings.Contains(err.Error(), "get a new token") {
				w.Fatalf("got %v, want to be told what to do", err)
			}
			time.Sleep(24 * time.Hour)
		}
		w.phase(b, session.Parked)
		if n := w.barrier.count("oauth"); n != 2 {
			w.Errorf("%d social sign-ins, want 2", n)
		}
		w.expect(0, 1)
		if me, err := b.Me(w.Context()); err != nil || me != w.account {
			w.Errorf("a parked account is %v, %v", me, err)
		}
		w.barrier.disturb("oauth", nil)
		w.must(w.broker(bySocial)) // started again, with a token that works
	})
}

func TestAnAccountWithoutCredentials(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker(func(c *session.Config) { c.Credentials = session.Credentials{} })
		_, err := b.Me(w.Context())
		if parked := (*session.ParkedError)(nil); !errors.As(err, &parked) || !strings.Contains(err.Error(), "no credentials") {
			w.Errorf("got %v, want to be told what to do", err)
		}
		w.expect(0, 0)
	})
}
