package bot_test

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/session"
)

// losing handles the next call of an endpoint and loses the answer.
func losing(endpoint string) faults {
	var lost atomic.Bool
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err == nil && path.Base(r.URL.Path) == endpoint && !lost.Swap(true) {
			return nil, errors.Join(errors.New("connection reset by peer"), answer.Body.Close())
		}
		return answer, err
	}
}

// rush is two hundred people who write at once, and a bot that may make as many calls at a time.
const rush = 200

func rushed(s *network, dialect emulator.Dialect) bottest.Config {
	return bottest.Config{
		Routes: answers(func() error { return nil }), Transport: s.over,
		Platform: emulator.Config{Dialect: dialect, SessionTTL: day},
		Bot:      bot.Config{PollInterval: time.Second, Concurrency: rush, Pace: &event.Pace{}},
	}
}

// A session that ends in the middle of everything costs what it must, once, whoever waits for it: and
// nothing is lost, doubled or refused because of it.
func TestASessionEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	renewed := func(w *bottest.World, _ *network) { w.Platform().Expire(w.Account("bot").ID()) }
	for name, c := range map[string]struct {
		end               func(*bottest.World, *network)
		logins, refreshes int
	}{
		"expired": {renewed, 1, 1},
		"revoked": {func(w *bottest.World, _ *network) { w.Platform().Revoke(w.Account("bot").ID()) }, 2, 0},
		"expired, and the refresh token is gone": {func(w *bottest.World, s *network) {
			w.Platform().RevokeRefresh(w.Account("bot").ID())
			renewed(w, s)
		}, 2, 0},
		"rotated, and the answer is lost": {func(w *bottest.World, s *network) {
			s.turn(losing("refresh_access_token"))
			renewed(w, s)
		}, 2, 1},
	} {
		for code, dialect := range map[string]emulator.Dialect{"401": {}, "400": {Unauthorized400: true}} {
			if !effort.Some(name + " " + code) {
				continue
			}
			t.Run(name+" "+code, func(t *testing.T) {
				effort.Case(t)
				var s network
				bottest.Run(t, rushed(&s, dialect), func(w *bottest.World) {
					since := w.Platform().Ledger().Len()
					people := make([]*bottest.Person, rush)
					for i := range people {
						people[i] = w.Person(fmt.Sprintf("guest%03d", i))
					}
					w.Advance(2 * time.Minute) // the session is no longer young
					for _, p := range people {
						p.Says("hi")
						p.Mentions("look")
					}
					w.Advance(2 * time.Second)
					for _, p := range people {
						p.Says("and now?")
					}
					people[0].Hears()
					c.end(w, &s) // with some two hundred calls on their way
					w.Advance(5 * time.Minute)
					if l, r := w.Platform().Logins(), w.Platform().Refreshes(); l != c.logins || r != c.refreshes {
						t.Errorf("%d sign-ins and %d refreshes, want %d and %d", l, r, c.logins, c.refreshes)
					}
					if v := judge.Platform(w.Platform(), livelyExpect(w, since)); !v.OK() || v.Replies != 2*rush {
						t.Errorf("%v\n%s\n%s", v, strings.Join(v.Details, "\n"), strings.Join(lines(w.Log()), "\n"))
					}
				})
			})
		}
	}
}

