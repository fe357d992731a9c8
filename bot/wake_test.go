package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// only is a network through which calls of one endpoint get.
func only(endpoint string) faults {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if path.Base(r.URL.Path) == endpoint {
			return next.RoundTrip(r)
		}
		return down(next, r)
	}
}

// except is a network through which calls of all endpoints get but one, which has other faults.
func except(endpoint string, other faults) faults {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if path.Base(r.URL.Path) == endpoint {
			return other(next, r)
		}
		return next.RoundTrip(r)
	}
}

// patient is a bot with an answer for each of some people that leaves after so long.
func patient(s *network, after time.Duration) bottest.Config {
	return bottest.Config{
		Routes:    []bot.Route{on("later", func(_ context.Context, t *bot.Turn) error { return t.Reply("now", bot.In(after)) }), echo().Ordered(1)},
		Bot:       bot.Config{Pace: &event.Pace{}},
		Transport: s.over,
	}
}

// callers is how many people deal with a patient bot.
const callers = 30

// ask lets people say something, "later" for an answer that leaves later, and waits until the bot has decided it.
func ask(w *bottest.World, what string) {
	for i := range callers {
		w.Person(fmt.Sprintf("guest%02d", i)).Says(what)
	}
	w.Advance(time.Minute)
}

// regular are the endpoints that are called all the time, and while something is to be sent.
var regular = []string{"get_chats", "get_notifications", "send_message"}

// In an outage everything is left alone for longer and longer. One good answer, to whichever call, wakes all the rest;
// what fails all the same is not called at the pace of what works. After a minute nothing leaves before the chats were read.
func TestOneGoodAnswerWakesAll(t *testing.T) {
	t.Parallel()
	type outage struct{ due, long time.Duration }
	long := []outage{{6 * time.Minute, 7 * time.Minute}, {6 * time.Minute, 7*time.Minute + 17*time.Second}, {6 * time.Minute, 7*time.Minute + 41*time.Second}}
	short := []outage{{70 * time.Second, 25 * time.Second}, {70 * time.Second, 30 * time.Second}, {70 * time.Second, 20 * time.Second}}
	// Too short for anything to have to be heard anew before it leaves.
	brief := []outage{{70 * time.Second, 21 * time.Second}, {70 * time.Second, 26 * time.Second}, {70 * time.Second, 31 * time.Second}}
	for through, outages := range map[string][]outage{"get_chats": long, "get_notifications": slices.Concat(long, brief), "send_message": short} {
		for _, o := range outages {
			t.Run(fmt.Sprint(through, " ", o.long), func(t *testing.T) {
				effort.Case(t)
				var s network
				bottest.Run(t, patient(&s, o.due), func(w *bottest.World) {
					ask(w, "later")
					s.turn(down)
					w.Advance(o.long)
					s.turn(only(through))
					since := time.Now()
					w.Advance(10 * time.Minute)
					wokeAll(t, through, o.long > time.Minute, s.since(since))
				})
			})
		}
	}
}

// wokeAll looks whether a call that gets through woke the others.
func wokeAll(t *testing.T, through string, absent bool, calls []tried) {
	t.Helper()
	first := slices.IndexFunc(calls, func(c tried) bool { return c.endpoint == through })
	if first < 0 {
		t.Fatalf("%s was not called", through)
	}
	for _, other := range regular {
		if other == through {
			continue
		}
		n := 0
		for _, c := range calls[first:] {
			if c.endpoint != other {
				continue
			}
			if n++; n == 1 && c.at.Sub(calls[first].at) > 2*time.Second {
				t.Errorf("%s was called %v after the first good answer", other, c.at.Sub(calls[first].at))
			}
		}
		if may := through != "get_notifications" || other != "send_message" || !absent; may == (n == 0) || n > 45 { // about two a minute, of each of the two lists
			t.Errorf("%s was called %d times in 10 minutes in which it could not work", other, n)
		}
	}
}

// Where an outage was interrupted for a moment, it takes no longer to find its end than it went on after that.
func TestInterruptedOutage(t *testing.T) {
	t.Parallel()
	for k := range 16 {
		if !effort.Sampled(k) {
			continue
		}
		rest := time.Duration(2+4*(k%4)) * time.Second
		t.Run(fmt.Sprint(k, " ", rest), func(t *testing.T) {
			effort.Case(t)
			var s network
			bottest.Run(t, patient(&s, 6*time.Minute), func(w *bottest.World) {
				ask(w, []string{"later", "hi"}[k/8]) // the dispatcher tries, too, or it does not
				s.turn(down)
				for i := range callers { // there is more to read than gets through
					w.Person(fmt.Sprintf("guest%02d", i)).Says("hello")
				}
				w.Advance(7*time.Minute + time.Duration(k)*5*time.Second)
				s.turn(fair)
				for since := time.Now(); len(s.since(since)) == 0; { // until somebody finds out
					w.Advance(100 * time.Millisecond)
				}
				w.Advance(time.Duration(k%3) * 100 * time.Millisecond)
				s.turn(down)
				w.Advance(rest)
				s.turn(fair)
				over := time.Now()
				w.Advance(3 * time.Minute)
				for _, endpoint := range regular[:2] {
					if calls := of(endpoint, s.since(over)); len(calls) == 0 || calls[0].at.Sub(over) > 2*rest+5*time.Second { // lists are read one after another
						t.Errorf("%s was called after %v, the outage had been interrupted %v before", endpoint, calls[0].at.Sub(over), rest)
					}
				}
			})
		})
	}
}

// Whoever wants to be left alone is, whatever answers others get.
func TestNobodyWakesARateLimit(t *testing.T) {
	t.Parallel()
	limited := answering(http.StatusTooManyRequests, http.Header{"Retry-After": {"120"}}, "too many")
	for _, endpoint := range []string{"get_notifications", "send_message"} {
		t.Run(endpoint, func(t *testing.T) {
			effort.Case(t)
			var s network
			bottest.Run(t, patient(&s, 2*time.Minute), func(w *bottest.World) {
				ask(w, "later")
				s.turn(except(endpoint, limited))
				since := time.Now()
				for range 20 {
					w.Advance(30 * time.Second)
					w.Person("leo").Says("hello") // something to read, to decide and to send
				}
				if n := len(of(endpoint, s.since(since))); n == 0 || n > 6 {
					t.Errorf("%s was called %d times in 10 minutes, which wants 2 minutes of peace each time", endpoint, n)
				}
			})
		})
	}
}
