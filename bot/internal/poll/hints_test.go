package poll_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// Twins, with the phone reading in between, in a language whose times cannot be read: the row looks
// as before. The sweep finds them.
func TestSweepFindsWhatNothingShows(t *testing.T) {
	play(t, habits{Localised: true}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hi")
		r.cycle()
		r.cycle()
		for range 3 {
			r.model.say(50, "hi")
			r.model.see(50)
		}
		if got := r.cycle(); got.Events != 0 {
			t.Fatalf("%+v: the list shows more than it should", got)
		}
		if got := r.run(2 * time.Minute); got.Events != 3 || got.Late != 3 {
			t.Errorf("%+v, want 3 events that came late", got)
		}
		quiet := r.run(15 * time.Minute)
		if again := r.reads(func() { r.run(15 * time.Minute) }); quiet.Events != 0 || again != 0 {
			t.Errorf("%d events and %d reads in the silence afterwards", quiet.Events, again)
		}
	})
}

// An English age that falls, or grows too slowly, betrays the same words said again.
func TestAgeOfARow(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after time.Duration // ages at the first start, and of the second message when it is listed
		interval      time.Duration
	}{
		{"falls by much", time.Hour, 2 * time.Second, 5 * time.Second},
		{"falls to just now", 20 * time.Second, 100 * time.Millisecond, 400 * time.Millisecond},
		{"grows too slowly", 3 * time.Second, 4500 * time.Millisecond, 10 * time.Second},
		{"stays", 70 * time.Second, 100 * time.Second, 2 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				r.model.say(50, "hi")
				r.model.see(50)
				time.Sleep(c.before)
				r.start(func(cfg *poll.Config) { cfg.Interval = c.interval; cfg.SweepAfter = time.Hour })
				r.cycle()
				time.Sleep(time.Until(r.poller.Next(time.Now())) - c.after)
				r.model.say(50, "hi")
				r.model.see(50)
				time.Sleep(c.after)
				if got, err := r.poller.Poll(r.Context()); err != nil || got.Events != 1 || got.Late != 0 {
					t.Errorf("%+v, %v, want 1 event at once", got, err)
				}
			})
		})
	}
}

// A chat that overtakes others has news, even if its row looks as before.
func TestRowThatMovesUp(t *testing.T) {
	play(t, habits{Localised: true}, func(r *world) {
		for peer := range platform.UserID(30) {
			r.model.say(100+peer, "hi")
			r.model.see(100 + peer)
		}
		time.Sleep(time.Hour)
		r.start()
		r.run(20 * time.Minute)
		r.model.say(103, "hi")
		r.model.see(103)
		if got := r.cycle(); got.Events != 1 {
			t.Errorf("%+v, want 1 event", got)
		}
	})
}
