package poll_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

func TestDeliveryThatFails(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		for peer := range platform.UserID(20) {
			r.model.say(100+peer, "hello")
		}
		r.memory.fail(3)
		if _, err := r.try(); !errors.Is(err, errFull) {
			t.Errorf("error %v, want %v", err, errFull)
		}
		for range 6 {
			_, _ = r.try()
		}
		if got := len(r.memory.texts()); got != 20 {
			t.Errorf("%d events, want 20", got)
		}
	})
}

// A chat that the platform refuses to show stops neither the others nor the pace.
func TestRefusedChat(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(50, "before")
		time.Sleep(time.Hour)
		r.start()
		r.cycle()
		r.model.set(func(w *model) { w.refused[51] = true })
		r.model.say(51, "to nobody")
		r.model.say(50, "hello")
		if _, err := r.try(); !errors.Is(err, platform.ErrInvalid) {
			t.Errorf("error %v, want a refusal", err)
		}
		refused := r.reads(func() {
			for end := time.Now().Add(time.Hour); time.Now().Before(end); {
				_, _ = r.try()
			}
		})
		if refused > 100 {
			t.Errorf("the chat was asked for %d times in an hour", refused)
		}
		if got, want := r.memory.texts(), []string{"hello"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
		if got := r.log.with("a chat cannot be read"); len(got) != 1 {
			t.Errorf("log lines %q, want one", got)
		}
		r.model.set(func(w *model) { delete(w.refused, 51) })
		for range 20 {
			_, _ = r.try()
		}
		if got, want := r.memory.texts(), []string{"to nobody", "hello"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func TestChatsAreReadInParallel(t *testing.T) {
	play(t, habits{}, func(r *world) {
		free := newSlots(4)
		r.start(func(c *poll.Config) {
			c.Slots = free
			c.Sink = sinkFunc(func(ctx context.Context, b poll.Batch) error {
				// Who delivers must not keep a slot from others, who may be waited for.
				if err := free.Acquire(ctx); err != nil {
					return err
				}
				defer free.Release()
				return r.memory.Deliver(ctx, b)
			})
		})
		r.cycle()
		for peer := range platform.UserID(40) {
			r.model.say(100+peer, "hello")
		}
		r.model.set(func(w *model) { w.slow = time.Second })
		if got := r.run(time.Minute); got.Events != 40 { // a cycle reads for a few seconds only
			t.Errorf("%+v, want 40 events", got)
		}
		if r.model.most != 4 {
			t.Errorf("%d calls at once, want 4", r.model.most)
		}
	})
}

func TestTimeOfTheLastPollIsKept(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.run(10 * time.Minute)
		before := r.memory.batches
		r.run(10 * time.Minute)
		if got := r.memory.batches - before; got < 15 || got > 33 {
			t.Errorf("%d batches in 10 minutes of silence, want about one per minute and source", got)
		}
		r.memory.commit()
		for _, source := range []event.Source{event.Messages, event.Notifs, event.Mentions} {
			if got := time.Since(r.memory.cursors[place{source, 0}].PolledAt); got > 2*time.Minute {
				t.Errorf("%v was polled %v ago, says the store", source, got)
			}
		}
	})
}

// When nothing works any more, a cycle gives up after a few calls instead of asking for every chat.
func TestOutage(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		for peer := range platform.UserID(100) {
			r.model.say(100+peer, "hello")
		}
		r.model.set(func(w *model) { w.down["get_messages"] = true })
		if got := r.reads(func() { _, _ = r.try() }); got > 10 {
			t.Errorf("%d reads in a cycle, want few", got)
		}
		r.model.set(func(w *model) { w.down["get_messages"] = false })
		r.run(time.Minute)
		if got := len(r.memory.texts()); got != 100 {
			t.Errorf("%d events, want 100", got)
		}
	})
}

// A chat is forgotten when it is quiet, and its cursor then comes from the store; all of them with one
// query.
func TestQuietChatsAreForgotten(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		queries := func(f func()) int {
			before := r.memory.queries
			f()
			return r.memory.queries - before
		}
		news := func() {
			for peer := range platform.UserID(30) {
				r.model.say(100+peer, "hello")
			}
			r.cycle()
		}
		if got := queries(news); got != 1 {
			t.Errorf("%d queries for 30 new chats, want 1", got)
		}
		if got := queries(news); got != 0 {
			t.Errorf("%d queries for 30 active chats, want none", got)
		}
		r.run(30 * time.Minute)
		if got := queries(news); got != 1 {
			t.Errorf("%d queries for 30 chats that were quiet, want 1", got)
		}
		if got := len(r.memory.texts()); got != 90 {
			t.Errorf("%d events, want 90", got)
		}
	})
}

// What was sent long ago explains nothing any more.
func TestSentLongAgo(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hello")
		r.run(time.Minute)
		r.poller.NoteSent(50, 0, "see you") // it never arrived
		r.run(20 * time.Minute)
		r.model.say(50, "see you")
		r.model.see(50)
		if got := r.cycle(); got.Events != 1 {
			t.Errorf("%+v, want 1 event", got)
		}
	})
}

// While a chat cannot be read, the store does not claim that everything was seen: what is in it may be
// old when it is read at last.
func TestAgeOfWhatWasRefused(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(51, "before")
		r.start()
		r.run(5 * time.Minute)
		r.model.set(func(w *model) { w.refused[50] = true })
		m := r.model.say(50, "hello")
		for range 50 {
			_, _ = r.try()
		}
		r.memory.commit()
		r.start()
		r.model.set(func(w *model) { w.refused[50] = false })
		r.cycle()
		if got := r.memory.of(event.Messages); len(got) != 1 || got[0].NotBefore.After(m.at) {
			t.Errorf("events %+v, want one that may be as old as %v", got, m.at)
		}
	})
}

// A chat that the platform will not show, in whatever words, does not keep an account from its first start.
func TestFirstStartBesideARefusedChat(t *testing.T) {
	for _, code := range []int{400, 403, 404} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				r.model.say(50, "before")
				r.model.say(51, "from somebody who is hidden")
				r.model.set(func(w *model) { w.refused[51], w.refusal = true, code })
				r.start()
				for range 5 { // what cannot be read is told
					_, _ = r.try()
				}
				r.model.say(50, "hello")
				for range 20 {
					_, _ = r.try()
				}
				if got, want := r.memory.texts(), []string{"hello"}; !slices.Equal(got, want) {
					t.Errorf("events %q, want %q", got, want)
				}
			})
		})
	}
}
