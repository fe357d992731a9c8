package poll_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// rooms are how much may be held of what was read: as ever, what is soon too little, and nothing.
var rooms = map[string]int64{"wide": poll.RoomSize, "narrow": 100_000, "none": 0}

// pages are the dialects of pages.
var pages = map[string]func(w *model){
	"classic":                func(*model) {},
	"thousands":              func(w *model) { w.least = 1000 },
	"thousands, unsorted":    func(w *model) { w.least, w.unsorted = 1000, true },
	"everything, no offset":  func(w *model) { w.least, w.noOffset = 10_000, true },
	"everything, ascending":  func(w *model) { w.least, w.ascending = 10_000, true },
	"newest page of ten":     func(w *model) { w.habits.NewestFirst, w.habits.Cap = true, 10 },
	"newest page, thousands": func(w *model) { w.habits.NewestFirst, w.least = true, 1000 },
	"no cursor up":           func(w *model) { w.habits.IgnoresAfter, w.least = true, 1000 },
}

// Nothing is lost of a burst, and all of it is in order, whatever room there is for it, and over crashes while it is handed over.
func TestBurstsInAnyRoom(t *testing.T) {
	for name, dialect := range pages {
		for size, bytes := range rooms {
			for _, crashes := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, crashes %v", name, size, crashes), func(t *testing.T) {
					effort.Case(t)
					play(t, habits{}, func(r *world) {
						dialect(r.model)
						burst(r, bytes, crashes)
					})
				})
			}
		}
	}
}

func burst(r *world, room int64, crashes bool) {
	r.Helper()
	const rows = 1200
	start := func() {
		r.start(func(c *poll.Config) { c.Room, c.Delivered = poll.NewRoom(room), r.memory.restore() })
	}
	r.model.say(50, "first")
	r.model.notify("notifs", 50, platform.SubjectLike, false)
	start()
	r.run(time.Minute)
	var want []int64
	var texts []string
	for i := range rows {
		want = append(want, r.model.notify("notifs", 50, platform.SubjectLike, false).id)
		texts = append(texts, r.model.say(50, fmt.Sprintf("message %d %s", i, strings.Repeat("x", i%300))).text)
	}
	if crashes {
		for i := range 6 {
			for range 4 { // not all of it
				_, _ = r.try()
			}
			r.memory.commitFirst(1 + i)
			_, _ = r.try() // is lost, with what else was accepted
			start()
		}
	}
	r.memory.check = r.inOrder()
	r.run(5 * time.Minute)
	if got := r.memory.notifs(); !slices.Equal(got, want) {
		r.Errorf("%d notifications, want %d", len(got), len(want))
	}
	if got := r.memory.texts(); !slices.Equal(got, texts) {
		r.Errorf("%d messages, want %d", len(got), len(texts))
	}
}

// inOrder returns a check that what is news in batches comes in ascending order, and no cursor stands above what was delivered.
func (r *world) inOrder() func(b poll.Batch) {
	last := map[event.Source]int64{}
	return func(b poll.Batch) {
		for _, e := range b.Events {
			if _, known := r.memory.events[e.ID]; known {
				continue
			}
			if n := e.ID.Number; n < last[e.ID.Source] {
				r.Errorf("%v comes after %d", e.ID, last[e.ID.Source])
			}
			last[e.ID.Source] = e.ID.Number
		}
	}
}

// Of a first start that answers what is unread, nothing is lost either, and what was read before is no news, also where reading marks it.
func TestBacklogInAnyRoom(t *testing.T) {
	for size, bytes := range rooms {
		for _, crash := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, crash %v", size, crash), func(t *testing.T) {
				effort.Case(t)
				play(t, habits{}, func(r *world) {
					var want []int64
					for i := range 300 {
						n := r.model.notify("notifs", 50, platform.SubjectLike, false)
						if n.read = i < 100 || i%3 == 0 && i != 299; !n.read {
							want = append(want, n.id)
						}
					}
					start := func() {
						r.start(func(c *poll.Config) { c.Room, c.Backlog = poll.NewRoom(bytes), event.Unread })
					}
					start()
					_, _ = r.try()
					r.memory.commit()
					if crash {
						start()
					} else {
						r.model.set(func(w *model) {
							for _, n := range w.notes["notifs"] {
								n.read = true // by whoever looks at them
							}
						})
					}
					r.run(3 * time.Minute)
					if got := r.memory.notifs(); !slices.Equal(got, want) {
						r.Errorf("%d notifications, want %d: %v", len(got), len(want), got)
					}
				})
			})
		}
	}
}

// A reading that finds no end is told once, in its third minute, and what else there is goes on.
func TestReadingWithoutEnd(t *testing.T) {
	for name, attack := range map[string]func(w *model){
		"notifs":   func(w *model) { w.endless = "notifs" },
		"messages": func(w *model) { w.endless = "messages" },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			play(t, habits{NewestFirst: true}, func(r *world) {
				room := poll.NewRoom(1 << 20)
				r.model.say(50, "first")
				r.start(func(c *poll.Config) { c.Room = room })
				r.run(time.Minute)
				r.model.set(attack)
				r.model.say(50, "hello")
				r.model.meanwhile = func() { time.Sleep(100 * time.Millisecond) }
				began := time.Now()
				for time.Since(began) < 110*time.Second {
					r.cycle()
				}
				if got := r.log.with("has come to no end"); len(got) != 0 {
					r.Errorf("too early: %q", got)
				}
				for time.Since(began) < 4*time.Minute {
					r.cycle()
				}
				if got := r.log.with("has come to no end"); len(got) != 1 {
					r.Errorf("log lines %q, want one", got)
				}
				told := 0
				for _, h := range r.poller.Health() {
					if !h.ReadingSince.IsZero() {
						told++
						if h.ReadingSince.Sub(began).Abs() > 30*time.Second {
							r.Errorf("since %v, want %v", h.ReadingSince, began)
						}
					}
				}
				if told != 1 {
					r.Errorf("%d sources, want one", told)
				}
				r.model.set(func(w *model) { w.endless = "" })
				r.run(15 * time.Minute) // all of it is read once more
				for _, h := range r.poller.Health() {
					if !h.ReadingSince.IsZero() {
						r.Errorf("still: %+v", h)
					}
				}
				if got := r.memory.texts(); len(got) == 0 || !strings.Contains(strings.Join(got, " "), "hello") {
					r.Errorf("%d messages", len(got))
				}
			})
		})
	}
}
