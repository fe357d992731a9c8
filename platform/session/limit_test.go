package session_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// unlimited lets an account have as many sessions as it wants.
func unlimited(c *session.Config) { c.PerMinute = 1e6 }

// A session by which calls were answered has served, however soon it ends: the next one is had at once.
func TestASessionThatServedWasNotGotInVain(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker(unlimited)
		begun := time.Now()
		for n := range 40 {
			for range 50 {
				w.must(b)
				time.Sleep(20 * time.Millisecond)
			}
			if n%2 == 0 {
				w.people.Expire(w.account)
			} else {
				w.people.Revoke(w.account)
			}
		}
		if took := time.Since(begun); took > 41*time.Second {
			w.Errorf("2000 calls, one each 20 ms, took %v", took)
		}
	})
}

// The feed, posts and people are shown to strangers, too: that they are shown does not tell that a session serves.
func TestWhatAnybodySeesProvesNothing(t *testing.T) {
	refuse := answer(`{"code":401,"data":[],"message":"Unauthorized Access"}`)
	inWorld(t, emulator.Config{}, func(w *world) {
		post := w.people.Post(w.peer, "for everybody")
		w.barrier.disturb("get_chats", refuse)
		b := w.broker(unlimited, func(c *session.Config) {
			c.Probe = func(context.Context, platform.Secret) error { return &platform.Refused{Code: http.StatusUnauthorized} }
		})
		seen := 0
		for range 720 {
			client := w.client.WithSession(b)
			_, feed := client.Feed(w.Context(), platform.PageParams{})
			_, thread := client.Thread(w.Context(), post)
			_, person := client.Profile(w.Context(), platform.ProfileParams{ID: w.peer})
			if feed == nil && thread == nil && person == nil {
				seen++
			}
			_ = w.chats(b)
			time.Sleep(5 * time.Second)
		}
		if n := w.barrier.count("login") + w.barrier.count("refresh_access_token"); n > 80 || seen < 10 {
			w.Errorf("%d sessions were asked for in an hour, want about one in a minute; %d times all was shown", n, seen)
		}
	})
}

// Whatever sessions have served: a platform that ends them all the time gives an account so many, whether the program runs on or begins anew.
func TestSessionsAreLimited(t *testing.T) {
	for name, ends := range map[string]func(*world){
		"renewed":                func(w *world) { w.people.Expire(w.account) },
		"by the password":        func(w *world) { w.people.Revoke(w.account) },
		"renewed without answer": func(w *world) { w.people.Expire(w.account); w.barrier.disturb("refresh_access_token", lose, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, emulator.Config{}, func(w *world) {
				b, answered := w.broker(), 0
				for begun := time.Now(); time.Since(begun) < 65*time.Minute; time.Sleep(time.Second) {
					if w.chats(b) != nil {
						continue
					}
					ends(w)
					if answered++; answered%7 == 3 {
						b = w.broker() // on what was kept
					}
				}
				var got []time.Time // twice for one that the password has got
				for _, e := range w.people.Ledger().Since(0) {
					switch e.Kind {
					case emulator.LoggedIn:
						got = append(got, e.At, e.At)
					case emulator.Refreshed:
						got = append(got, e.At)
					default:
					}
				}
				for i, at := range got {
					for span, most := range map[time.Duration]int{time.Minute: 12, time.Hour: 120} {
						if i >= most && at.Sub(got[i-most]) < span-time.Millisecond { // they are what is kept
							t.Fatalf("%d halves of sessions within %v", most+1, at.Sub(got[i-most]))
						}
					}
				}
				if len(got) < 120 || answered < 50 {
					t.Errorf("%d halves of sessions in an hour, by which %d calls were answered: want all that may be had", len(got), answered)
				}
				if err := w.chats(b); err != nil && !strings.Contains(err.Error(), "end too soon") {
					w.Errorf("it is not said why there is none: %v", err)
				}
			})
		})
	}
}

// What a clock says that was ahead, or what nobody can read, keeps nobody out.
func TestALimitOfTheFuture(t *testing.T) {
	for name, lately := range map[string]string{
		"of the future": strings.Repeat("4102444800000:2 ", 200), "unreadable": "x 1:y :: 12:-5 " + strings.Repeat("9", 40), "long over": strings.Repeat("1:2 ", 200),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{}, func(w *world) {
				w.keeper.kept.Lately = lately
				w.must(w.broker())
			})
		})
	}
}

// Too many calls cost what the platform says, or a second at first, whatever has failed before.
func TestTooManyCostsWhatItSays(t *testing.T) {
	tooMany := func(after string) hook {
		return func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) {
			if after != "" {
				rw.Header().Set("Retry-After", after)
			}
			rw.WriteHeader(http.StatusTooManyRequests)
		}
	}
	for name, c := range map[string]struct {
		after string
		waits []time.Duration
	}{
		"it says":         {"2", []time.Duration{2 * time.Second, 2 * time.Second, 2 * time.Second}},
		"it says nothing": {"", []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
	} {
		for of, ask := range map[string]struct {
			endpoint string
			call     func(*world, *session.Broker) error
		}{
			"a sign-in": {"login", (*world).chats},
			"a probe":   {"feeds", (*world).refusedMessage},
		} {
			t.Run(of+", "+name, func(t *testing.T) {
				inWorld(t, emulator.Config{}, func(w *world) {
					b := w.broker()
					if of == "a probe" {
						w.must(b)
					} else {
						w.barrier.disturb("login", fail)
						for range 5 {
							time.Sleep(time.Until(w.paused(w.chats(b)).Until))
						}
					}
					w.barrier.disturb(ask.endpoint, tooMany(c.after))
					for _, want := range c.waits {
						wait := time.Until(w.paused(ask.call(w, b)).Until)
						if wait < want || wait > want+want/5 {
							w.Errorf("it waits %v, want %v", wait, want)
						}
						time.Sleep(wait)
					}
				})
			})
		}
	}
}
