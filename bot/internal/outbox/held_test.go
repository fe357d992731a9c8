package outbox_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What was held is not taken for a twin that is decided after its row came to rest, in this incarnation or the next.
func TestTwinDecidedAfterAHeldOne(t *testing.T) {
	t.Parallel()
	for where, made := range map[string]func(w *world, ana platform.UserID, thread platform.PostID) event.Action{
		"below a post": func(w *world, ana platform.UserID, thread platform.PostID) event.Action {
			return w.post(ana, thread, "twin")
		},
		"on the wall": func(w *world, ana platform.UserID, _ platform.PostID) event.Action { return w.post(ana, 0, "twin") },
		"to somebody": func(w *world, ana platform.UserID, _ platform.PostID) event.Action { return w.message(ana, "twin") },
	} {
		for when, end := range map[string]func(w *world){
			"in the same life": func(*world) {},
			"after a stop":     (*world).restart,
			"after a crash":    func(w *world) { w.crash(); w.start() },
		} {
			t.Run(where+", "+when, func(t *testing.T) {
				effort.Case(t)
				inWorld(t, setup{}, func(w *world) {
					ana := w.person("ana")
					thread := w.p.Post(ana, "news")
					for _, endpoint := range []string{"publish_post", "send_message"} {
						w.p.Disturb(endpoint, emulator.CutAfter, emulator.CutBefore)
					}
					reads := []string{"thread_replys", "profile_posts", "get_messages"}
					first, second := made(w, ana, thread), made(w, ana, thread)
					w.decide(first)
					w.until(time.Minute, func() bool { return len(w.made()) == 1 })
					for _, endpoint := range reads {
						w.net.Hang(endpoint, lost)
					}
					w.until(time.Hour, func() bool { return w.state(first) == event.StateHeld })
					w.same("state of the first", event.StateHeld, w.state(first))
					for _, endpoint := range reads {
						w.net.Hang(endpoint, 0)
					}
					end(w)
					w.decide(second)
					w.rest(time.Hour)
					w.same("made", 2, len(w.made()))
				})
			})
		}
	}
}

// made returns what the bot has made through the API.
func (w *world) made() []emulator.Entry { return w.entries(emulator.Arrived, emulator.Published) }

// A held message that shows up is not a person's, also when the platform has changed its text. What comes after
// the platform was read again is.
func TestWhatMayBeAHeldOne(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){"in the same life": func(*world) {}, "after a crash": func(w *world) { w.crash(); w.start() }} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{}, func(w *world) {
				ana := w.person("ana")
				w.p.Disturb("send_message", emulator.CutAfter)
				w.net.Hang("get_messages", lost)
				a := w.message(ana, "order at https://shop.example/tea?x=1 today")
				w.decide(a)
				w.until(time.Hour, func() bool { return w.state(a) == event.StateHeld })
				w.net.Hang("get_messages", 0)
				end(w)
				id := w.made()[0].Message
				for text, want := range map[string]bool{a.Text: true, "order at https://sho.rt/x7 today": true, "good morning": false} {
					w.same(text, want, w.outbox.IsHeld(ana, id, text))
				}
				w.same("what was there before", false, w.outbox.IsHeld(ana, platform.MessageID(a.ReconcileFrom), a.Text))
				w.decide(w.message(ana, "else"))
				w.rest(time.Minute)
				w.same("what may be it", true, w.outbox.IsHeld(ana, id, a.Text))
				w.same("what came later", false, w.outbox.IsHeld(ana, w.p.SayAs(w.bot, ana, a.Text), a.Text))
				calls := w.p.Calls("get_messages")
				w.decide(w.message(ana, "something else"))
				w.rest(time.Minute)
				w.same("readings more", calls, w.p.Calls("get_messages"))
			})
		})
	}
}

// As long as nobody was told how a message ended it counts as on its way: whoever sees it meanwhile asks again.
func TestBusyUntilItsEndIsTold(t *testing.T) {
	t.Parallel()
	var w *world
	busy := map[event.State]bool{}
	inWorld(t, setup{onEnd: func(a event.Action) { busy[a.State] = w.outbox.IsBusy(a.Peer) }}, func(world *world) {
		w = world
		ana := w.person("ana")
		w.decide(w.message(ana, "hello"))
		w.rest(time.Minute)
		w.same("busy at its end", map[event.State]bool{event.StateDone: true}, busy)
		w.same("busy afterwards", false, w.outbox.IsBusy(ana))
	})
}

// What leaves although nobody could read what is there before it is not reconciled by what may have been there: it is
// left to a person, or sent again when nothing looks like it.
func TestWhatLeavesUnread(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		withBaseline bool
		first        string
		want         event.State
	}{
		"behind its held twin": {true, "twin", event.StateHeld},
		"behind another one":   {true, "else", event.StateDone},
		"without any id":       {false, "", event.StateHeld},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inWorld(t, setup{config: outbox.Config{FirstLook: time.Minute}}, func(w *world) {
				ana := w.person("ana")
				made := []event.Action{w.message(ana, "twin")}
				if c.withBaseline {
					made = append([]event.Action{w.message(ana, c.first)}, made...)
					w.p.Disturb("send_message", emulator.CutAfter)
				} else {
					made[0].ReconcileFrom = 0
					w.p.SayAs(w.bot, ana, cmp.Or(c.first, "twin")) // long ago, by phone
				}
				w.net.Hang("get_messages", lost)
				w.p.Disturb("send_message", emulator.CutBefore)
				w.decide(made...)
				last := made[len(made)-1]
				w.until(time.Hour, func() bool { return w.p.Calls("send_message") == int64(len(made)) })
				w.net.Hang("get_messages", 0)
				w.rest(time.Hour)
				w.same("state", c.want, w.state(last))
			})
		})
	}
}
