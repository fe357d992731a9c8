package session_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

var hourly = emulator.Config{SessionTTL: time.Hour}

// together makes n protected calls at one time.
func together(w *world, b *session.Broker, n int) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := w.chats(b); err != nil {
				w.Error(err)
			}
		})
	}
	all.Wait()
}

func TestAllWaitForOneRenewal(t *testing.T) {
	for name, end := range map[string]func(*world){
		"nobody signed in": func(*world) {},
		"expired by the clock": func(w *world) {
			w.must(w.broker())
			time.Sleep(2 * time.Hour)
		},
		"ended by the platform": func(w *world) {
			w.must(w.broker())
			time.Sleep(10 * time.Minute)
			w.people.Expire(w.account)
		},
		"ended at once": func(w *world) {
			w.must(w.broker())
			w.people.Expire(w.account)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, hourly, func(w *world) {
				end(w)
				before, refreshes := w.barrier.count("login"), 1
				if before == 0 {
					refreshes = 0
				}
				together(w, w.broker(), 200)
				w.expect(1, refreshes)
			})
		})
	}
}

func TestASessionIsRenewedBeforeItExpires(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker()
		w.must(b)
		time.Sleep(54 * time.Minute)
		w.must(b)
		w.expect(1, 0)
		time.Sleep(time.Minute)
		together(w, b, 20)
		w.expect(1, 1)
		if n := w.barrier.count("get_chats"); n != 22 {
			w.Errorf("%d calls for 22: some were refused", n)
		}
	})
}

func TestRefreshAheadIsAtMostHalfTheLifetime(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker(func(c *session.Config) { c.RefreshAhead = 5 * time.Hour })
		w.must(b)
		time.Sleep(29 * time.Minute)
		w.must(b)
		w.expect(1, 0)
		time.Sleep(time.Minute)
		w.must(b)
		w.expect(1, 1)
	})
}

func TestAnUnknownExpiryIsNoReasonToRenew(t *testing.T) {
	cfg := hourly
	cfg.Dialect.ExpiryAbsent = true
	inWorld(t, cfg, func(w *world) {
		b := w.broker()
		w.must(b)
		time.Sleep(59 * time.Minute)
		w.must(b)
		w.expect(1, 0)
		time.Sleep(time.Hour)
		w.must(b)
		w.expect(1, 1)
	})
}

// An expiry in the past, of a platform whose clock or unit is wrong, must not make each call renew.
func TestAnExpiryThatMakesNoSenseIsIgnored(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.barrier.disturb("login", answer(`{"code":200,"data":{"id":7,"user_name":"shop"},"auth":{"auth_token":"tok-1","refresh_token":"ref-1","auth_token_expiry":1100000000}}`))
		w.barrier.disturb("get_chats", answer(`{"code":204,"data":[]}`))
		b := w.broker()
		for range 5 {
			w.must(b)
		}
		w.expect(1, 0)
	})
}

func TestAHangingRefreshDoesNotHoldUpAGoodSession(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker()
		w.must(b)
		time.Sleep(56 * time.Minute)
		w.barrier.disturb("refresh_access_token", hang)
		start := time.Now()
		w.must(b)
		if waited := time.Since(start); waited != 2*time.Second {
			w.Errorf("waited %v, want 2s", waited)
		}
		w.phase(b, session.Renewing)
		if err := b.Wait(w.Context()); err != nil {
			w.Fatal(err)
		}
		if s := b.State(); s.Phase != session.Active || s.Err == nil || s.Until.IsZero() {
			w.Errorf("after the failed refresh: %+v", s)
		}
	})
}

