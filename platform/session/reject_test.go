package session_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// A platform that says 400 for an invalid session.
func TestA400ForA401(t *testing.T) {
	inWorld(t, emulator.Config{Dialect: emulator.Dialect{Unauthorized400: true}}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.people.Expire(w.account)
		together(w, b, 100)
		w.expect(1, 1)
		if n := w.barrier.count("feeds"); n != 1 {
			w.Errorf("%d probes, want one", n)
		}
		w.people.Revoke(w.account)
		w.must(b)
		w.expect(2, 2)
	})
}

// wordless is a refusal that says nothing, so that it cannot be told from another one.
var wordless = answer(`{"code":400,"data":[]}`)

func TestAGenuine400IsARefusal(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.barrier.disturb("send_message", wordless)
		b := w.broker()
		for range 5 {
			if err := w.refusedMessage(b); !errors.Is(err, platform.ErrInvalid) {
				w.Fatalf("got %v, want the refusal", err)
			}
		}
		w.expect(1, 0)
		if n := w.barrier.count("feeds"); n != 5 {
			w.Errorf("%d probes for 5 refusals, want one for each", n)
		}
		if n := w.barrier.count("send_message"); n != 5 {
			w.Errorf("%d messages left for 5 calls", n)
		}
		// The clock of a bubble moves when nothing else does: all the refusals have come before the first probe ends.
		w.barrier.disturb("feeds", late)
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if err := w.refusedMessage(b); !errors.Is(err, platform.ErrInvalid) {
					w.Errorf("got %v, want the refusal", err)
				}
			})
		}
		all.Wait()
		if n := w.barrier.count("feeds"); n > 5+2 {
			w.Errorf("%d probes for 100 refusals at once, want the one under way and one more", n-5)
		}
		w.expect(1, 0)
	})
}

// Whom a probe has answered does not wait for the next one, which others need. Who of them wakes first is chance,
// so there are several rounds.
func TestRefusalsBeforeAndAfterAProbe(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		const rounds = 30
		b := w.broker()
		w.must(b)
		w.barrier.disturb("send_message", wordless)
		w.barrier.disturb("feeds", late) // by a second
		for range rounds {
			var all sync.WaitGroup
			began := time.Now()
			all.Go(func() {
				if err := w.refusedMessage(b); !errors.Is(err, platform.ErrInvalid) {
					w.Errorf("got %v, want the refusal", err)
				}
				if d := time.Since(began); d >= 2*time.Second {
					w.Errorf("the first refusal was clear after %s, with the second probe, want the first", d)
				}
			})
			time.Sleep(time.Second / 2) // of the bubble
			for range 100 {
				all.Go(func() { _ = w.refusedMessage(b) })
			}
			all.Wait()
		}
		if n := w.barrier.count("feeds"); n != 2*rounds {
			w.Errorf("%d probes, want 2 in each of %d rounds", n, rounds)
		}
	})
}

// A session that ends right after a genuine refusal is not taken for good: on a platform that answers 400 in both
// cases, calls would be given up that nobody refused.
func TestASessionThatEndsAfterAGenuine400(t *testing.T) {
	inWorld(t, emulator.Config{Dialect: emulator.Dialect{Unauthorized400: true}}, func(w *world) {
		b := w.broker()
		if err := w.refusedMessage(b); !errors.Is(err, platform.ErrInvalid) {
			w.Fatalf("got %v, want the refusal", err)
		}
		w.people.Expire(w.account)
		w.must(b)
		w.expect(1, 1)
	})
}

// When the probe tells nothing the call must not be taken for refused: its session may be dead. Nor may it wait for ever.
func TestAProbeThatTellsNothing(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.barrier.disturb("feeds", fail)
		for n := range 4 {
			err := w.refusedMessage(b)
			paused := w.paused(err)
			if errors.Is(err, platform.ErrInvalid) || platform.InDoubt(err) {
				w.Errorf("%v: looks like an answer to the call", err)
			}
			if wait := time.Until(paused.Until); wait != time.Second<<n {
				w.Errorf("pause %d is %v, want %v", n, wait, time.Second<<n)
			}
			_ = w.paused(w.refusedMessage(b)) // no second probe meanwhile
			time.Sleep(time.Until(paused.Until))
		}
		if err := w.refusedMessage(b); !errors.Is(err, platform.ErrInvalid) {
			w.Errorf("after five probes: %v, want the refusal", err)
		}
		if n := w.barrier.count("feeds"); n != 6 {
			w.Errorf("%d probes, want 5, and one about the call that left then", n)
		}
		if n := w.barrier.count("send_message"); n != 2 {
			w.Errorf("%d calls, want 2", n)
		}
		w.expect(1, 0)
	})
}

