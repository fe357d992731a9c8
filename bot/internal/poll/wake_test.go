package poll_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// A source that gets a good answer on its way to another failure is not left alone for as long as in the outage before;
// one that goes on like that is.
func TestSourceThatGetsSomeAnswers(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.client = r.client.Observed(func() { _, _ = r.poller.WakeSources() }, nil)
		r.start(func(c *poll.Config) { c.Sources = poll.Sources{Messages: true} })
		r.cycle()
		for peer := range 8 {
			r.model.say(platform.UserID(50+peer), "hello")
		}
		fail := func(list bool, d time.Duration) {
			r.model.set(func(w *model) { w.down["get_chats"], w.down["get_messages"] = list, true })
			for end := time.Now().Add(d); time.Now().Before(end); {
				if _, err := r.try(); err == nil {
					t.Fatal("the cycle did not fail")
				}
			}
		}
		next := func() time.Duration { return time.Until(r.poller.Next(time.Now())) }
		fail(true, 10*time.Minute)
		if next() < 30*time.Second {
			t.Errorf("in an outage the next cycle is due in %v", next())
		}
		fail(false, time.Nanosecond)
		if next() > 2*time.Second {
			t.Errorf("after an answer the next cycle is due in %v", next())
		}
		fail(false, 10*time.Minute)
		if next() < 30*time.Second {
			t.Errorf("where some calls alone fail the next cycle is due in %v", next())
		}
	})
}

// A good answer wakes a source once, and is forgotten when all work.
func TestWake(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start(func(c *poll.Config) { c.Sources = poll.Sources{Messages: true} })
		r.cycle()
		if at, ok := r.poller.WakeSources(); ok {
			t.Errorf("all is well, and a cycle is due at %v", at)
		}
		r.model.set(func(w *model) { w.down["get_chats"] = true })
		for range 10 {
			_, _ = r.try()
		}
		time.Sleep(10 * time.Second)
		if at, ok := r.poller.WakeSources(); !ok || time.Until(at) > 0 {
			t.Errorf("%v %v: nothing is to be woken", at, ok)
		}
		if _, ok := r.poller.WakeSources(); ok {
			t.Error("it is woken twice")
		}
		before := r.model.count("get_chats")
		if _, err := r.poller.Poll(r.Context()); err == nil || r.model.count("get_chats") != before+1 {
			t.Errorf("%v: the source was not polled", err)
		}
		if at, ok := r.poller.WakeSources(); ok && time.Until(at) <= 0 {
			t.Error("it is woken again at once, though it was in vain")
		}
		r.model.set(func(w *model) { w.down["get_chats"] = false })
		r.cycle()
		if at, ok := r.poller.WakeSources(); ok {
			t.Errorf("all is well again, and a cycle is due at %v", at)
		}
	})
}
