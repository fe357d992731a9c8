package session_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A platform that hands out sessions and accepts none, or the same old one each time, is not asked for more and more of them.
func TestSessionsThatAreNeverAccepted(t *testing.T) {
	effort.Shared(t)
	refuse := answer(`{"code":401,"data":[],"message":"Unauthorized Access"}`)
	for name, how := range map[string]struct {
		grant    func(n int) string
		lifetime time.Duration
	}{
		"another one each time":        {func(n int) string { return fmt.Sprint("session-", n) }, time.Hour},
		"the same one":                 {func(int) string { return "session-of-yore" }, time.Hour},
		"one that has ended meanwhile": {func(n int) string { return fmt.Sprint("session-", n) }, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{}, func(w *world) {
				granted := 0
				give := func(rw http.ResponseWriter, r *http.Request, h http.Handler) {
					granted++
					body := fmt.Sprintf(`{"code":200,"data":[],"auth":{"auth_token":%q,"refresh_token":"again-%d","auth_token_expiry":%d}}`,
						how.grant(granted), granted, time.Now().Add(how.lifetime).Unix())
					answer(body)(rw, r, h)
				}
				for range 2000 {
					w.barrier.disturb("login", give)
					w.barrier.disturb("refresh_access_token", give)
					w.barrier.disturb("get_chats", refuse)
					w.barrier.disturb("feeds", refuse)
				}
				b := w.broker()
				for range 720 {
					_ = w.chats(b)
					time.Sleep(5 * time.Second)
				}
				if n := w.barrier.count("login") + w.barrier.count("refresh_access_token"); n < 50 || n > 80 {
					w.Errorf("%d sessions were asked for in an hour, want about one in a minute", n)
				}
				if n := w.barrier.count("get_chats") + w.barrier.count("feeds"); n > 200 {
					w.Errorf("%d calls were made with them", n)
				}
			})
		})
	}
}

// Where the sessions that a refresh gives are of no use, those of a sign-in may be.
func TestARefreshThatGivesDeadSessions(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		b := w.broker()
		w.must(b)
		for n := range 2000 {
			w.barrier.disturb("refresh_access_token", answer(fmt.Sprintf(
				`{"code":200,"data":[],"auth":{"auth_token":"dead-%d","refresh_token":"again-%d","auth_token_expiry":%d}}`,
				n, n, time.Now().Add(24*time.Hour).Unix())))
		}
		time.Sleep(time.Hour)
		for range 12 {
			if err := w.chats(b); err == nil {
				w.expect(2, w.barrier.count("refresh_access_token"))
				return
			}
			time.Sleep(5 * time.Second)
		}
		w.Error("after a minute the account is still not signed in")
	})
}

// An expiry that is a moment ahead is none: a platform that says so each time is not asked for a session with each call.
func TestExpiryOfAMoment(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		for n := range 800 {
			w.barrier.disturb("login", moment(n))
			w.barrier.disturb("refresh_access_token", moment(n))
			w.barrier.disturb("get_chats", answer(`{"code":204,"data":[]}`))
		}
		b := w.broker()
		for range 720 {
			w.must(b)
			time.Sleep(5 * time.Second)
		}
		if n := w.barrier.count("login") + w.barrier.count("refresh_access_token"); n > 1 {
			w.Errorf("%d sessions were asked for, want one", n)
		}
	})
}

// moment hands out a session that is said to end in a second.
func moment(n int) hook {
	return func(rw http.ResponseWriter, r *http.Request, h http.Handler) {
		answer(fmt.Sprintf(`{"code":200,"data":{"id":7,"user_name":"shop"},"auth":{"auth_token":"tok-%d","refresh_token":"ref-%d","auth_token_expiry":%d}}`,
			n, n, time.Now().Add(2*time.Second).Unix()))(rw, r, h)
	}
}
