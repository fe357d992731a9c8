package poll_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// In a flood of newer messages that never ends, a hint behind Q others waits for no more than 4·(Q+1) readings, and the
// newest is read first all the same.
func TestEveryFourthReadingIsTheOldest(t *testing.T) {
	effort.Shared(t)
	const waiting, flood = 1200, 600
	play(t, habits{}, func(r *world) {
		for peer := range platform.UserID(waiting + flood) {
			r.model.say(100+peer, "hello")
			r.model.see(100 + peer)
		}
		time.Sleep(time.Hour)
		r.start(func(c *poll.Config) { c.SweepAfter = time.Hour })
		r.cycle()
		for peer := range platform.UserID(waiting) {
			r.model.say(100+peer, "first")
			time.Sleep(time.Millisecond)
		}
		var read []platform.UserID // one for each reading of a chat
		r.memory.check = func(b poll.Batch) {
			if len(b.Events) > 0 {
				read = append(read, b.Cursor.Peer)
			}
		}
		r.cycle()
		for missing := waiting; missing > 0; {
			for peer := range platform.UserID(flood) {
				r.model.say(100+waiting+peer, "flood")
			}
			before := len(read)
			r.cycle()
			if newest := platform.UserID(100 + waiting + flood - 1); read[before] != newest {
				t.Fatalf("a cycle begins with %d, want the newest, %d", read[before], newest)
			}
			missing = 0
			for peer := range platform.UserID(waiting) {
				if !slices.Contains(read, 100+peer) {
					missing++
				}
			}
			if missing > 0 && len(read) > 4*(waiting+1) {
				t.Fatalf("after %d readings, %d of those that came first wait", len(read), missing)
			}
		}
		t.Logf("%d readings", len(read))
	})
}

// conceal hides the row of a chat from the list, or shows it again.
func (w *model) conceal(peer platform.UserID, hidden bool) {
	w.set(func(w *model) { w.talks[peer].unlisted = hidden })
}

// What two whole lists in a row do not show is not asked for any more. When it comes back, it is read.
func TestChatThatTheListForgets(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.model.say(50, "before")
		time.Sleep(time.Hour)
		r.start()
		r.cycle()
		r.model.set(func(w *model) { w.refused[51] = true })
		r.model.say(51, "to nobody")
		for range 3 {
			_, _ = r.try()
		}
		for times := range 3 {
			r.model.conceal(51, true)
			_, _ = r.try()
			_, _ = r.try()
			if n := r.reads(func() { r.run(time.Hour) }); n != 0 {
				t.Errorf("the chat was asked for %d times after the list had forgotten it", n)
			}
			r.model.conceal(51, false)
			if n := r.reads(func() { _, _ = r.try() }); n == 0 {
				t.Errorf("the chat was not asked for when it came back, time %d", times)
			}
		}
		r.model.conceal(51, true)
		_, _ = r.try()
		_, _ = r.try()
		_, _ = r.try()
		r.model.conceal(51, false)
		r.model.see(51)
		r.model.set(func(w *model) { delete(w.refused, 51) })
		if r.cycle(); !slices.Equal(r.memory.texts(), []string{"to nobody"}) {
			t.Errorf("events %q, want what was said before the list forgot it", r.memory.texts())
		}
		if n := len(r.log.with("chats are not read any more")); n == 0 || n > 5 {
			t.Errorf("log lines %q", r.log.with("chats are not read any more"))
		}
	})
}

// A list that was cut, or is empty, or is an old one, says nothing about what it does not show.
func TestListsThatProveNothing(t *testing.T) {
	for name, spoil := range map[string]func(w *model, before time.Time){
		"cut":   func(w *model, _ time.Time) { w.cutAt = 300 },
		"empty": func(w *model, _ time.Time) { w.noChats = true },
		"old":   func(w *model, before time.Time) { w.asOf = before },
	} {
		t.Run(name, func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				for peer := range platform.UserID(5) {
					r.model.say(50+peer, "before")
					r.model.see(50 + peer)
				}
				before := time.Now()
				time.Sleep(3 * time.Hour)
				r.start()
				r.cycle()
				r.model.set(func(w *model) { w.refused[60] = true })
				r.model.say(60, "to nobody")
				r.model.say(50, "one")
				_, _ = r.try()
				_, _ = r.try()
				r.model.conceal(60, true)
				r.model.set(func(w *model) { spoil(w, before) })
				for range 4 {
					_, _ = r.try()
				}
				r.model.set(func(w *model) { delete(w.refused, 60) })
				for range 4 {
					_, _ = r.try()
				}
				if got := r.memory.texts(); !slices.Equal(got, []string{"to nobody", "one"}) {
					t.Errorf("events %q: the chat was forgotten", got)
				}
			})
		})
	}
}

// Equal warnings are one line with a count.
func TestManyRefusedChats(t *testing.T) {
	effort.Long(t)
	play(t, habits{}, func(r *world) {
		r.model.say(50, "before")
		time.Sleep(time.Hour)
		r.start()
		r.cycle()
		for peer := range platform.UserID(300) {
			r.model.set(func(w *model) { w.refused[100+peer] = true })
			r.model.say(100+peer, "to nobody")
		}
		for end := time.Now().Add(2 * time.Hour); time.Now().Before(end); {
			_, _ = r.try()
		}
		lines := r.log.with("a chat cannot be read")
		if len(lines) < 1 || len(lines) > 4 || !strings.Contains(strings.Join(lines, ""), "times=") {
			t.Errorf("log lines %q, want few with a count", lines)
		}
	})
}

// When chats behind a cut may have moved, those are read, too, whose sweep is to come later.
func TestActiveChatBehindTheCut(t *testing.T) {
	play(t, habits{}, func(r *world) {
		for peer := range platform.UserID(8) {
			r.model.say(50+peer, "before")
			r.model.see(50 + peer)
		}
		time.Sleep(time.Hour)
		r.start(func(c *poll.Config) { c.SweepAfter = time.Hour })
		r.cycle()
		r.model.say(50, "one")
		r.cycle()
		r.model.set(func(w *model) { w.cutAt = 500 })
		r.model.say(50, "two")
		for peer := range platform.UserID(5) {
			r.model.say(51+peer, "above")
		}
		r.run(time.Minute)
		if !slices.Contains(r.memory.texts(), "two") {
			t.Errorf("events %q, and what was said behind the cut is not there", r.memory.texts())
		}
	})
}