// While nobody knows whether the session is still good, nothing is sent with it but what is to find out.
func TestADoubtfulSessionIsNotUsed(t *testing.T) {
	for name, c := range map[string]struct {
		probes    []hook // the probe's answers before the platform's own
		ended     bool   // the session has
		refreshes int
	}{
		"it has ended":             {[]hook{fail, nil}, true, 1},
		"it has ended, in a storm": {[]hook{fail, fail, nil}, true, 1},
		"it is good":               {[]hook{fail, nil}, false, 0},
		"nobody ever knows":        {[]hook{fail}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{Dialect: emulator.Dialect{Unauthorized400: true}}, func(w *world) {
				b := w.broker()
				w.must(b)
				if c.ended {
					w.people.Expire(w.account)
				}
				w.barrier.disturb("feeds", c.probes...)
				before := w.barrier.count("get_chats")
				_ = w.paused(w.refusedMessage(b))
				w.phase(b, session.Paused)
				for begun := time.Now(); w.chats(b) != nil; time.Sleep(100 * time.Millisecond) {
					if time.Since(begun) > time.Minute {
						w.Fatal("nothing is sent any more")
					}
				}
				w.phase(b, session.Active)
				if n := w.barrier.count("get_chats") - before; n != 1 {
					w.Errorf("%d calls went out, want the one that succeeded", n)
				}
				if n := w.barrier.count("feeds"); n > 5 {
					w.Errorf("%d probes", n)
				}
				w.expect(1, c.refreshes)
				w.must(b)
			})
		})
	}
}

// However long the platform asks the probe to wait, the others are not kept waiting for longer than a minute.
func TestAProbeThatIsToWait(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.barrier.disturb("feeds", func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) {
			rw.Header().Set("Retry-After", "86400")
			rw.WriteHeader(http.StatusTooManyRequests)
		}, nil)
		paused := w.paused(w.refusedMessage(b))
		if d := time.Until(paused.Until); d < 10*time.Second || d > time.Minute {
			w.Errorf("it is to wait for %v", d)
		}
		time.Sleep(time.Until(paused.Until))
		w.must(b)
	})
}

// An endpoint that always answers 401 must not renew the session with every call.
func TestAnEndpointThatAlwaysRefuses(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.barrier.disturb("get_chats", answer(`{"code":401,"data":[],"message":"Unauthorized Access"}`))
		time.Sleep(10 * time.Minute)
		for range 100 {
			if err := w.chats(b); !errors.Is(err, platform.ErrUnauthorized) {
				w.Fatalf("got %v, want the refusal", err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := w.barrier.count("refresh_access_token"); n > 1 {
			w.Errorf("%d refreshes, want one at most", n)
		}
	})
}

func TestAnIDOfBeforeGetsTheOneOfNow(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.must(b)
		for _, code := range []int{400, 401} {
			again, err := b.Rejected(w.Context(), "an id of before", &platform.Refused{Code: code})
			if !again || err != nil {
				w.Errorf("code %d: %v, %v; want another try", code, again, err)
			}
		}
		w.expect(1, 0)
		if n := w.barrier.count("feeds"); n != 0 {
			w.Errorf("%d probes, want none", n)
		}
	})
}

func TestAProbeOfOnesOwn(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		var asked []platform.Secret
		b := w.broker(func(c *session.Config) {
			c.Probe = func(_ context.Context, id platform.Secret) error {
				asked = append(asked, id)
				return &platform.Refused{Code: 400}
			}
		})
		id, err := b.SessionID(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		again, err := b.Rejected(w.Context(), id, &platform.Refused{Code: 400})
		if !again || err != nil || len(asked) != 1 || asked[0] != id {
			w.Errorf("%v, %v after asking %d times", again, err, len(asked))
		}
		w.expect(1, 1)
	})
}