// A wrong password for some hours: the bot asks ever more rarely, drops nothing, and goes on by itself
// once the password is right.
func TestAWrongPasswordForAWhile(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	var s network
	bottest.Run(t, bottest.Config{
		Routes: answers(func() error { return nil }), Transport: s.over, Patience: time.Hour,
		Bot: bot.Config{PollInterval: time.Second, Pace: &event.Pace{}},
	}, func(w *bottest.World) {
		since, before := w.Platform().Ledger().Len(), len(lines(w.Log()))
		me, ana, leo := w.Account("bot").ID(), w.Person("ana"), w.Person("leo")
		ana.Says("one", "two")
		leo.Says("one")
		leo.Hears()
		w.Platform().SetPassword(me, "changed")
		w.Platform().Revoke(me)
		locked := time.Now()
		for hour := range 5 {
			ana.Says(fmt.Sprintf("hour %d", hour))
			ana.Mentions(fmt.Sprintf("look, hour %d", hour))
			w.Advance(time.Hour)
		}
		hours, gap, last := [5]int{}, time.Duration(0), locked
		for _, c := range of("login", s.since(locked)) {
			hours[min(int(c.at.Sub(locked)/time.Hour), 4)]++
			if d := c.at.Sub(last); d < gap && gap < 30*time.Minute {
				t.Errorf("a pause of %v after one of %v", d, gap)
			}
			gap, last = c.at.Sub(last), c.at
		}
		if hours[0] > 8 || hours[1] > 3 || hours[4] > 3 || hours[4] < 1 {
			t.Errorf("%v sign-ins an hour", hours)
		}
		if got := lines(w.Log())[before:]; len(got) > 3 {
			t.Errorf("%d lines in the log:\n%s", len(got), strings.Join(got, "\n"))
		}
		w.Platform().SetPassword(me, "correct horse")
		w.Advance(40 * time.Minute) // longer than the longest pause
		if v := judge.Platform(w.Platform(), livelyExpect(w, since)); !v.OK() || v.Replies != 8 {
			t.Errorf("%v\n%s\n%s", v, strings.Join(v.Details, "\n"), strings.Join(lines(w.Log()), "\n"))
		}
	})
}

// A social sign-in that cannot be renewed parks its account alone. With a new token, everything that
// waited is done.
func TestASocialSignInThatCannotBeRenewed(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	var s network
	token := platform.Secret("first-token")
	bottest.Run(t, bottest.Config{
		Routes: answers(func() error { return nil }), Transport: s.over, Patience: 3 * time.Hour,
		Accounts: []event.Account{"bot", "shop"},
		Credentials: func(a event.Account) session.Credentials {
			if a == "bot" {
				return session.Credentials{OAuthType: "google", OAuthToken: token}
			}
			return session.Credentials{Email: string(a) + "@example.com", Password: "correct horse"}
		},
		Before: func(w *bottest.World) { w.Platform().SetOAuth(w.Account("bot").ID(), "google", token) },
		Bot:    bot.Config{PollInterval: time.Second, Pace: &event.Pace{Account: event.Rate{PerSecond: 0.5, Burst: 1}}},
	}, func(w *bottest.World) {
		since, me := w.Platform().Ledger().Len(), w.Account("bot").ID()
		ana, leo, mia := w.Person("ana"), w.Person("leo"), w.Account("shop").Person("mia")
		ana.Says("one", "two")
		leo.Says("one", "two", "three")
		leo.Hears() // the others wait for the pace, stored
		w.Platform().Revoke(me)
		w.Platform().SetOAuth(0, "google", token)
		parked, before := time.Now(), len(lines(w.Log()))
		ana.Says("three")
		leo.Mentions("look")
		for range 3 {
			mia.Says("hi")
			mia.Expects("echo: hi")
			w.Advance(40 * time.Minute)
		}
		if n := len(of("oauth", s.since(parked))); n != 1 {
			t.Errorf("%d social sign-ins, want one", n)
		}
		got := lines(w.Log())[before:]
		if said := strings.Join(got, "\n"); len(got) > 2 || !strings.Contains(got[0], "get a new token from google") {
			t.Errorf("%d lines in the log:\n%s", len(got), said)
		}
		token = "second-token"
		w.Platform().SetOAuth(me, "google", token)
		w.Faults(emulator.Faults{}) // what could not be reconciled stays open over the stop
		w.Restart()
		w.Advance(5 * time.Minute)
		if v := judge.Platform(w.Platform(), livelyExpect(w, since)); !v.OK() || v.Replies != 6 {
			t.Errorf("%v\n%s\n%s", v, strings.Join(v.Details, "\n"), strings.Join(lines(w.Log()), "\n"))
		}
	})
}