func TestTokensAreSavedBeforeTheyAreUsed(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		used := 0
		w.barrier.disturb("get_chats", func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
			kept, _ := w.keeper.now()
			if used++; r.URL.Query().Get("session_id") != kept.SessionID.Reveal() {
				w.Error("a session was used that is not kept")
			}
			next.ServeHTTP(rw, r)
		})
		b := w.broker()
		var last session.Kept
		for range 3 {
			w.must(b)
			kept, _ := w.keeper.now()
			if kept.SessionID == last.SessionID || kept.RefreshToken == last.RefreshToken {
				w.Error("the tokens were not rotated")
			}
			if kept.User != w.account || kept.Username != "shop" || kept.Obtained.IsZero() {
				w.Errorf("kept %+v", kept)
			}
			last = kept
			time.Sleep(time.Hour)
		}
		w.expect(1, 2)
		if used != 3 {
			w.Errorf("%d calls, want 3", used)
		}
	})
}

func TestTheOldRefreshTokenIsKeptWhenTheAnswerHasNone(t *testing.T) {
	cfg := hourly
	cfg.Dialect.RefreshOmits = true
	inWorld(t, cfg, func(w *world) {
		b := w.broker()
		for range 4 {
			w.must(b)
			time.Sleep(time.Hour)
		}
		w.expect(1, 3)
	})
}

func TestALostRefresh(t *testing.T) {
	for name, c := range map[string]struct {
		keeps  bool
		logins int
	}{
		"the token is used up":        {keeps: false, logins: 2},
		"the token may be used again": {keeps: true, logins: 1},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := hourly
			cfg.Dialect.RefreshKeeps = c.keeps
			inWorld(t, cfg, func(w *world) {
				b := w.broker()
				w.must(b)
				time.Sleep(time.Hour)
				w.barrier.disturb("refresh_access_token", lose, nil)
				w.must(b)
				w.expect(c.logins, 2)
				w.phase(b, session.Active)
			})
		})
	}
}

func TestARefusedRefreshSignsIn(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker()
		w.must(b)
		time.Sleep(10 * time.Minute)
		w.people.Revoke(w.account)
		together(w, b, 50)
		w.expect(2, 1)
	})
}

func TestADeploymentThatRenewsNothingSignsIn(t *testing.T) {
	for name, refresh := range map[string]hook{
		"no such page":    func(rw http.ResponseWriter, r *http.Request, _ http.Handler) { http.NotFound(rw, r) },
		"no such call":    answer(`{"code":404,"data":[],"message":"Unknown endpoint"}`),
		"nothing useful":  answer(`{"code":200,"data":[],"message":"OK"}`),
		"not an envelope": answer(`<html>Welcome</html>`),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, hourly, func(w *world) {
				w.barrier.disturb("refresh_access_token", refresh)
				b := w.broker()
				w.must(b)
				time.Sleep(time.Hour)
				w.must(b)
				w.expect(2, w.barrier.count("refresh_access_token"))
			})
		})
	}
}

func TestACallerEndsOnlyItsOwnWait(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.barrier.disturb("login", func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
			time.Sleep(10 * time.Second)
			next.ServeHTTP(rw, r)
		})
		b := w.broker()
		hasty, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := b.SessionID(hasty); !errors.Is(err, context.DeadlineExceeded) {
				w.Errorf("the hasty caller got %v", err)
			}
		})
		synctest.Wait()
		w.phase(b, session.Renewing)
		all.Go(func() {
			if _, err := b.SessionID(w.Context()); err != nil {
				w.Errorf("the patient caller got %v", err)
			}
		})
		all.Wait()
		w.expect(1, 0)
	})
}

// A refresh that is answered with a connection, twice, was not refused: its token may be good, and of a social sign-in it is all there is.
func TestRefreshThatHandsOverItsConnection(t *testing.T) {
	inWorld(t, emulator.Config{Dialect: emulator.Dialect{RefreshKeeps: true}}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.people.Disturb("refresh_access_token", emulator.Switched, emulator.Switched)
		w.people.Expire(w.account)
		if err := w.chats(b); err == nil {
			w.Error("there is a session")
		}
		time.Sleep(10 * time.Minute)
		w.must(b)
		w.expect(1, 3)
	})
}
