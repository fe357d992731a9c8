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

// hideBoth writes a message and a notification that are not visible yet, and others with higher ids that are.
// Other people talk, too.
func hideBoth(r *world) (said *message, liked *note) {
	said = r.model.write(50, "first", false, true)
	r.model.say(50, "second")
	liked = r.model.notify("notifs", 50, platform.SubjectLike, true)
	r.model.notify("notifs", 51, platform.SubjectLike, false)
	for peer := range platform.UserID(4) {
		r.model.say(60+peer, "hello")
	}
	return said, liked
}

// What a platform shows late, below the stored cursor, is heard over a restart, too: whenever it shows, and
// although the owner's phone has read it, so that the chat list looks the same.
func TestRowsThatAreShownLateOverARestart(t *testing.T) {
	for name, h := range map[string]habits{
		"plain": {}, "newest first": {NewestFirst: true}, "localised": {Localised: true}, "inclusive": {Inclusive: true, Descending: true},
		"two a page": {Cap: 2}, "keeps unseen": {KeepsUnseen: true, Localised: true},
	} {
		for _, shown := range []string{"while the bot is down", "after the first poll", "seconds after the start"} {
			t.Run(name+" "+shown, func(t *testing.T) {
				play(t, h, func(r *world) {
					r.start()
					r.cycle()
					said, liked := hideBoth(r)
					r.cycle()
					r.memory.commit()
					if shown == "while the bot is down" {
						r.model.reveal()
						r.model.see(50)
					}
					time.Sleep(3 * time.Second)
					r.start()
					r.cycle()
					if shown == "seconds after the start" {
						r.run(8 * time.Second)
					}
					r.model.reveal()
					r.model.see(50)
					r.run(2 * time.Minute)
					if got := r.memory.texts(); len(got) != 6 || got[0] != "first" {
						t.Errorf("messages %q, want 6 with the late one, %d", got, said.id)
					}
					if got := r.memory.notifs(); len(got) != 2 || got[0] != liked.id {
						t.Errorf("notifications %v, want two with the late one, %d", got, liked.id)
					}
				})
			})
		}
	}
}

// What was there before the first start lies below the cursor, too, and stays unheard after any restart.
func TestBacklogOverARestart(t *testing.T) {
	for _, c := range []struct {
		backlog          event.Backlog
		messages, notifs int
	}{{event.Skip, 1, 1}, {event.Unread, 3, 3}} {
		t.Run(fmt.Sprint(c.backlog), func(t *testing.T) {
			play(t, habits{}, func(r *world) {
				for i := range 6 {
					r.model.say(50, fmt.Sprint("before ", i))
					n := r.model.notify("notifs", 50, platform.SubjectLike, false)
					if n.read = i < 4; i == 3 {
						r.model.see(50)
					}
				}
				incarnation := func() {
					r.start(func(cfg *poll.Config) { cfg.Backlog = c.backlog })
					r.run(10 * time.Second)
				}
				incarnation()
				r.model.say(50, "news")
				r.model.notify("notifs", 51, platform.SubjectLike, false)
				r.run(time.Second)
				for range 3 {
					incarnation()
				}
				if got := r.memory.texts(); len(got) != c.messages {
					t.Errorf("messages %q, want %d", got, c.messages)
				}
				if got := r.memory.notifs(); len(got) != c.notifs {
					t.Errorf("notifications %v, want %d", got, c.notifs)
				}
			})
		})
	}
}

// What comes again is no news: nothing counts it, a person's words take nothing over again, and no call more is
// made than a few at the start.
func TestOverlapIsNoNews(t *testing.T) {
	t.Run("moved", func(t *testing.T) { overlapIsNoNews(t, habits{}) })
	t.Run("one row a page", func(t *testing.T) { overlapIsNoNews(t, habits{Inclusive: true, Cap: 2, Localised: true}) })
	t.Run("unmoved", func(t *testing.T) { overlapIsNoNews(t, habits{KeepsUnseen: true, Localised: true}) })
}

func overlapIsNoNews(t *testing.T, h habits) {
	t.Helper()
	play(t, h, func(r *world) {
		r.start()
		r.cycle()
		for i := range 40 {
			r.model.say(50, fmt.Sprint("message ", i))
			r.model.notify("notifs", 50, platform.SubjectLike, false)
		}
		r.model.write(50, "from the phone", true, false)
		r.run(10 * time.Second)
		r.start()
		again, own := map[event.ID]int{}, 0
		r.memory.check = func(b poll.Batch) {
			own += len(b.Own)
			for _, e := range b.Events {
				again[e.ID]++
			}
		}
		total := r.cycle()
		if total.Calls != 4 && h.Cap == 0 {
			t.Errorf("%d calls at the start, want one for each list and one for the chat", total.Calls)
		}
		later := r.run(20 * time.Minute)
		if total.Events+later.Events+total.Late+later.Late != 0 || own != 0 {
			t.Errorf("%+v and %+v with %d own messages, want none", total, later, own)
		}
		for id, times := range again {
			if _, known := r.memory.events[id]; !known || times != 1 {
				t.Errorf("%v came %d times", id, times)
			}
		}
		if len(again) != 15+16 { // with the one from the phone
			t.Errorf("%d events came again, want the last 16 rows of the chat and of the list", len(again))
		}
		for _, h := range r.poller.Health() {
			if !h.LastEvent.IsZero() || h.Unhealthy != "" {
				t.Errorf("%+v, want no event", h)
			}
		}
		if got := r.reads(func() { r.run(time.Hour) }); got != 0 {
			t.Errorf("%d reads later, want none", got)
		}
	})
}

// A backlog that was found and not read before a stop is no overlap.
func TestBacklogThatIsReadAfterARestart(t *testing.T) {
	play(t, habits{}, func(r *world) {
		unread := func(c *poll.Config) { c.Backlog = event.Unread }
		for i := range 4 {
			if r.model.say(50, fmt.Sprint("before ", i)); i == 1 {
				r.model.see(50)
			}
		}
		r.start(unread)
		r.cycle()
		r.memory.commit()
		r.start(unread)
		r.run(time.Minute)
		if got, want := r.memory.texts(), []string{"before 2", "before 3"}; !slices.Equal(got, want) {
			t.Errorf("messages %q, want %q", got, want)
		}
	})
}

// Where a page tells that there is no more, a chat with few messages takes one call.
func TestOverlapOfShortChats(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		for peer := range platform.UserID(12) {
			r.model.say(100+peer, "hello")
			r.model.say(100+peer, "again")
		}
		for i := range 30 {
			r.model.say(50, fmt.Sprint("message ", i))
		}
		r.cycle()
		r.memory.commit()
		r.start()
		if got := r.reads(func() { r.cycle() }); got != 13 {
			t.Errorf("%d reads after a restart, want one for each chat", got)
		}
	})
}

// What the last incarnation has swept does not come again.
func TestSweptRowsAreNotReadAgain(t *testing.T) {
	play(t, habits{}, func(r *world) {
		r.start()
		r.cycle()
		r.model.say(50, "hi")
		r.model.notify("notifs", 50, platform.SubjectLike, false)
		r.run(3 * time.Hour)
		r.start()
		r.memory.check = func(b poll.Batch) {
			if len(b.Events) > 0 {
				t.Errorf("%v came again", b.Events)
			}
		}
		if got := r.reads(func() { r.run(time.Hour) }); got != 0 {
			t.Errorf("%d reads, want none", got)
		}
	})
}
