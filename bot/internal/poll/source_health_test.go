package poll_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// unhealthy returns why each source is unhealthy.
func (r *world) unhealthy() map[event.Source]string {
	found := map[event.Source]string{}
	for _, h := range r.poller.Health() {
		if (h.Unhealthy == "") != (h.Advice() == "") || (h.Unhealthy == "") != h.UnhealthySince.IsZero() {
			r.Errorf("deaf without advice or time: %+v", h)
		}
		found[h.Source] = h.Unhealthy
	}
	return found
}

func TestHealthOfAPollThatIsStuck(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hello")
		stuck := make(chan struct{})
		var once bool
		r.start(func(c *poll.Config) {
			c.Sink = sinkFunc(func(ctx context.Context, b poll.Batch) error {
				if len(b.Events) > 0 && !once {
					once = true
					<-stuck
				}
				return r.memory.Deliver(ctx, b)
			})
		})
		r.cycle()
		r.model.say(50, "is anybody there?")
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.cycle()
		}()
		time.Sleep(4 * time.Minute)
		if unhealthy := r.unhealthy(); unhealthy[event.Messages] != "" {
			t.Errorf("after four minutes it may still get on, got %v", unhealthy)
		}
		time.Sleep(2 * time.Minute)
		for source, why := range r.unhealthy() {
			if why != event.UnhealthyStuck {
				t.Errorf("%s: got %q, want %q", source, why, event.UnhealthyStuck)
			}
		}
		close(stuck)
		<-done
		synctest.Wait()
		for source, why := range r.unhealthy() {
			if why != "" {
				t.Errorf("%s hears again, got %q", source, why)
			}
		}
	})
}

// One chat that the platform refuses to show is no deafness, however long; neither are rows of
// notifications that vanish.
func TestHealthOfHealthySources(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(50, "before")
		r.model.notify("notifs", 51, platform.SubjectLike, false)
		r.start()
		r.cycle()
		r.model.set(func(w *model) { w.refused[50] = true })
		r.model.say(50, "hello")
		r.model.vanish(0)
		for end := time.Now().Add(2 * time.Hour); time.Now().Before(end); {
			_, _ = r.try()
			for source, why := range r.unhealthy() {
				if why != "" {
					t.Fatalf("%s: %q", source, why)
				}
			}
		}
	})
}

func TestHealthTellsWhatFailed(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.notify("notifs", 51, platform.SubjectLike, false)
		r.run(time.Minute)
		r.model.set(func(w *model) { w.down["get_notifications"] = true })
		for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); {
			_, _ = r.try()
		}
		for _, h := range r.poller.Health() {
			ok := h.Source == event.Messages && h.Unhealthy == "" && h.Failures == 0 && time.Since(h.LastGood) < time.Minute
			if h.Source != event.Messages {
				ok = h.Unhealthy == event.UnhealthyFailing && h.Failures > 5 && strings.Contains(h.Cause, "502") && time.Since(h.LastGood) > 9*time.Minute
			}
			if !ok || (h.Source == event.Notifs) == h.LastEvent.IsZero() {
				t.Errorf("%+v", h)
			}
		}
	})
}

// Of a list that stands still, a poll that fails shows nothing new: the source stays unhealthy until the list
// is alive again.
func TestFailedPollIsNotHeardAgain(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.notify("notifs", 51, platform.SubjectLike, false)
		r.start()
		r.cycle()
		time.Sleep(2 * time.Minute)
		r.model.set(func(w *model) { w.frozen = time.Now() })
		r.run(15 * time.Minute)
		if unhealthy := r.unhealthy()[event.Notifs]; unhealthy != event.UnhealthyStale {
			t.Fatalf("got %q, want %q", unhealthy, event.UnhealthyStale)
		}
		r.model.set(func(w *model) { w.down["get_notifications"] = true })
		for failed := false; !failed; {
			_, err := r.try()
			failed = err != nil
		}
		if unhealthy := r.unhealthy()[event.Notifs]; unhealthy != event.UnhealthyStale {
			t.Errorf("after one failed poll: got %q, want %q", unhealthy, event.UnhealthyStale)
		}
		r.model.set(func(w *model) { w.down["get_notifications"], w.frozen = false, time.Time{} })
		r.run(2 * time.Minute)
		if unhealthy := r.unhealthy()[event.Notifs]; unhealthy != "" {
			t.Errorf("the list is alive again, got %q", unhealthy)
		}
	})
}
