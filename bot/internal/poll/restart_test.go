package poll_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

func TestRestart(t *testing.T) {
	play(t, habits{}, func(r *world) {
		for peer := range platform.UserID(20) {
			r.model.say(100+peer, "before")
			r.model.see(100 + peer)
		}
		time.Sleep(12 * time.Hour)
		r.start()
		r.cycle()
		for peer := range platform.UserID(10) {
			r.model.say(100+peer, "first")
		}
		r.run(30 * time.Minute)
		r.memory.commit()

		r.start()
		if got := r.reads(func() { r.run(30 * time.Minute) }); got != 0 {
			t.Errorf("%d reads after a restart without news, want none", got)
		}
		r.memory.commit()

		r.model.say(103, "while it was down")
		r.model.say(113, "and here, for the first time")
		r.model.say(200, "and somebody new")
		r.model.see(200)
		r.start()
		r.cycle()
		want := []string{"while it was down", "and here, for the first time", "and somebody new"}
		if got := r.memory.texts()[10:]; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

// The same words again while the poller was down, seen on the phone: the row is the one of the mark, but
// younger than the cursor.
func TestRestartAndTheSameWords(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hi")
		r.run(30 * time.Minute)
		r.memory.commit()
		r.model.say(50, "hi")
		r.model.see(50)
		time.Sleep(time.Hour)
		r.start()
		if got := r.cycle(); got.Events != 1 {
			t.Errorf("%+v, want 1 event", got)
		}
	})
}

// Where times cannot be read, nothing proves that a chat without a cursor has no news: all of them are
// read after a restart, little by little, and only once.
func TestRestartWithoutProof(t *testing.T) {
	play(t, habits{Localised: true}, func(r *world) {
		for peer := range platform.UserID(100) {
			r.model.say(100+peer, "before")
			r.model.see(100 + peer)
		}
		time.Sleep(12 * time.Hour)
		r.start()
		r.cycle()
		r.run(time.Hour)
		r.memory.commit()
		r.model.say(150, "news")
		r.model.see(150)

		r.start()
		most := 0
		total := r.reads(func() {
			for range 200 {
				most = max(most, r.reads(func() { r.cycle() }))
			}
		})
		if most > 40 || total < 97 || total > 150 {
			t.Errorf("%d reads, up to %d in a cycle, want a few in each and every chat once", total, most)
		}
		if got, want := r.memory.texts(), []string{"news"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
		r.start()
		if got := r.reads(func() { r.run(time.Hour) }); got > 20 {
			t.Errorf("%d reads after another restart, want few", got)
		}
	})
}

// A crash forgets what was not stored, and the next incarnation reads it again.
func TestCrash(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.memory.commit()
		r.model.say(50, "one")
		r.model.say(51, "two")
		if got := r.cycle(); got.Events != 2 {
			t.Fatalf("%+v, want 2 events", got)
		}
		r.start() // nothing was stored
		r.run(time.Minute)
		if got, want := r.memory.texts(), []string{"one", "two"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

// A crash between two pages of one chat: the row looks the same afterwards, and the rest is read.
func TestCrashBetweenPages(t *testing.T) {
	play(t, habits{KeepsUnseen: true, Localised: true}, func(r *world) {
		for i := range 40 {
			r.model.say(50, fmt.Sprint("before ", i))
		}
		time.Sleep(time.Hour)
		r.start()
		r.cycle()
		for i := range 3 {
			r.model.say(50, fmt.Sprint("one ", i))
			r.model.say(50, fmt.Sprint("two ", i))
			r.cycle()
		}
		r.memory.commit()
		for i := range 200 {
			r.model.say(50, fmt.Sprint("burst ", i))
		}
		pages := 0
		r.memory.check = func(b poll.Batch) {
			if pages++; len(b.Events) > 0 && pages == 1 {
				r.memory.refuse = 1 // the next one
			}
		}
		_, _ = r.try()
		r.memory.check = nil
		r.memory.commit()
		if got := len(r.memory.of(event.Messages)); got <= 6 || got >= 206 {
			t.Fatalf("%d events before the crash, want a part", got)
		}
		r.start()
		r.cycle()
		if got := len(r.memory.of(event.Messages)); got != 206 {
			t.Errorf("%d events, want 206", got)
		}
	})
}

// What the platform shows late has a lower id than what was read already.
func TestRowsThatAreShownLate(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		said := r.model.write(50, "first", false, true)
		r.model.say(50, "second")
		liked := r.model.notify("notifs", 50, platform.SubjectLike, true)
		r.model.notify("notifs", 51, platform.SubjectLike, false)
		r.cycle()
		if got := len(r.memory.texts()) + len(r.memory.notifs()); got != 2 {
			t.Fatalf("%d events, want 2", got)
		}
		r.model.reveal()
		r.model.see(50)
		for range 25 {
			r.model.notify("notifs", 51, platform.SubjectLike, false) // it is not on the first page
		}
		r.run(2 * time.Minute)
		if got, want := r.memory.texts(), []string{"first", "second"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q; the late one is %d", got, want, said.id)
		}
		if got := r.memory.notifs(); len(got) != 27 || got[0] != liked.id {
			t.Errorf("events %v, want 27 with the late one, %d", got, liked.id)
		}
	})
}

// A message is late when the chat has just been swept: the next sweep reads that part once more.
func TestMessageThatIsShownAfterASweep(t *testing.T) {
	play(t, habits{Localised: true}, func(r *world) {
		r.start(func(c *poll.Config) { c.Interval = 200 * time.Millisecond })
		r.cycle()
		r.model.say(50, "zero")
		r.cycle()
		r.run(28 * time.Second)
		r.model.write(50, "one", false, true)
		r.model.say(50, "two")
		r.run(5 * time.Second) // with the sweep
		r.model.reveal()
		r.model.see(50)
		if got := r.run(5 * time.Minute); got.Late != 1 {
			t.Errorf("%+v, want 1 event that came late", got)
		}
	})
}
