package poll_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		field  string
		change func(*poll.Config)
	}{
		{"Account", func(c *poll.Config) { c.Account = "" }},
		{"Client", func(c *poll.Config) { c.Client = nil }},
		{"Cursors", func(c *poll.Config) { c.Cursors = nil }},
		{"Sink", func(c *poll.Config) { c.Sink = nil }},
		{"Me", func(c *poll.Config) { c.Me = nil }},
		{"Interval", func(c *poll.Config) { c.Interval = -1 }},
		{"SweepAfter", func(c *poll.Config) { c.SweepAfter = -1 }},
		{"PageSize", func(c *poll.Config) { c.PageSize = -1 }},
		{"MaxPages", func(c *poll.Config) { c.MaxPages = -1 }},
	} {
		t.Run(c.field, func(t *testing.T) {
			r := &world{T: t, memory: newMemory(), client: client(t, nil), log: &lines{}}
			cfg := r.config()
			if _, err := poll.New(cfg); err != nil {
				t.Fatalf("the configuration is refused as it is: %v", err)
			}
			c.change(&cfg)
			_, err := poll.New(cfg)
			if wrong := (*poll.ConfigError)(nil); !errors.As(err, &wrong) || wrong.Field != c.field {
				t.Errorf("error %v, want one about %s", err, c.field)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has more than one line: %q", err)
			}
		})
	}
}

func TestSourcesThatAreOff(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources poll.Sources
		want    map[string]int
	}{
		{"messages", poll.Sources{Messages: true}, map[string]int{"get_chats": 1}},
		{"notifications", poll.Sources{Notifs: true, Mentions: true}, map[string]int{"get_notifications": 2}},
		{"all", poll.Sources{}, map[string]int{"get_chats": 1, "get_notifications": 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				r.start(func(cfg *poll.Config) { cfg.Sources = c.sources })
				r.cycle()
				for _, endpoint := range []string{"get_chats", "get_notifications"} {
					if got := r.model.count(endpoint); got != c.want[endpoint] {
						t.Errorf("%d calls of %s, want %d", got, endpoint, c.want[endpoint])
					}
				}
			})
		})
	}
}

func TestPaceAdapts(t *testing.T) {
	for _, c := range []struct{ interval, shortest, ceiling time.Duration }{
		{5 * time.Second, time.Second, 20 * time.Second},
		{100 * time.Millisecond, 50 * time.Millisecond, 400 * time.Millisecond},
		{50 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond},
		{time.Millisecond, time.Millisecond, 4 * time.Millisecond},
	} {
		play(t, habits{}, func(r *world) {
			r.start(func(cfg *poll.Config) { cfg.Interval = c.interval })
			pause := func() time.Duration { return time.Until(r.poller.Next(time.Now())) }
			within := func(what string, want time.Duration) {
				t.Helper()
				if got := pause(); got < want*9/10 || got > want*11/10 {
					t.Errorf("the pause is %v %s, want %v ±10 %%", got, what, want)
				}
			}
			if got := pause(); got > 0 {
				t.Errorf("the first cycle is due in %v, want at once", got)
			}
			for range 20 {
				r.cycle()
			}
			within("when idle", c.ceiling)
			for range 20 {
				r.model.say(50, "hello")
				r.cycle()
			}
			within("when busy", c.shortest)
			different := map[time.Duration]bool{}
			for range 50 {
				different[pause()] = true
			}
			if len(different) < 10 {
				t.Errorf("there is no jitter: %v", different)
			}
		})
	}
}

// A source that fails is left alone for longer and longer, and the others go on at their pace.
func TestSourceThatFails(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.set(func(w *model) { w.down["get_notifications"] = true })
		before := r.model.count("get_notifications")
		r.model.say(50, "hello")
		events := 0
		for end := time.Now().Add(time.Hour); time.Now().Before(end); {
			result, _ := r.try()
			events += result.Events
		}
		if events != 1 {
			t.Errorf("%d events, want 1", events)
		}
		if got := r.model.count("get_notifications") - before; got < 100 || got > 160 {
			t.Errorf("%d calls in an hour, want about one per minute and list", got)
		}
		if got := r.log.with("polling fails"); len(got) != 1 {
			t.Errorf("log lines %q, want one for both lists", got)
		}
		r.model.set(func(w *model) { w.down["get_notifications"] = false })
		n := r.model.notify("notifs", 51, platform.SubjectLike, false)
		r.run(2 * time.Minute)
		if got := r.log.with("polling works again"); len(got) != 1 {
			t.Errorf("log lines %q, want one for both lists", got)
		}
		if got := r.memory.notifs(); len(got) != 1 || got[0] != n.id {
			t.Errorf("events %v, want %d", got, n.id)
		}
	})
}

func TestFailuresOfAMoment(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hello")
		r.model.disturb(faultServer)
		if _, err := r.try(); !errors.Is(err, platform.ErrServer) {
			t.Errorf("error %v, want that of the server", err)
		}
		r.run(time.Minute)
		if got := r.memory.texts(); len(got) != 1 {
			t.Errorf("events %q, want one", got)
		}
		if got := r.log.with("polling"); len(got) != 0 {
			t.Errorf("log lines %q for one failure", got)
		}
	})
}

// A platform that limits the rate is left alone with everything, for as long as it asks.
func TestRateLimit(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.set(func(w *model) { w.faults = []fault{faultLimit} })
		result, err := r.try()
		if !errors.Is(err, platform.ErrRateLimited) {
			t.Errorf("error %v, want a rate limit", err)
		}
		if result.Calls > 1 {
			t.Errorf("%d calls, want no other after the limit", result.Calls)
		}
		if got := time.Until(r.poller.Next(time.Now())); got < 2*time.Second {
			t.Errorf("the next cycle is due in %v, the platform asked for 2s", got)
		}
		r.cycle()
	})
}

func TestCancelledCycle(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hello")
		r.model.set(func(w *model) { w.slow = time.Minute })
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		if _, err := r.poller.Poll(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want that of the context", err)
		}
		r.model.set(func(w *model) { w.slow = 0 })
		r.cycle()
		if got := r.memory.texts(); len(got) != 1 {
			t.Errorf("events %q, want one", got)
		}
		time.Sleep(time.Minute) // the platform finishes what was cancelled
	})
}

func TestObserve(t *testing.T) {
	play(t, habits{}, func(r *world) {
		var results []event.PollResult
		var failures []error
		r.start(func(c *poll.Config) {
			c.Bot = owner{polled: func(result event.PollResult, err error) {
				results, failures = append(results, result), append(failures, err)
			}}
		})
		r.cycle()
		r.model.say(50, "hello")
		r.cycle()
		r.model.disturb(faultServer)
		_, _ = r.try()
		if len(results) != 3 || results[1].Events != 1 || results[1].Calls < 4 {
			t.Errorf("results %+v", results)
		}
		if failures[0] != nil || failures[1] != nil || !errors.Is(failures[2], platform.ErrServer) {
			t.Errorf("errors %v", failures)
		}
	})
}
