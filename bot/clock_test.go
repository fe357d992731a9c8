package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
)

// clockOf is a network whose answers say what the platform's clock shows, which is so far behind ours; nothing when it says nothing.
type clockOf func() (behind time.Duration, says bool)

func (c clockOf) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if behind, says := c(); err == nil && says {
			resp.Header.Set("Date", time.Now().Add(-behind).UTC().Format(http.TimeFormat))
		}
		return resp, err
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A clock that is far from the platform's is told once, by how much and in which direction, and so is that it has been set. One
// answer alone proves nothing.
func TestTheClockOfTheMachine(t *testing.T) {
	t.Parallel()
	const tells, again = "the clock of this machine", "agrees with the one of the platform again"
	for name, c := range map[string]struct {
		steps []time.Duration // by how much we are ahead, 10 minutes each
		want  []string        // what the log says, in its order
	}{
		"right":           {[]time.Duration{time.Second, -90 * time.Second, 0}, nil},
		"ahead":           {[]time.Duration{3 * time.Hour, 3*time.Hour + time.Minute, 3 * time.Hour}, []string{"ahead of the one of the platform: what has a time comes that much too early", "by=3h"}},
		"behind, and set": {[]time.Duration{-50 * time.Hour, 0, 0}, []string{"behind the one of the platform: what has a time comes that much too late", "by=50h", again}},
		"set to worse":    {[]time.Duration{time.Hour, 2 * time.Hour}, []string{"by=1h", "by=2h"}},
	} {
		t.Run(name, func(t *testing.T) {
			var now atomic.Int64
			now.Store(int64(c.steps[0]))
			watch := clockOf(func() (time.Duration, bool) { return time.Duration(now.Load()), true })
			bottest.Run(t, bottest.Config{Routes: repeats(), Transport: watch.wrap, Bot: bot.Config{PollInterval: 10 * time.Second}}, func(w *bottest.World) {
				for _, step := range c.steps {
					now.Store(int64(step))
					w.Advance(10 * time.Minute)
				}
				log := w.Log()
				at := 0
				for _, want := range c.want {
					i := strings.Index(log[at:], want)
					if i < 0 {
						t.Fatalf("the log does not say %q\n%s", want, log)
					}
					at += i
				}
				lines := strings.Count(log, tells)
				if want := strings.Count(strings.Join(c.want, " "), "by=") + strings.Count(strings.Join(c.want, " "), again); lines != want {
					t.Errorf("%d lines instead of %d\n%s", lines, want, log)
				}
			})
		})
	}
}

// A single answer that is read hours after it came, since the machine slept, or that says no time at all, says nothing of the clock.
func TestOneOddAnswerIsNoWrongClock(t *testing.T) {
	t.Parallel()
	var odd atomic.Int64
	watch := clockOf(func() (time.Duration, bool) {
		left := odd.Add(-1)
		return time.Duration(left) * time.Hour, left >= 0
	})
	bottest.Run(t, bottest.Config{Routes: repeats(), Transport: watch.wrap}, func(w *bottest.World) {
		for range 10 {
			w.Advance(10 * time.Minute)
			odd.Store(2) // an hour, and then right
		}
		if log := w.Log(); strings.Contains(log, "the clock of this machine") {
			t.Error(log)
		}
	})
}

// After the clock was set, or the machine slept, nothing is known of it before the next answer. Turns that have asked come again when it is.
func TestClockThatWasSet(t *testing.T) {
	t.Parallel()
	var heard []string
	asks := func(_ context.Context, t *bot.Turn, _ event.Nudge) error {
		ahead, known := engine.Of(t).Clock()
		heard = append(heard, fmt.Sprint(ahead, known))
		return nil
	}
	routes := []bot.Route{
		engine.Route(bot.On("start", bot.Started("clock/start"), asks), engine.Ways{Clocked: true}),
		bot.On("look", bot.Nudged("clock/look"), asks),
	}
	var ahead atomic.Int64
	watch := clockOf(func() (time.Duration, bool) { return time.Duration(ahead.Load()), true })
	bottest.Run(t, bottest.Config{Routes: routes, Transport: watch.wrap}, func(w *bottest.World) {
		w.Advance(time.Minute)
		heard = nil
		w.Bot().SetAhead(time.Hour)
		if err := w.Bot().Nudge("bot", "clock/look", nil); err != nil {
			t.Fatal(err)
		}
		ahead.Store(int64(time.Hour))
		w.Advance(time.Minute)
		if want := []string{"0s false", "1h0m0s true"}; !slices.Equal(heard, want) {
			t.Errorf("turns are told %q, and not %q", heard, want)
		}
	})
}
